"""Reading a definition's schedule: what people write, what it becomes, what is refused."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.errors import Fault, ValidationError
from duly.model.instant import SECOND_US, Instant
from duly.model.timing import CronRule, OnceInstant, OnceLocal, RruleRule, RuleSpec
from duly.recurrence.read import carry_dtstart, named_zone, read_rule
from duly.recurrence.schedule import compile_rule
from tests.recurrence import places
from tests.recurrence.places import first, instant

CREATED = instant("2026-06-03T14:37:22-04:00")  # a Wednesday


def read(previous: RuleSpec | None = None, **schedule: object) -> RuleSpec:
    return read_rule(schedule, zone=places.NEW_YORK, created_at=CREATED, previous=previous)


def dtstart(previous: RuleSpec | None = None, **schedule: object) -> str:
    rule = read(previous, **schedule)
    assert isinstance(rule, RruleRule)
    return rule.dtstart


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FREQ=DAILY", "2026-06-03T14:37:00"),
        ("FREQ=MINUTELY", "2026-06-03T14:37:00"),
        ("FREQ=DAILY;BYHOUR=9", "2026-06-03T14:00:00"),
        ("FREQ=HOURLY;BYMINUTE=0,30", "2026-06-03T14:37:00"),
        ("FREQ=WEEKLY;BYDAY=MO", "2026-06-03T00:00:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=1", "2026-06-03T00:00:00"),
        ("FREQ=YEARLY;BYMONTH=1", "2026-06-03T00:00:00"),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9", "2026-06-03T14:00:00"),
    ],
)
def test_without_dtstart_a_rule_starts_at_its_creation_cut_below_its_finest_part(
    text: str, expected: str
) -> None:
    assert dtstart(rrule=text) == expected


def test_counting_begins_with_the_first_slot_after_the_creation() -> None:
    # 9:00 today is over: it must not use up one of three.
    rule = read(rrule="FREQ=DAILY;BYHOUR=9;COUNT=3")
    assert rule == RruleRule(text="FREQ=DAILY;BYHOUR=9;COUNT=3", dtstart="2026-06-04T09:00:00")
    schedule = compile_rule(rule, places.NEW_YORK)
    assert schedule.count(CREATED, instant("2030-01-01T00:00")) == 3
    assert dtstart(rrule="FREQ=DAILY;INTERVAL=2;BYHOUR=9;COUNT=3") == "2026-06-05T09:00:00"


def test_case_d09_a_rule_without_minutes_fires_at_the_full_hour_for_a_year() -> None:
    schedule = compile_rule(read(rrule="FREQ=DAILY;BYHOUR=9"), places.NEW_YORK)
    at, times = CREATED, []
    for _ in range(365):
        slot = first(schedule.next(at))
        times.append(slot.local[11:19])
        at = Instant(slot.due_at + 30 * SECOND_US)
    assert set(times) == {"09:00:00"}
    assert slot.local[:10] == "2027-06-03"


def test_case_d06_once_at_a_local_time_in_winter_is_that_local_time() -> None:
    rule = read(once="2026-12-25 08:00")
    assert rule == OnceLocal(local="2026-12-25T08:00:00")
    slot = first(compile_rule(rule, places.NEW_YORK).next(CREATED))
    assert slot.local == "2026-12-25T08:00:00-05:00"
    assert slot.key == "2026-12-25T08:00:00[America/New_York]"


def test_once_with_an_offset_is_an_instant() -> None:
    due = instant("2026-12-25T00:00:00")
    assert read(once="2026-12-25T08:00:00+08:00") == OnceInstant(due_at=due)
    assert read(once="2026-12-25T00:00Z") == OnceInstant(due_at=due)
    slot = first(compile_rule(OnceInstant(due_at=due), places.NEW_YORK).next(CREATED))
    assert slot.key == "2026-12-25T00:00:00Z"


def test_once_in_a_gap_is_moved_and_marked_and_in_the_past_is_left_to_policy() -> None:
    moved = first(compile_rule(read(once="2027-03-14T02:30"), places.NEW_YORK).next(CREATED))
    assert moved.local == "2027-03-14T03:30:00-04:00"
    assert [mark.value for mark in moved.marks] == ["moved_by_gap"]
    assert read(once="2020-01-01 00:00") == OnceLocal(local="2020-01-01T00:00:00")


def test_cron_is_kept_as_written_but_for_spaces() -> None:
    assert read(cron="  0   9 * *  MON-FRI ") == CronRule(text="0 9 * * MON-FRI")


SHANGHAI_TEXT = "DTSTART;TZID=Asia/Shanghai:20260301T190000\nRRULE:FREQ=DAILY;BYHOUR=19"


def test_case_d01_a_zone_inside_the_rule_is_the_zone_of_the_automation() -> None:
    schedule = {"rrule": SHANGHAI_TEXT}
    assert named_zone(schedule) == "Asia/Shanghai"
    rule = read_rule(schedule, zone=places.SHANGHAI, created_at=CREATED)
    assert rule == RruleRule(text="FREQ=DAILY;BYHOUR=19", dtstart="2026-03-01T19:00:00")
    slot = first(compile_rule(rule, places.SHANGHAI).next(CREATED))
    assert slot.local == "2026-06-04T19:00:00+08:00"
    with pytest.raises(ValidationError, match="Asia/Shanghai"):
        read_rule(schedule, zone=places.NEW_YORK, created_at=CREATED)


@pytest.mark.parametrize(
    ("schedule", "name"),
    [
        ({"cron": "0 9 * * *"}, None),
        ({"rrule": "FREQ=DAILY"}, None),
        ({"rrule": "FREQ=DAILY", "timezone": "Asia/Taipei"}, "Asia/Taipei"),
        ({"rrule": SHANGHAI_TEXT, "timezone": "Asia/Shanghai"}, "Asia/Shanghai"),
        ({"rrule": "RRULE:FREQ=DAILY\r\nDTSTART:20260301T190000Z"}, "UTC"),
        ({"rrule": "DTSTART:20260301T190000\nFREQ=DAILY"}, None),
    ],
)
def test_a_schedule_names_its_zone_once(schedule: Mapping[str, object], name: str | None) -> None:
    assert named_zone(schedule) == name


@pytest.mark.parametrize(
    ("schedule", "pointer", "named"),
    [
        ({"rrule": SHANGHAI_TEXT, "timezone": "Asia/Taipei"}, "/schedule/timezone", "Shanghai"),
        ({"cron": "0 9 * * *", "timezone": 8}, "/schedule/timezone", "not text"),
    ],
)
def test_two_zones_or_no_name_are_refused(
    schedule: Mapping[str, object], pointer: str, named: str
) -> None:
    with pytest.raises(ValidationError, match=named) as caught:
        named_zone(schedule)
    assert caught.value.faults[0].pointer == pointer


@pytest.mark.parametrize(
    ("schedule", "pointer", "named"),
    [
        ({}, "/schedule", "no rule"),
        ({"cron": "0 9 * * *", "once": "2026-12-25 08:00"}, "/schedule", "cron and once"),
        ({"when": "every day"}, "/schedule/when", "not supported yet"),
        ({"rrule": "FREQ=DAILY", "rdate": ["x"]}, "/schedule/rdate", "not supported yet"),
        ({"rrule": "FREQ=DAILY", "exdate": ["x"]}, "/schedule/exdate", "not supported yet"),
        ({"cron": "0 9 * * *", "dtstart": "2026-01-01T00:00"}, "/schedule/dtstart", "rrule only"),
        ({"cron": 5}, "/schedule/cron", "not text"),
        ({"rrule": "FREQ=DAILY", "dtstart": "2026-01-01"}, "/schedule/dtstart", "no local time"),
        ({"rrule": "FREQ=DAILY", "dtstart": "2026-01-01T00:00Z"}, "/schedule/dtstart", "local"),
        ({"rrule": "FREQ=DAILY", "dtstart": 5}, "/schedule/dtstart", "no local time"),
        ({"rrule": "DTSTART:20260101T000000\nFREQ=DAILY", "dtstart": "2026-01-02T00:00"},
         "/schedule/dtstart", "differ"),
        ({"rrule": "DTSTART:20261301T000000\nFREQ=DAILY"}, "/schedule/dtstart", "no local time"),
        ({"rrule": "DTSTART;VALUE=DATE:20260101\nFREQ=DAILY"}, "/schedule/rrule", "DTSTART"),
        ({"rrule": "FREQ=DAILY\nEXRULE:FREQ=WEEKLY"}, "/schedule/rrule", "EXRULE"),
        ({"rrule": "FREQ=DAILY\nEXDATE:20260101T000000"}, "/schedule/rrule", "EXDATE"),
        ({"rrule": "FREQ=DAILY\nRDATE:20260101T000000"}, "/schedule/rrule", "RDATE"),
        ({"rrule": "FREQ=DAILY\nRRULE:FREQ=WEEKLY"}, "/schedule/rrule", "more than one"),
        ({"rrule": "DTSTART:20260101T000000"}, "/schedule/rrule", "no rule"),
        ({"rrule": ""}, "/schedule/rrule", "no rule"),
        ({"rrule": "X" * 3_000}, "/schedule/rrule", "too long"),
        ({"cron": "0 " * 3_000}, "/schedule/cron", "long"),
        ({"once": "tomorrow"}, "/schedule/once", "no local time"),
        ({"once": "2026-12-25"}, "/schedule/once", "no local time"),
        ({"once": "2026-02-30 08:00"}, "/schedule/once", "no local time"),
        ({"once": "2026-12-25T08:00+0800"}, "/schedule/once", "no local time"),
        ({"once": "2026-12-25T08:00+99:00"}, "/schedule/once", "no local time"),
        ({"once": "1850-12-25T08:00"}, "/schedule/once", "no local time"),
    ],
)  # fmt: skip
def test_what_is_no_schedule_is_refused_at_its_place(
    schedule: Mapping[str, object], pointer: str, named: str
) -> None:
    with pytest.raises(ValidationError, match=named) as caught:
        read_rule(schedule, zone=places.NEW_YORK, created_at=CREATED)
    assert caught.value.faults[0].pointer == pointer


def test_an_instant_with_a_fraction_is_no_slot() -> None:
    with pytest.raises(ValidationError, match="whole second"):
        compile_rule(OnceInstant(due_at=Instant(1)), places.UTC)


OLD = RruleRule(text="FREQ=DAILY;INTERVAL=2", dtstart="2026-01-01T09:15:00")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FREQ=DAILY;INTERVAL=2", "2026-01-01T09:15:00"),
        ("FREQ=DAILY;INTERVAL=2;BYHOUR=7", "2026-01-01T09:00:00"),
        ("INTERVAL=2;FREQ=DAILY;BYDAY=MO,TU", "2026-01-01T00:00:00"),
        ("FREQ=DAILY;INTERVAL=2;UNTIL=20270101T000000", "2026-01-01T09:15:00"),
        ("FREQ=DAILY;INTERVAL=3", "2026-06-03T14:37:00"),
        ("FREQ=WEEKLY;INTERVAL=2", "2026-06-03T14:37:00"),
        ("FREQ=DAILY;INTERVAL=2;COUNT=5", "2026-06-05T14:37:00"),
    ],
)
def test_the_date_of_dtstart_survives_every_edit_but_of_frequency_interval_and_count(
    text: str, expected: str
) -> None:
    assert dtstart(OLD, rrule=text) == expected


def test_a_given_dtstart_wins_over_a_carried_one_and_other_kinds_carry_nothing() -> None:
    text = "FREQ=DAILY;INTERVAL=2"
    assert dtstart(OLD, rrule=text, dtstart="2026-02-02 10:00") == "2026-02-02T10:00:00"
    assert dtstart(CronRule(text="0 9 * * *"), rrule=text) == "2026-06-03T14:37:00"
    new = RruleRule(text=text, dtstart="2026-06-03T14:37:00")
    assert carry_dtstart(OLD, new, places.UTC) == OLD


HOSTILE = st.text(
    st.sampled_from("FREQ=DAILY;BYMONTHINTERVAL=0123456789,-+*/ LW#HZT:\n\t\x00٣é🕘"), max_size=80
)


@given(HOSTILE | st.text(max_size=60), st.sampled_from(["rrule", "cron", "once"]))
def test_no_text_gets_anything_but_a_rule_or_a_list_of_faults(text: str, kind: str) -> None:
    faults = faults_of({kind: text})
    for fault in faults:
        assert fault.pointer.startswith("/schedule")
        assert len(fault.message) < 300
        assert fault.message.isprintable()


def faults_of(schedule: Mapping[str, object]) -> Sequence[Fault]:
    try:
        rule = read_rule(schedule, zone=places.NEW_YORK, created_at=CREATED)
    except ValidationError as error:
        return error.faults
    compile_rule(rule, places.NEW_YORK)
    return ()
