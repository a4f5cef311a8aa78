"""The node dies after any of its transactions, starts again, and comes to the same end as one that never died."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from duly.engine.requests import Write
from duly.engine.service import Engine
from duly.engine.worker import claim_from_now
from duly.model.instant import HOUR_US, MINUTE_US, SECOND_US
from duly.model.plan import CatchUpBounded, OverlapAllow, OverlapQueueOne
from duly.model.states import Outcome
from duly.model.timing import AnchorClass, CronRule
from duly.transactions.admit import admit_due
from duly.transactions.nodes import seen
from duly.transactions.promote import promote
from duly.transactions.rescue import rescue_orphans
from duly.transactions.settle import settle
from tests.engine.parts import SOON_S, TIMING, Bench, completing, define, idle

SLOTS_US = (5 * MINUTE_US, 5 * MINUTE_US, 3 * HOUR_US)


def define_all(bench: Bench) -> list[str]:
    """Three automations that go different ways: alone, overlapping, and caught up as a chain."""
    bounded = CatchUpBounded(count=2, age_us_max=24 * HOUR_US)
    return [
        define(bench.ledger, "each-five"),
        define(bench.ledger, "queued", replace(TIMING, overlap=OverlapQueueOne())),
        define(
            bench.ledger,
            "hourly",
            replace(
                TIMING,
                rule=CronRule(text="0 * * * *"),
                anchor=AnchorClass.ELAPSED,
                catch_up=bounded,
                overlap=OverlapAllow(count=2),
            ),
        ),
    ]


class Dying:
    """Lets a node live until it has committed the `nth` write of one kind."""

    def __init__(self, fn: Callable[..., Any], nth: int) -> None:
        self._fn, self._left = fn, nth
        self.is_dead = False

    def survives(self, write: Write[Any]) -> bool:
        if write.fn is self._fn:
            self._left -= 1
        self.is_dead = self.is_dead or self._left <= 0
        return not self.is_dead


def live_through(bench: Bench, dying: Dying) -> None:
    """Pass all slots; a node that dies is followed by another."""
    engine = start(bench, survives=dying.survives)
    for us in SLOTS_US:
        bench.clock.jump(us)
        engine.poke()
        if not engine.wait_idle(int(SOON_S * SECOND_US)):
            assert dying.is_dead, "still busy"
            engine.stop()
            bench.reopen()
            engine = start(bench)
            idle(engine)
    engine.stop()


def start(bench: Bench, **changes: Any) -> Engine:
    engine = bench.engine(bench.node(completing), **changes)
    engine.start()
    return engine


def history(bench: Bench, automation_ids: list[str]) -> list[Any]:
    """Return what must be the same whether the node died or not."""
    slots = [
        (one.occurrence_key, one.last_slot_key, one.disposition, one.reason, one.window_key)
        for automation_id in automation_ids
        for one in bench.occurrences(automation_id)
    ]
    runs = sorted((run.run_id, run.state, run.outcome, run.is_caught_up) for run in bench.runs())
    marks = [bench.read(lambda tx, name=name: tx.automation(name).mark) for name in automation_ids]
    return [slots, runs, marks]


def never(tx: Any, command: None) -> None:
    """A write that no node makes."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    bench = Bench.fresh(tmp_path_factory.mktemp("whole") / "ledger.db")
    names = define_all(bench)
    live_through(bench, Dying(never, 1))
    found = history(bench, names)
    bench.ledger.close()
    return found


POINTS = [
    (admit_due, 2),
    (admit_due, 3),
    (admit_due, 5),
    (admit_due, 8),
    (promote, 2),
    (promote, 5),
    (seen, 1),
    (rescue_orphans, 1),
    (claim_from_now, 2),
    (claim_from_now, 3),
    (claim_from_now, 4),
    (claim_from_now, 6),
    (settle, 1),
    (settle, 2),
    (settle, 3),
    (settle, 5),
    (settle, 7),
]


@pytest.mark.parametrize(("fn", "nth"), POINTS, ids=[f"{fn.__name__}-{nth}" for fn, nth in POINTS])
def test_case_a06_whatever_write_a_node_dies_after_the_history_is_the_same(
    bench: Bench, undisturbed: list[Any], fn: Callable[..., Any], nth: int
):
    names = define_all(bench)
    dying = Dying(fn, nth)
    live_through(bench, dying)
    assert dying.is_dead, "the node never came so far"
    assert history(bench, names) == undisturbed
    assert all(run.outcome is Outcome.COMPLETED for run in bench.runs())
    assert len(bench.runs()) == 8
