"""The bench that each test of the engine gets: a fresh ledger, a clock just after midnight."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from duly.model.instant import SECOND_US, Instant
from tests.engine.clocks import MovedClock
from tests.engine.parts import MIDNIGHT, Bench, open_ledger


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    clock = MovedClock(Instant(MIDNIGHT + SECOND_US))
    path = tmp_path / "ledger.db"
    made = Bench(path=path, clock=clock, ledger=open_ledger(path, clock))
    yield made
    made.ledger.close()
