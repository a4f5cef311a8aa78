"""Slots near clock changes that nobody expects: named before they happen."""

import pytest

from duly.model.instant import Instant, from_datetime
from duly.model.timing import CronRule, RruleRule
from duly.recurrence.schedule import compile_rule
from duly.recurrence.slot import Exhausted
from duly.recurrence.surprises import clock_changes, surprises
from tests.recurrence import places


def instant(text: str) -> Instant:
    from datetime import datetime

    return from_datetime(datetime.fromisoformat(text))


AT = instant("2026-05-01T00:00:00+00:00")


@pytest.mark.parametrize(
    ("zone", "changes"),
    [
        (places.NEW_YORK, ["2026-11-01T06:00:00+00:00", "2027-03-14T07:00:00+00:00"]),
        (places.LORD_HOWE, ["2026-10-03T15:30:00+00:00", "2027-04-03T15:00:00+00:00"]),
        (places.TAIPEI, []),
    ],
)
def test_the_next_two_clock_changes_are_found(zone, changes):
    assert list(clock_changes(zone, AT)) == [instant(text) for text in changes]


def test_a_change_at_the_very_next_second_is_found():
    change = instant("2026-11-01T06:00:00+00:00")
    assert clock_changes(places.NEW_YORK, Instant(change - 1_000_000))[0] == change
    assert clock_changes(places.NEW_YORK, change)[0] > change


@pytest.mark.parametrize(
    ("rule", "odd"),
    [
        ("30 2 * * *", ["2027-03-14T03:30:00-04:00"]),
        ("30 1 * * *", ["2026-11-01T01:30:00-04:00"]),
        ("0 9 * * *", []),
        ("30 1 * * 1-5", []),
    ],
)
def test_a_rule_shows_what_clock_changes_do_to_it(rule, odd):
    schedule = compile_rule(CronRule(text=rule), places.NEW_YORK)
    assert [slot.local for slot in surprises(schedule, AT)] == odd


def test_a_rule_of_elapsed_time_shows_both_passes_of_an_hour():
    schedule = compile_rule(CronRule(text="*/30 * * * *"), places.NEW_YORK)
    assert len(surprises(schedule, AT)) == 4


def test_a_rule_that_fires_too_often_to_be_listed_shows_none():
    schedule = compile_rule(
        RruleRule(text="FREQ=MINUTELY", dtstart="2026-01-01T00:00:00"), places.TAIPEI
    )
    assert surprises(schedule, AT) == ()


def test_a_counted_rule_is_exhausted_behind_its_last_slot_at_once():
    rule = RruleRule(text="FREQ=DAILY;COUNT=2", dtstart="2026-05-01T09:00:00")
    schedule = compile_rule(rule, places.TAIPEI)
    assert isinstance(schedule.next(instant("2026-05-02T01:00:00+00:00")), Exhausted)
