"""Cron expressions: five fields, Debian's rule for the two day fields, strict."""

import calendar

import pytest

from duly.model.timing import AnchorClass
from tests.recurrence import places
from tests.recurrence.places import cron, locals_of, slots


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 9 * * *", ["05-01T09:00", "05-02T09:00", "05-03T09:00"]),
        ("0,30 9-10 1 * *", ["05-01T09:00", "05-01T09:30", "05-01T10:00", "05-01T10:30"]),
        ("0 */12 2 * *", ["05-02T00:00", "05-02T12:00"]),
        ("5-20/10 9 1 May *", ["05-01T09:05", "05-01T09:15"]),
        ("0 9 * * sun", ["05-03T09:00"]),
        ("0 9 * * 7", ["05-03T09:00"]),
        ("0 9 * * 5-7", ["05-01T09:00", "05-02T09:00", "05-03T09:00"]),
        ("0 9 * jan-mar,may FRI-SAT", ["05-01T09:00", "05-02T09:00"]),
        # Neither day field begins with a star: one is enough.
        ("0 9 2 * 5", ["05-01T09:00", "05-02T09:00"]),
        ("0 9 1-31 * 5", ["05-01T09:00", "05-02T09:00", "05-03T09:00"]),
        # One begins with a star: both must agree.
        ("0 9 */2 * 0", ["05-03T09:00"]),
        ("0 9 2 * */2", ["05-02T09:00"]),
        ("0 9 1 * */2", []),
        ("@daily", ["05-02T00:00", "05-03T00:00", "05-04T00:00"]),
        ("@weekly", ["05-03T00:00"]),
        ("@monthly", []),
    ],
)
def test_fields_name_the_times_that_cron_fires_at(text: str, expected: list[str]) -> None:
    # 1 May 2026 is a Friday.
    found = locals_of(cron(text), "2026-05-01T00:00", "2026-05-04T00:00")
    assert [local[5:] for local in found] == expected


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("0 9 * * *", AnchorClass.WALL),
        ("0-59 9 * * *", AnchorClass.WALL),
        ("0 0-23 * * *", AnchorClass.WALL),
        ("@daily", AnchorClass.WALL),
        ("*/5 9 * * *", AnchorClass.ELAPSED),
        ("0 * * * *", AnchorClass.ELAPSED),
        ("0 */2 * * *", AnchorClass.ELAPSED),
        ("@hourly", AnchorClass.ELAPSED),
    ],
)
def test_a_star_in_the_minute_or_hour_field_makes_a_rule_follow_real_time(
    text: str, anchor: AnchorClass
) -> None:
    schedule = cron(text, places.NEW_YORK)
    assert schedule.anchor is anchor
    key = slots(schedule, "2026-05-01T00:00", "2026-05-03T00:00")[0].key
    assert key.endswith("Z" if anchor is AnchorClass.ELAPSED else "[America/New_York]")


def test_the_29th_of_february_is_rare_but_fires() -> None:
    found = locals_of(cron("0 0 29 2 *"), "2026-01-01T00:00", "2037-01-01T00:00")
    assert found == ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 9 L * *", ["01-31", "02-28", "03-31", "04-30", "05-31"]),
        ("0 9 L-2 * *", ["01-29", "02-26", "03-29", "04-28", "05-29"]),
        # 31 January 2026 is a Saturday, 28 February too, 31 May a Sunday.
        ("0 9 LW * *", ["01-30", "02-27", "03-31", "04-30", "05-29"]),
        # 15 February and 15 March 2026 are Sundays.
        ("0 9 15W * *", ["01-15", "02-16", "03-16", "04-15", "05-15"]),
        # 1 February and 1 March are Sundays: no other month's day is taken.
        ("0 9 1W * *", ["01-01", "02-02", "03-02", "04-01", "05-01"]),
        ("0 9 31W * *", ["01-30", "03-31", "05-29"]),
        ("0 9 * * 5L", ["01-30", "02-27", "03-27", "04-24", "05-29"]),
        ("0 9 * * FRIL", ["01-30", "02-27", "03-27", "04-24", "05-29"]),
        ("0 9 * * 1#1", ["01-05", "02-02", "03-02", "04-06", "05-04"]),
        ("0 9 * * sun#5", ["03-29", "05-31"]),
        ("0 9 * 1-2 7#1", ["01-04", "02-01"]),
        ("0 9 1,L 2 *", ["02-01", "02-28"]),
        # Both day fields are restricted: one is enough.
        ("0 9 L 2 1#1", ["02-02", "02-28"]),
    ],
)
def test_days_from_the_end_workdays_and_numbered_weekdays(text: str, expected: list[str]) -> None:
    found = locals_of(cron(text), "2026-01-01T00:00", "2026-06-01T00:00")
    assert [local[5:10] for local in found] == expected


def _nearest_workdays(day: int, year: int) -> list[str]:
    """By the words of the rule: of all workdays of a month that has the day, the nearest."""
    found = []
    for month in range(1, 13):
        workdays = [
            number
            for number, weekday in calendar.Calendar().itermonthdays2(year, month)
            if number and weekday < 5
        ]
        if day <= calendar.monthrange(year, month)[1]:
            nearest = min(workdays, key=lambda number: abs(number - day))
            found.append(f"{year}-{month:02}-{nearest:02}")
    return found


@pytest.mark.parametrize("day", range(1, 32))
def test_the_nearest_workday_is_what_counting_says(day: int) -> None:
    found = locals_of(cron(f"0 9 {day}W * *"), "2024-01-01T00:00", "2036-01-01T00:00")
    wanted = [local for year in range(2024, 2036) for local in _nearest_workdays(day, year)]
    assert [local[:10] for local in found] == wanted
