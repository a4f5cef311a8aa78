"""Cron expressions: five fields, Debian's rule for the two day fields, strict."""

import pytest

from duly.model.errors import ValidationError
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


@pytest.mark.parametrize(
    ("text", "named", "fix"),
    [
        ("* * * *", "has 5 fields, this one has 4", "minute, hour"),
        ("", "has 5 fields, this one has 0", "minute, hour"),
        ("0 0 9 * * *", "6 fields", "leave the seconds"),
        ("0 9 L * *", "day of month: 'L'", "RRULE"),
        ("0 9 15W * *", "'15W'", "RRULE"),
        ("0 9 * * 5L", "'5L'", "RRULE"),
        ("0 9 * * 1#2", "'#'", "RRULE"),
        ("H 9 * * *", "minute: 'H'", "RRULE"),
        ("0 9 ? * *", "'?'", "write *"),
        ("60 9 * * *", "minute: 60", ""),
        ("0 24 * * *", "hour: 24", ""),
        ("0 9 0 * *", "day of month: 0", ""),
        ("0 9 * 13 *", "month: 13", ""),
        ("0 9 * * 8", "day of week: 8", ""),
        ("0 9 * * fr", "'fr'", "0 to 7"),
        ("0 9 * * FRI-MON", "backwards", "5-7,0-1"),
        ("0 22-2 * * *", "backwards", "22-23,0-2"),
        ("*/0 9 * * *", "step", ""),
        ("*/90 * * * *", "only the first value", "INTERVAL"),
        ("5/10 9 * * *", "needs a range", "5-59/10"),
        ("1,,2 9 * * *", "''", ""),
        ("1- 9 * * *", "''", ""),
        ("-1 9 * * *", "''", ""),
        ("@reboot", "@reboot", "caught up"),
        ("@fortnightly", "'@fortnightly'", "@weekly"),
        ("0 0 31 2 *", "fire", "restriction"),
        ("0 0 31 4,6,9,11 *", "fire", "restriction"),
        ("٣ 9 * * *", "is no value", "0 to 59"),
    ],
)
def test_what_cron_means_differently_elsewhere_or_never_is_refused(
    text: str, named: str, fix: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        cron(text)
    (fault,) = caught.value.faults
    assert fault.pointer == "/schedule/cron"
    assert named in fault.message
    assert fix in fault.fix


def test_the_29th_of_february_is_rare_but_fires() -> None:
    found = locals_of(cron("0 0 29 2 *"), "2026-01-01T00:00", "2037-01-01T00:00")
    assert found == ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]
