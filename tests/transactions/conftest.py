"""A world for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transactions.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a world at noon on 2026-09-15 (UTC), and close it."""
    made = World(tmp_path / "ledger.db")
    yield made
    made.ledger.close()
