"""RFC 5545 answers, and what of it is refused, by name."""

import pytest

from duly.model.errors import ValidationError
from duly.recurrence.slot import Exhausted
from tests.recurrence import places
from tests.recurrence.places import first, instant, locals_of, rrule


@pytest.mark.parametrize(
    ("text", "dtstart", "until", "expected"),
    [
        ("FREQ=MONTHLY;BYDAY=1MO", "2026-01-01T09:00:00", "2026-04-30",
         ["2026-01-05", "2026-02-02", "2026-03-02", "2026-04-06"]),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2026-01-01T09:00:00", "2026-03-31",
         ["2026-01-30", "2026-02-27", "2026-03-27"]),
        ("FREQ=MONTHLY;BYDAY=5SA", "2026-01-01T09:00:00", "2026-08-31",
         ["2026-01-31", "2026-05-30", "2026-08-29"]),
        ("FREQ=WEEKLY;BYDAY=MO,WE,FR", "2026-01-01T09:00:00", "2026-01-09",
         ["2026-01-02", "2026-01-05", "2026-01-07", "2026-01-09"]),
        ("FREQ=WEEKLY", "2026-01-01T09:00:00", "2026-01-20",
         ["2026-01-01", "2026-01-08", "2026-01-15"]),
        # RFC 5545 §3.3.10: the same rule with two beginnings of the week.
        ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05T09:00:00", "1998-01-01",
         ["1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"]),
        ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05T09:00:00", "1998-01-01",
         ["1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "2026-01-31T09:00:00", "2026-08-01",
         ["2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"]),
        ("FREQ=MONTHLY", "2026-01-31T09:00:00", "2026-06-01",
         ["2026-01-31", "2026-03-31", "2026-05-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-01T09:00:00", "2026-03-31",
         ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "2026-01-01T09:00:00", "2026-12-31",
         ["2026-02-13", "2026-03-13", "2026-11-13"]),
        ("FREQ=YEARLY", "2024-02-29T09:00:00", "2033-01-01",
         ["2024-02-29", "2028-02-29", "2032-02-29"]),
        ("FREQ=YEARLY", "2096-02-29T09:00:00", "2109-01-01",
         ["2096-02-29", "2104-02-29", "2108-02-29"]),
        ("FREQ=YEARLY;BYMONTH=3,11", "2026-01-15T09:00:00", "2027-04-01",
         ["2026-03-15", "2026-11-15", "2027-03-15"]),
        ("FREQ=YEARLY;BYDAY=20MO", "1997-05-19T09:00:00", "1999-12-31",
         ["1997-05-19", "1998-05-18", "1999-05-17"]),
        ("FREQ=YEARLY;BYMONTH=11;BYDAY=1TH,-1TH", "2026-01-01T09:00:00", "2027-01-01",
         ["2026-11-05", "2026-11-26"]),
        ("FREQ=YEARLY;INTERVAL=3;BYDAY=-1SU", "2026-01-01T09:00:00", "2033-01-01",
         ["2026-12-27", "2029-12-30", "2032-12-26"]),
        ("FREQ=DAILY;INTERVAL=10;COUNT=3", "2026-02-20T09:00:00", "2027-01-01",
         ["2026-02-20", "2026-03-02", "2026-03-12"]),
        ("FREQ=DAILY;BYMONTH=1;BYMONTHDAY=1,-1", "2026-01-01T09:00:00", "2026-12-31",
         ["2026-01-01", "2026-01-31"]),
        ("FREQ=MONTHLY;INTERVAL=18;BYMONTHDAY=10,11", "2026-01-11T09:00:00", "2029-01-12",
         ["2026-01-11", "2027-07-10", "2027-07-11", "2029-01-10", "2029-01-11"]),
        ("FREQ=DAILY;UNTIL=20260103T090000", "2026-01-01T09:00:00", "2026-02-01",
         ["2026-01-01", "2026-01-02", "2026-01-03"]),
        ("FREQ=DAILY;UNTIL=20260103T085959", "2026-01-01T09:00:00", "2026-02-01",
         ["2026-01-01", "2026-01-02"]),
        # A start that the rule does not name is no slot.
        ("FREQ=WEEKLY;BYDAY=MO;COUNT=2", "2026-01-01T09:00:00", "2027-01-01",
         ["2026-01-05", "2026-01-12"]),
    ],
)  # fmt: skip
def test_case_d10_days_are_those_of_rfc_5545(
    text: str, dtstart: str, until: str, expected: list[str]
) -> None:
    schedule = rrule(text, dtstart, places.LONDON)
    found = locals_of(schedule, f"{dtstart[:4]}-01-01T00:00", f"{until}T23:00")
    assert found == [f"{day}T09:00" for day in expected]


