"""Where local clocks are changed: one reading for wall times, real cadence for elapsed ones."""

from datetime import date, timedelta

import pytest

from duly.model.zone import Zone
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Mark
from tests.recurrence import places
from tests.recurrence.places import cron, locals_of, rrule, slots

DAILY = "FREQ=DAILY;BYHOUR={};BYMINUTE={}"


def test_case_d01_a_start_in_shanghai_fires_at_19_in_shanghai() -> None:
    schedule = rrule("FREQ=DAILY;BYHOUR=19", "2026-03-01T19:00:00", places.SHANGHAI)
    found = slots(schedule, "2026-03-31T12:00", "2026-04-02T12:00")
    assert [slot.local for slot in found] == [
        "2026-04-01T19:00:00+08:00",
        "2026-04-02T19:00:00+08:00",
    ]
    assert [slot.key for slot in found] == [
        "2026-04-01T19:00:00[Asia/Shanghai]",
        "2026-04-02T19:00:00[Asia/Shanghai]",
    ]


@pytest.mark.parametrize(
    ("minute", "hour", "key", "due", "marks"),
    [
        (30, 1, "2026-03-08T01:30:00", "2026-03-08T06:30", ()),
        (30, 2, "2026-03-08T03:30:00", "2026-03-08T07:30", (Mark.MOVED_BY_GAP,)),
        (30, 1, "2026-11-01T01:30:00", "2026-11-01T05:30", (Mark.REPEATED_HOUR,)),
        (30, 2, "2026-11-01T02:30:00", "2026-11-01T07:30", ()),
    ],
)
def test_case_d02_a_daily_rule_fires_once_on_both_transition_days(
    minute: int, hour: int, key: str, due: str, marks: tuple[Mark, ...]
) -> None:
    for schedule in (
        rrule(DAILY.format(hour, minute), "2026-01-01T00:00:00", places.NEW_YORK),
        cron(f"{minute} {hour} * * *", places.NEW_YORK),
    ):
        day = key[:10]
        found = slots(schedule, f"{day}T00:00-05:00", f"{day}T23:59-05:00")
        assert [(slot.key, slot.due_at, slot.marks) for slot in found] == [
            (f"{key}[America/New_York]", places.instant(due), marks)
        ]


@pytest.mark.parametrize(
    "schedule",
    [
        cron("*/30 * * * *", places.NEW_YORK),
        rrule("FREQ=MINUTELY;INTERVAL=30", "2026-01-01T00:00:00", places.NEW_YORK),
        rrule("FREQ=HOURLY;BYMINUTE=0,30", "2026-01-01T00:00:00", places.NEW_YORK),
    ],
    ids=["cron", "minutely", "hourly"],
)
def test_case_d03_every_half_hour_fires_every_real_half_hour(schedule: Schedule) -> None:
    found = slots(schedule, "2026-11-01T04:00", "2026-11-01T08:00")
    assert [slot.key[11:16] for slot in found] == [
        "04:30", "05:00", "05:30", "06:00", "06:30", "07:00", "07:30", "08:00",
    ]  # fmt: skip
    assert [slot.local[11:16] for slot in found][1:5] == ["01:00", "01:30", "01:00", "01:30"]
    assert [slot.marks for slot in found][1:5] == [
        *[(Mark.REPEATED_HOUR,)] * 2,
        *[(Mark.REPEATED_HOUR_AGAIN,)] * 2,
    ]
    assert len({slot.key for slot in found}) == len(found)


@pytest.mark.parametrize("interval", [1, 2, 3])
def test_case_d03_hours_that_shift_by_thirty_minutes_lose_no_half_hour(interval: int) -> None:
    text = f"FREQ=HOURLY;INTERVAL={interval};BYMINUTE=0,30"
    schedule = rrule(text, "2026-01-01T00:45:00", places.LORD_HOWE)
    # Lord Howe goes back from +11:00 to +10:30 on 2026-04-04 at 15:00 UTC.
    found = slots(schedule, "2026-04-04T00:00", "2026-04-06T00:00")
    assert len(found) == 96 / interval


