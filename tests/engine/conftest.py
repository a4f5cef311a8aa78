"""The bench that each test of the engine gets: a fresh ledger, a clock just after midnight."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.parts import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench.fresh(tmp_path / "ledger.db")
    yield made
    made.ledger.close()