def test_times_of_a_day_are_every_hour_with_every_minute() -> None:
    schedule = rrule("FREQ=DAILY;BYHOUR=17,9;BYMINUTE=30,0", "2026-01-01T09:15:20")
    assert [slot[11:] for slot in locals_of(schedule, "2026-01-02T00:00", "2026-01-03T00:00")] == [
        "09:00", "09:30", "17:00", "17:30",
    ]  # fmt: skip
    assert first(schedule.next(instant("2026-01-01T00:00"))).local == "2026-01-01T09:30:20+00:00"


def test_until_in_utc_and_in_local_time_differ_by_the_offset() -> None:
    start = "2026-01-01T09:00:00"
    local = rrule("FREQ=DAILY;UNTIL=20260105T090000", start, places.TAIPEI)
    utc = rrule("FREQ=DAILY;UNTIL=20260105T005959Z", start, places.TAIPEI)
    after, until = instant("2026-01-01T00:00"), instant("2026-02-01T00:00")
    assert local.count(after, until) == utc.count(after, until) + 1 == 5


def test_an_hourly_rule_keeps_real_hours_where_half_an_hour_is_inserted() -> None:
    schedule = rrule("FREQ=HOURLY", "2026-01-01T00:00:00", places.LORD_HOWE)
    found = places.slots(schedule, "2026-04-04T13:00", "2026-04-04T17:00")
    assert [slot.local[11:] for slot in found] == [
        "01:00:00+11:00", "01:30:00+10:30", "02:30:00+10:30", "03:30:00+10:30",
    ]  # fmt: skip


def test_a_large_count_of_a_plain_cadence_is_resolved_by_arithmetic() -> None:
    schedule = rrule("FREQ=MINUTELY;COUNT=100000000", "2026-01-01T00:00:00")
    last = first(schedule.prev(instant("9000-01-01T00:00")))
    assert last.due_at - instant("2026-01-01T00:00") == 99_999_999 * 60_000_000
    assert isinstance(schedule.next(last.due_at), Exhausted)


