"""Suspends and steps are seen by comparing clocks; slow slewing is neither."""

from duly.engine.clocks import Clocks, GapKind
from duly.engine.requests import Woke
from duly.model.instant import HOUR_US, SECOND_US, Instant

LEAST_US = 2 * SECOND_US


def at(seconds: float, *, asleep: int = 0, stepped: int = 0) -> Woke:
    us = int(seconds * SECOND_US)
    return Woke(at=Instant(us + asleep + stepped), awake_us=us, elapsed_us=us + asleep)


def seen(*moments: Woke) -> list[tuple[GapKind, int]]:
    clocks = Clocks()
    for moment in moments:
        clocks.observe(moment, LEAST_US)
    return [(gap.kind, gap.shown_us - gap.real_us) for gap in clocks.unwritten]


def test_time_that_passes_everywhere_is_no_gap():
    assert seen(at(0), at(5), at(3600)) == []


def test_a_suspend_is_seen_once():
    moments = (at(0), at(5, asleep=HOUR_US), at(10, asleep=HOUR_US))
    assert seen(*moments) == [(GapKind.SUSPEND, HOUR_US)]


def test_steps_are_seen_both_ways():
    assert seen(at(0), at(5, stepped=-HOUR_US), at(10)) == [
        (GapKind.STEP, -HOUR_US),
        (GapKind.STEP, HOUR_US),
    ]


def test_slow_slewing_never_adds_up_to_a_step():
    assert seen(*(at(5 * n, stepped=n * 100_000) for n in range(100))) == []


def test_a_gap_is_settled_only_a_while_after_it():
    clocks = Clocks()
    assert clocks.is_settled(at(0), SECOND_US)
    clocks.observe(at(0), LEAST_US)
    assert clocks.observe(at(1, asleep=HOUR_US), LEAST_US)
    assert not clocks.is_settled(at(1.5, asleep=HOUR_US), SECOND_US)
    assert clocks.is_settled(at(2, asleep=HOUR_US), SECOND_US)
