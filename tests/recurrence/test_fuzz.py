"""Rules drawn at random: each is refused with a fault that helps, or is what walking every period finds."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from duly.model.errors import ValidationError
from duly.model.instant import SECOND_US, Instant, from_datetime
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Slot
from tests.recurrence import cron_walker, drawn, places, walker
from tests.recurrence.drawn import Drawn

SOME = 500
MANY = 200_000
EVERY = 250
ZONES = {name: places.ZONES.load(name) for name, _ in drawn.PLACES}
# The slow means looks at fewer days where it must look at every second, minute or hour.
SPANS = {"YEARLY": 740, "MONTHLY": 130, "WEEKLY": 50, "DAILY": 14}


@pytest.mark.parametrize("first", range(0, SOME, EVERY))
def test_rules_are_what_walking_every_period_finds(first: int) -> None:
    for number in range(first, first + EVERY):
        _compare(drawn.rule(number))


@pytest.mark.parametrize("first", range(0, SOME // 10, EVERY // 10))
def test_cron_lines_are_what_looking_at_every_minute_finds(first: int) -> None:
    for number in range(first, first + EVERY // 10):
        _compare_cron(number)


@pytest.mark.long
@pytest.mark.parametrize("first", range(SOME, MANY, EVERY))
def test_many_rules_are_what_walking_every_period_finds(first: int) -> None:
    for number in range(first, first + EVERY):
        _compare(drawn.rule(number))
        if number % 10 == 0:
            _compare_cron(number)


def _compare(made: Drawn) -> None:
    try:
        schedule = places.rrule(made.rule, made.start.isoformat(), ZONES[made.zone])
    except ValidationError as error:
        _hold_faults(error, made.rule)
        return
    days = SPANS.get(made.rule.split(";")[0][5:], 2)
    first, last = made.near - timedelta(days=days // 2), made.near + timedelta(days=days // 2)
    walk = walker.Walk(
        rule=made.rule, start=made.start, zone=ZONES[made.zone].info, first=first, last=last
    )
    expected = [from_datetime(each) for each in walker.instants(walk)]
    assert _between(schedule, first, last) == expected, made
    _hold_neighbours(schedule, expected)


def _compare_cron(number: int) -> None:
    zone, days = drawn.PLACES[number % len(drawn.PLACES)]
    text = drawn.cron(number)
    try:
        schedule = places.cron(text, ZONES[zone])
    except ValidationError as error:
        _hold_faults(error, text)
        return
    near = datetime.fromisoformat(days[0]).replace(tzinfo=UTC)
    first, last = near - timedelta(days=1), near + timedelta(days=2)
    expected = [
        from_datetime(each) for each in cron_walker.instants(text, ZONES[zone].info, first, last)
    ]
    assert _between(schedule, first, last) == expected, (text, zone)
    _hold_neighbours(schedule, expected)


def _hold_faults(error: ValidationError, written: str) -> None:
    assert all(fault.message and fault.pointer for fault in error.faults), written


def _between(schedule: Schedule, first: datetime, last: datetime) -> list[int]:
    after, until = (Instant(from_datetime(each) - SECOND_US) for each in (first, last))
    found = schedule.between(after, until, 100_000)
    assert found.is_complete
    return [slot.due_at for slot in found.slots]


def _hold_neighbours(schedule: Schedule, expected: Sequence[int]) -> None:
    """The slot after one is its neighbour, from both sides."""
    if len(expected) < 2:
        return
    one, other = Instant(expected[0]), Instant(expected[1])
    following, preceding = schedule.next(one), schedule.prev(other)
    assert isinstance(following, Slot) and following.due_at == other
    assert isinstance(preceding, Slot) and preceding.due_at == one
    assert schedule.count(one, Instant(expected[-1])) == len(expected) - 1