@pytest.mark.parametrize(
    ("zone", "after", "until", "hour", "minute", "expected"),
    [
        # 30 minutes forward: 02:00 becomes 02:30.
        (places.LORD_HOWE, "2026-10-02T12:00", "2026-10-05T12:00", 2, 15,
         ["2026-10-03T02:15", "2026-10-04T02:45", "2026-10-05T02:15"]),
        # 30 minutes back: 01:30 to 02:00 happens twice.
        (places.LORD_HOWE, "2026-04-03T12:00", "2026-04-06T12:00", 1, 45,
         ["2026-04-04T01:45", "2026-04-05T01:45", "2026-04-06T01:45"]),
        # Midnight itself is skipped.
        (places.SANTIAGO, "2026-09-05T00:00", "2026-09-07T12:00", 0, 15,
         ["2026-09-05T00:15", "2026-09-06T01:15", "2026-09-07T00:15"]),
        (places.SANTIAGO, "2026-04-03T12:00", "2026-04-05T12:00", 23, 30,
         ["2026-04-03T23:30", "2026-04-04T23:30"]),
        # 30 December 2011 never was: its slot is the 31st's.
        (places.APIA, "2011-12-28T12:00", "2012-01-01T12:00", 9, 0,
         ["2011-12-28T09:00", "2011-12-29T09:00", "2011-12-31T09:00", "2012-01-01T09:00"]),
        (places.LONDON, "2026-03-28T00:00", "2026-03-30T12:00", 1, 30,
         ["2026-03-28T01:30", "2026-03-29T02:30", "2026-03-30T01:30"]),
        (places.LONDON, "2026-10-24T00:00", "2026-10-26T12:00", 1, 30,
         ["2026-10-24T01:30", "2026-10-25T01:30", "2026-10-26T01:30"]),
    ],
)  # fmt: skip
def test_case_d04_every_local_day_fires_once(
    zone: Zone, after: str, until: str, hour: int, minute: int, expected: list[str]
) -> None:
    for schedule in (
        rrule(DAILY.format(hour, minute), "2011-01-01T00:00:00", zone),
        cron(f"{minute} {hour} * * *", zone),
    ):
        assert locals_of(schedule, after, until) == expected


def test_case_d04_a_rule_for_the_skipped_day_alone_fires_on_the_next() -> None:
    schedule = rrule("FREQ=MONTHLY;BYMONTHDAY=30", "2011-11-01T09:00:00", places.APIA)
    found = slots(schedule, "2011-12-01T00:00", "2012-01-30T12:00")
    assert [slot.local[:16] for slot in found] == ["2011-12-31T09:00", "2012-01-30T09:00"]
    assert found[0].marks == (Mark.MOVED_BY_GAP,)
    back = schedule.prev(places.instant("2012-01-20T00:00"))
    assert back == found[0]


def test_case_d05_a_25_hour_day_fires_once() -> None:
    schedule = rrule(DAILY.format(0, 10), "2026-01-01T00:00:00", places.NEW_YORK)
    assert locals_of(schedule, "2026-10-31T12:00", "2026-11-02T12:00") == [
        "2026-11-01T00:10",
        "2026-11-02T00:10",
    ]


def test_readings_that_a_gap_moves_onto_others_are_one_slot_in_order_of_instants() -> None:
    schedule = cron("0,30 2,3 8 3 *", places.NEW_YORK)
    found = slots(schedule, "2026-03-07T00:00", "2026-03-09T00:00")
    assert [slot.local for slot in found] == [
        "2026-03-08T03:00:00-04:00",
        "2026-03-08T03:30:00-04:00",
    ]
    assert all(slot.marks == () for slot in found)
    keys = [slot.key for slot in found]
    assert keys == sorted(keys)


def test_elapsed_cron_leaves_out_times_that_do_not_exist_and_fires_in_both_passes() -> None:
    schedule = cron("*/30 1-2 * * *", places.NEW_YORK)
    spring = slots(schedule, "2026-03-08T00:00-05:00", "2026-03-08T12:00-04:00")
    autumn = slots(schedule, "2026-11-01T00:00-04:00", "2026-11-01T12:00-05:00")
    assert [slot.local[11:16] for slot in spring] == ["01:00", "01:30"]
    assert [slot.local[11:16] for slot in autumn] == [
        "01:00", "01:30", "01:00", "01:30", "02:00", "02:30",
    ]  # fmt: skip


def test_a_day_that_a_fold_cuts_in_two_keeps_both_parts() -> None:
    # St John's went back from 00:01 to 23:01: the last hour of Saturday happened twice.
    schedule = rrule(
        "FREQ=MINUTELY;INTERVAL=15;BYDAY=SA", "2000-01-01T00:00:00", places.ZONE["America/St_Johns"]
    )
    found = slots(schedule, "2005-10-30T01:00", "2005-10-30T06:00")
    assert [slot.local[11:16] for slot in found] == [
        "22:45", "23:00", "23:15", "23:30", "23:45", "23:15", "23:30", "23:45",
    ]  # fmt: skip


@pytest.mark.parametrize("zone", places.ZONE.values(), ids=places.ZONE.keys())
def test_a_daily_rule_fires_once_on_every_local_day_of_ten_years(zone: Zone) -> None:
    schedule = rrule("FREQ=DAILY;BYHOUR=2;BYMINUTE=15", "2000-01-01T00:00:00", zone)
    found = slots(schedule, "2005-01-01T16:00", "2015-01-01T16:00", limit=5_000)
    days = [date.fromisoformat(slot.local[:10]) for slot in found]
    every = [days[0] + timedelta(days=number) for number in range(3_660)]
    skipped = date(2011, 12, 30) if zone is places.APIA else None
    assert days == [day for day in every if day != skipped and day <= days[-1]]
    assert days[-1] >= date(2015, 1, 1)
    assert [slot.key for slot in found] == sorted(slot.key for slot in found)
