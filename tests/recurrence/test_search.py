"""Laws of searching: what a schedule answers is what looking at every day and minute finds."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duly.model.errors import ValidationError
from duly.model.instant import MINUTE_US, SECOND_US, Instant
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import BeyondHorizon, Exhausted, Slot
from duly.recurrence.work import WorkBudgetExceededError
from tests.recurrence import brute, places
from tests.recurrence.brute import Made, made_rules
from tests.recurrence.places import cron, first, instant, rrule


def compiled(made: Made) -> Schedule:
    try:
        return rrule(made.text, made.start.isoformat(), made.zone)
    except ValidationError as error:
        assume("fire" not in error.message)
        raise


def seconds_of(slots: tuple[Slot, ...]) -> list[int]:
    return [slot.due_at // SECOND_US for slot in slots]


@given(made_rules(), st.integers(1, 36))
@settings(max_examples=150)
def test_slots_are_what_looking_at_every_day_and_minute_finds(made: Made, hours: int) -> None:
    schedule = compiled(made)
    middle = datetime(made.day.year, made.day.month, made.day.day, tzinfo=UTC)
    start, end = middle - timedelta(hours=hours), middle + timedelta(hours=hours)
    after, until = (Instant(int(each.timestamp()) * SECOND_US - 1) for each in (start, end))
    expected = brute.instants(made, start, end)
    found = schedule.between(after, until, 5_000)
    assert found.is_complete
    assert seconds_of(found.slots) == expected
    assert schedule.count(after, until) == len(expected)
    assert schedule.newest(after, until, 5_000) == found
    keys = [slot.key for slot in found.slots]
    assert keys == sorted(set(keys))


@given(made_rules(), st.integers(0, 3_000))
@settings(max_examples=100)
def test_next_and_prev_are_neighbours(made: Made, minutes: int) -> None:
    schedule = compiled(made)
    moment = datetime(made.day.year, made.day.month, made.day.day, tzinfo=UTC)
    at = Instant(int(moment.timestamp()) * SECOND_US + minutes * MINUTE_US)
    following = schedule.next(at)
    if isinstance(following, Slot):
        assert following.due_at > at
        assert schedule.next(Instant(following.due_at - 1)) == following
        assert schedule.between(at, following.due_at, 2).slots == (following,)
        preceding = schedule.prev(following.due_at)
        if isinstance(preceding, Slot):
            assert preceding.due_at <= at
            assert first(schedule.next(preceding.due_at)) == following
            assert first(schedule.prev(Instant(preceding.due_at + 1))) == preceding


@given(made_rules())
@settings(max_examples=60)
def test_counting_ends_after_exactly_count_wall_times_or_instants(made: Made) -> None:
    endless = compiled(made)
    until = instant("2035-01-01T00:00")
    counted = rrule(f"{made.text};COUNT=5", made.start.isoformat(), made.zone)
    found = counted.between(instant("1970-01-01T00:00"), until, 10).slots
    assert len(found) <= 5
    assert found == endless.between(instant("1970-01-01T00:00"), until, len(found)).slots


def test_the_newest_slots_are_the_end_of_all_slots_oldest_first() -> None:
    schedule = cron("*/10 * * * *", places.NEW_YORK)
    after, until = instant("2026-10-31T00:00"), instant("2026-11-02T00:00")
    everything = schedule.between(after, until, 1_000).slots
    newest = schedule.newest(after, until, 7)
    assert newest.slots == everything[-7:]
    assert not newest.is_complete


def test_a_limit_that_is_reached_exactly_is_complete() -> None:
    schedule = rrule("FREQ=HOURLY", "2026-01-01T00:00:00")
    after, until = instant("2026-01-01T00:00"), instant("2026-01-01T03:00")
    assert schedule.between(after, until, 3).is_complete
    assert not schedule.between(after, until, 2).is_complete
    assert schedule.newest(after, until, 3).is_complete


@pytest.mark.parametrize(
    ("schedule", "count"),
    [
        (rrule("FREQ=MINUTELY", "2010-01-01T00:00:00", places.NEW_YORK), 525_600),
        (cron("* * * * *", places.NEW_YORK), 525_600),
        (rrule("FREQ=HOURLY", "2010-01-01T00:00:00", places.NEW_YORK), 8_760),
        (cron("0-59 0-23 * * *", places.NEW_YORK), 525_600 - 60),
        (rrule("FREQ=DAILY;BYHOUR=9", "2010-01-01T00:00:00", places.NEW_YORK), 365),
        (cron("0 9 * * 1-5", places.NEW_YORK), 261),
    ],
)
def test_the_backlog_of_a_year_is_exact(schedule: Schedule, count: int) -> None:
    after, until = instant("2026-01-01T04:59"), instant("2027-01-01T04:59")
    backlog = schedule.backlog(after, until, 3)
    assert backlog.count == count
    assert backlog.first == schedule.next(after)
    assert backlog.newest[-1] == schedule.prev(Instant(until + 1))
    assert len(backlog.newest) == 3


def test_the_backlog_of_twelve_hours_of_an_hourly_rule_has_twelve_slots() -> None:
    schedule = cron("0 * * * *")
    backlog = schedule.backlog(instant("2026-05-01T08:00"), instant("2026-05-01T20:00"), 100)
    assert backlog.count == len(backlog.newest) == 12
    assert backlog.first == backlog.newest[0]
    assert schedule.backlog(instant("2026-05-01T08:00"), instant("2026-05-01T08:30"), 9).count == 0


def test_a_finished_rule_is_exhausted_in_both_directions() -> None:
    schedule = rrule("FREQ=DAILY;UNTIL=20260103T090000Z", "2026-01-01T09:00:00")
    assert isinstance(schedule.next(instant("2026-01-03T09:00")), Exhausted)
    assert isinstance(schedule.prev(instant("2026-01-01T09:00")), Exhausted)
    assert first(schedule.prev(instant("2030-01-01T00:00"))).key == "2026-01-03T09:00:00[UTC]"


def test_a_search_that_costs_too_much_says_how_far_it_came_and_can_go_on() -> None:
    # Every 24 real hours from 9:00 it is 10:00 in summer only, and Samoa gave up summer time in 2021.
    schedule = rrule("FREQ=MINUTELY;INTERVAL=1440;BYHOUR=10", "2012-06-01T09:00:00", places.APIA)
    answer = schedule.next(instant("2021-06-01T00:00"))
    assert isinstance(answer, BeyondHorizon)
    further = schedule.next(answer.cursor)
    assert isinstance(further, BeyondHorizon)
    assert instant("2024-01-01T00:00") < answer.cursor < further.cursor
    assert first(schedule.prev(instant("2021-06-01T00:00"))).local[:13] == "2021-04-03T10"
    with pytest.raises(WorkBudgetExceededError):
        schedule.count(instant("2022-01-01T00:00"), instant("9000-01-01T00:00"))


def test_validity_bounds_are_inclusive() -> None:
    schedule = rrule("FREQ=DAILY", "2026-01-01T09:00:00").bounded(
        instant("2026-01-03T09:00"), instant("2026-01-05T09:00")
    )
    found = schedule.between(instant("2026-01-01T00:00"), instant("2026-02-01T00:00"), 9).slots
    assert [slot.local[8:10] for slot in found] == ["03", "04", "05"]
    assert isinstance(schedule.next(instant("2026-01-05T09:00")), Exhausted)
    assert isinstance(schedule.prev(instant("2026-01-03T09:00")), Exhausted)


def test_case_c07_only_slots_inside_the_bounds_are_in_the_backlog() -> None:
    schedule = rrule("FREQ=DAILY", "2026-01-01T09:00:00")
    bounded = schedule.bounded(instant("2026-01-10T00:00"), instant("2026-01-12T00:00"))
    backlog = bounded.backlog(instant("2026-01-08T00:00"), instant("2026-01-20T00:00"), 5)
    assert [slot.local[8:10] for slot in backlog.newest] == ["10", "11"]
    assert backlog.count == 2


def test_case_c02_a_weekday_rule_has_no_slot_on_a_saturday() -> None:
    schedule = cron("0 9 * * 1-5", places.TAIPEI)
    saturday = instant("2026-05-16T00:15+08:00")
    backlog = schedule.backlog(instant("2026-05-14T12:00+08:00"), saturday, 5)
    assert [slot.local for slot in backlog.newest] == ["2026-05-15T09:00:00+08:00"]
    assert first(schedule.next(saturday)).local == "2026-05-18T09:00:00+08:00"