@pytest.mark.parametrize(
    ("text", "named", "fix"),
    [
        ("FREQ=SECONDLY", "SECONDLY", "MINUTELY"),
        ("FREQ=FORTNIGHTLY", "'FORTNIGHTLY'", "DAILY"),
        ("INTERVAL=2", "FREQ is missing", "FREQ=DAILY"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1", "BYSETPOS", "1MO"),
        ("FREQ=YEARLY;BYWEEKNO=3", "BYWEEKNO", "BYDAY=MO"),
        ("FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO", "BYWEEKNO", "number"),
        ("FREQ=MONTHLY;BYWEEKNO=3;BYDAY=MO", "BYWEEKNO", "YEARLY"),
        ("FREQ=YEARLY;BYWEEKNO=54;BYDAY=MO", "BYWEEKNO", ""),
        ("FREQ=YEARLY;BYWEEKNO=0;BYDAY=MO", "there is no week 0", "-1"),
        ("FREQ=DAILY;BYYEARDAY=3", "BYYEARDAY", "YEARLY"),
        ("FREQ=YEARLY;BYYEARDAY=367", "BYYEARDAY", ""),
        ("FREQ=MINUTELY;BYSECOND=3", "BYSECOND", "DTSTART"),
        ("FREQ=DAILY;RSCALE=HEBREW", "RSCALE", "leave it out"),
        ("FREQ=MONTHLY;SKIP=BACKWARD", "SKIP", "leave it out"),
        ("FREQ=DAILY;DTSTART=20260101T000000", "DTSTART", "schedule.dtstart"),
        ("FREQ=DAILY;COLOUR=RED", "COLOUR: unknown part", "3.3.10"),
        ("FREQ=DAILY;FREQ=DAILY", "FREQ is given twice", "keep one"),
        ("FREQ=DAILY;BYHOUR=9;BYHOUR=10", "BYHOUR is given twice", "keep one"),
        ("FREQ=DAILY;;BYHOUR=9", "''", "semicolon"),
        ("FREQ=DAILY;BYHOUR", "'BYHOUR'", "semicolon"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL: 0", ""),
        ("FREQ=DAILY;INTERVAL=-1", "INTERVAL: -1", ""),
        ("FREQ=DAILY;INTERVAL=1.5", "'1.5'", ""),
        ("FREQ=DAILY;COUNT=0", "COUNT: 0", ""),
        ("FREQ=DAILY;COUNT=3;UNTIL=20270101T000000Z", "COUNT and UNTIL", "keep one"),
        ("FREQ=DAILY;UNTIL=20270101", "UNTIL", "UNTIL=20270101T235959"),
        ("FREQ=DAILY;UNTIL=20270230T000000", "UNTIL", "20261231"),
        ("FREQ=DAILY;BYHOUR=24", "BYHOUR: 24", ""),
        ("FREQ=DAILY;BYMONTHDAY=0", "day 0", "-1"),
        ("FREQ=DAILY;BYMONTH=13", "BYMONTH: 13", ""),
        ("FREQ=DAILY;BYDAY=1MO", "MONTHLY and YEARLY", "MONTHLY"),
        ("FREQ=MONTHLY;BYDAY=0MO", "number 0", "MO"),
        ("FREQ=MONTHLY;BYDAY=6MO", "at most 5", "smaller"),
        ("FREQ=YEARLY;BYDAY=54MO", "at most 5", "smaller"),
        ("FREQ=MONTHLY;BYDAY=MONDAY", "'MONDAY'", "MO"),
        ("FREQ=WEEKLY;BYMONTHDAY=3", "WEEKLY", "DAILY"),
        ("FREQ=YEARLY;BYMONTHDAY=3", "BYMONTH", "MONTHLY"),
        ("FREQ=WEEKLY;WKST=1", "WKST", "MO"),
        ("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31", "fire", "restriction"),
        ("FREQ=DAILY;INTERVAL=7;BYDAY=TU", "fire", "restriction"),
        ("FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", "fire", "restriction"),
        ("FREQ=HOURLY;INTERVAL=24;BYHOUR=10", "fire", "restriction"),
        ("FREQ=DAILY;UNTIL=20250101T000000Z", "fire", "restriction"),
        ("FREQ=MONTHLY;BYDAY=MO;COUNT=1000000000", "COUNT", "UNTIL"),
    ],
)  # fmt: skip
def test_what_cannot_be_honoured_is_refused_by_name_with_a_way_out(
    text: str, named: str, fix: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        rrule(text, "2026-01-05T09:00:00")
    (fault,) = caught.value.faults
    assert fault.pointer == "/schedule/rrule"
    assert named in fault.message
    assert fix in fault.fix


def test_every_fault_of_a_rule_is_named_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        rrule("FREQ=SECONDLY;INTERVAL=0;BYHOUR=25;FOO=1;BAR", "yesterday")
    assert [fault.message.split(":")[0] for fault in caught.value.faults] == [
        "'BAR' is not NAME=VALUE", "FREQ", "INTERVAL", "BYHOUR", "FOO",
        "'yesterday' is no local time",
    ]  # fmt: skip


def test_a_years_first_week_is_the_same_by_either_number() -> None:
    # Monday 2018-12-31 begins the first of the 52 weeks of 2019.
    by_one = rrule("FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO", "2018-06-01T09:00:00")
    by_back = rrule("FREQ=YEARLY;BYWEEKNO=-52;BYDAY=MO", "2018-06-01T09:00:00")
    span = ("2018-06-01T00:00", "2020-01-01T00:00")
    assert locals_of(by_one, *span) == ["2018-12-31T09:00", "2019-12-30T09:00"]
    assert locals_of(by_back, *span)[0] == "2018-12-31T09:00"


def test_days_of_the_year_narrow_faster_rules_too() -> None:
    rule = rrule("FREQ=HOURLY;INTERVAL=12;BYYEARDAY=1,-1", "2026-01-01T00:00:00")
    found = locals_of(rule, "2025-12-31T23:59", "2027-12-31T23:59")
    days = ["2026-01-01", "2026-12-31", "2027-01-01", "2027-12-31"]
    assert found == [f"{day}T{hour}:00" for day in days for hour in ("00", "12")]
