"""Windows: keys, spans, and the windows that people name."""

import pytest

from duly.model.errors import ValidationError
from duly.model.instant import to_text
from duly.model.timing import Covers, OnceLocal, Period, StrftimePeriod, Window, WindowRule
from duly.model.zone import Zone
from duly.recurrence.schedule import Schedule, compile_rule
from duly.recurrence.slot import Slot
from duly.recurrence.window import check_window, current_window, named_window, window_of
from tests.recurrence import places
from tests.recurrence.places import cron, first, instant, rrule, slots

DAILY = cron("0 9 * * *", places.NEW_YORK)


def rule(period: Period | str, covers: str = "current") -> WindowRule:
    named = StrftimePeriod(pattern=period) if isinstance(period, str) else period
    return WindowRule(period=named, covers=Covers(covers))


def span(window: Window) -> tuple[str, str]:
    return to_text(window.span_start), to_text(window.span_end)


def at(schedule: Schedule, local: str) -> Slot:
    slot = first(schedule.next(instant(local) - 1))  # type: ignore[arg-type]
    assert slot.due_at == instant(local)
    return slot


@pytest.mark.parametrize(
    ("period", "covers", "key", "start", "end"),
    [
        (Period.DAY, "current", "2026-09-16", "2026-09-16T04:00:00Z", "2026-09-16T13:00:00Z"),
        (Period.DAY, "previous", "2026-09-16", "2026-09-15T04:00:00Z", "2026-09-16T04:00:00Z"),
        (Period.DAY, "since_last_slot", "2026-09-16", "2026-09-15T13:00:00Z", "2026-09-16T13:00:00Z"),
        (Period.WEEK, "current", "2026-W38", "2026-09-14T04:00:00Z", "2026-09-16T13:00:00Z"),
        (Period.WEEK, "previous", "2026-W38", "2026-09-07T04:00:00Z", "2026-09-14T04:00:00Z"),
        (Period.MONTH, "current", "2026-09", "2026-09-01T04:00:00Z", "2026-09-16T13:00:00Z"),
        (Period.MONTH, "previous", "2026-09", "2026-08-01T04:00:00Z", "2026-09-01T04:00:00Z"),
        (Period.HOUR, "previous", "2026-09-16T09", "2026-09-16T12:00:00Z", "2026-09-16T13:00:00Z"),
        (Period.SLOT, "current", "2026-09-16T1300Z", "2026-09-15T13:00:00Z", "2026-09-16T13:00:00Z"),
        (Period.SLOT, "previous", "2026-09-16T1300Z", "2026-09-14T13:00:00Z", "2026-09-15T13:00:00Z"),
        ("%Y", "current", "2026", "2026-01-01T05:00:00Z", "2026-09-16T13:00:00Z"),
        ("%Y", "previous", "2026", "2025-01-01T05:00:00Z", "2026-01-01T05:00:00Z"),
        ("day-%j.%Y", "current", "day-259.2026", "2026-09-16T04:00:00Z", "2026-09-16T13:00:00Z"),
        ("%Y%m%dT%H%M", "previous", "20260916T0900", "2026-09-16T12:59:00Z", "2026-09-16T13:00:00Z"),
    ],
)  # fmt: skip
def test_a_key_names_the_period_of_the_slot_and_covers_says_what_is_read(
    period: Period | str, covers: str, key: str, start: str, end: str
) -> None:
    window = window_of(rule(period, covers), at(DAILY, "2026-09-16T09:00-04:00"), DAILY)
    assert window.key == key
    assert span(window) == (start, end)


@pytest.mark.parametrize(
    ("zone", "slot_at", "start", "hours"),
    [
        (places.NEW_YORK, "2026-03-09T09:00-04:00", "2026-03-08T05:00:00Z", 23),
        (places.NEW_YORK, "2026-11-02T09:00-05:00", "2026-11-01T04:00:00Z", 25),
        (places.SANTIAGO, "2026-09-07T09:00-03:00", "2026-09-06T04:00:00Z", 23),
        (places.LORD_HOWE, "2026-04-06T09:00+10:30", "2026-04-04T13:00:00Z", 24.5),
        (places.APIA, "2011-12-31T09:00+14:00", "2011-12-29T10:00:00Z", 24),
    ],
)
def test_the_previous_day_is_as_long_as_the_local_day_was(
    zone: Zone, slot_at: str, start: str, hours: float
) -> None:
    schedule = cron("0 9 * * *", zone)
    window = window_of(rule(Period.DAY, "previous"), at(schedule, slot_at), schedule)
    assert to_text(window.span_start) == start
    assert window.span_end - window.span_start == hours * 3_600_000_000


def test_iso_weeks_belong_to_the_year_of_their_thursday() -> None:
    weekly = cron("0 9 * * 5")
    keys = [
        window_of(rule(Period.WEEK), slot, weekly).key
        for slot in slots(weekly, "2026-12-24T00:00", "2027-01-09T00:00")
    ]
    assert keys == ["2026-W52", "2026-W53", "2027-W01"]


def test_the_passes_of_a_repeated_hour_have_windows_of_their_own() -> None:
    schedule = cron("30 * * * *", places.NEW_YORK)
    windows = [
        window_of(rule(Period.HOUR), slot, schedule)
        for slot in slots(schedule, "2026-11-01T04:00", "2026-11-01T08:00")
    ]
    assert [window.key for window in windows] == [
        "2026-11-01T00", "2026-11-01T01", "2026-11-01T01-05:00", "2026-11-01T02",
    ]  # fmt: skip
    assert [span(window)[0][11:16] for window in windows] == ["04:00", "05:00", "06:00", "07:00"]


def test_windows_of_slots_are_unique_through_the_repeated_hour() -> None:
    schedule = cron("*/15 * * * *", places.LORD_HOWE)
    found = slots(schedule, "2026-04-04T12:00", "2026-04-04T18:00")
    keys = [window_of(rule(Period.SLOT), slot, schedule).key for slot in found]
    assert len(set(keys)) == len(keys) == 24


@pytest.mark.parametrize(
    ("schedule", "slot_at", "start"),
    [
        # Nothing came before: as far back as the next two slots lie apart.
        (rrule("FREQ=WEEKLY", "2026-09-16T09:00:00"), "2026-09-16T09:00", "2026-09-09T09:00:00Z"),
        # Nor does anything come later: the local day so far.
        (rrule("FREQ=DAILY;COUNT=1", "2026-09-16T09:00:00"), "2026-09-16T09:00",
         "2026-09-16T00:00:00Z"),
        (compile_rule(OnceLocal(local="2026-09-16T00:00:00"), places.UTC), "2026-09-16T00:00",
         "2026-09-15T00:00:00Z"),
    ],
)  # fmt: skip
def test_a_first_slot_reads_a_sensible_span(schedule: Schedule, slot_at: str, start: str) -> None:
    for covers in (rule(Period.SLOT), rule(Period.DAY, "since_last_slot")):
        window = window_of(covers, at(schedule, slot_at), schedule)
        assert to_text(window.span_start) == start


def test_a_manual_run_means_the_current_window() -> None:
    now = instant("2026-09-16T10:00-04:00")
    timer = window_of(rule(Period.DAY), at(DAILY, "2026-09-16T09:00-04:00"), DAILY)
    manual = current_window(rule(Period.DAY), now, places.NEW_YORK, DAILY, "m-1")
    assert manual.key == timer.key
    assert span(manual) == ("2026-09-16T04:00:00Z", "2026-09-16T14:00:00Z")


def test_a_manual_run_of_a_slot_rule_has_a_window_of_its_own() -> None:
    now = instant("2026-09-16T10:00-04:00")
    window = current_window(rule(Period.SLOT), now, places.NEW_YORK, DAILY, "m-1")
    assert window.key == "m-1"
    assert span(window) == ("2026-09-16T13:00:00Z", "2026-09-16T14:00:00Z")


def test_an_automation_without_a_schedule_has_windows_too() -> None:
    now = instant("2026-09-16T10:00-04:00")
    day = current_window(rule(Period.DAY), now, places.NEW_YORK, None, "m-1")
    since = current_window(rule(Period.DAY, "since_last_slot"), now, places.NEW_YORK, None, "m-1")
    slot = current_window(rule(Period.SLOT), now, places.NEW_YORK, None, "m-1")
    assert day.key == since.key == "2026-09-16"
    assert slot.key == "m-1"
    assert (
        span(day) == span(since) == span(slot) == ("2026-09-16T04:00:00Z", "2026-09-16T14:00:00Z")
    )


@pytest.mark.parametrize("now", ["2026-09-18T22:00", "2026-09-18T23:00", "2026-09-19T00:05"])
@pytest.mark.parametrize("period", [Period.SLOT, Period.DAY])
def test_case_a23_a_once_rule_has_its_one_window_before_and_after_its_slot(
    now: str, period: Period
) -> None:
    once = compile_rule(OnceLocal(local="2026-09-18T23:00:00"), places.UTC)
    timer = window_of(rule(period), at(once, "2026-09-18T23:00"), once)
    manual = current_window(rule(period), instant(now), places.UTC, once, "m-1")
    named = named_window(rule(period), timer.key, instant(now), places.UTC, once)
    assert manual == named
    assert manual.key == timer.key
    assert manual.span_end == min(timer.span_end, instant(now))


@pytest.mark.parametrize(
    ("period", "covers", "key", "start", "end"),
    [
        (Period.DAY, "current", "2026-09-14", "2026-09-14T04:00:00Z", "2026-09-15T04:00:00Z"),
        (Period.DAY, "previous", "2026-09-14", "2026-09-13T04:00:00Z", "2026-09-14T04:00:00Z"),
        (Period.DAY, "since_last_slot", "2026-09-14", "2026-09-13T13:00:00Z", "2026-09-14T13:00:00Z"),
        (Period.DAY, "current", "2026-09-16", "2026-09-16T04:00:00Z", "2026-09-16T14:00:00Z"),
        (Period.WEEK, "current", "2026-W37", "2026-09-07T04:00:00Z", "2026-09-14T04:00:00Z"),
        (Period.WEEK, "current", "2026-W38", "2026-09-14T04:00:00Z", "2026-09-16T14:00:00Z"),
        (Period.MONTH, "current", "2026-08", "2026-08-01T04:00:00Z", "2026-09-01T04:00:00Z"),
        (Period.HOUR, "current", "2026-09-16T09", "2026-09-16T13:00:00Z", "2026-09-16T14:00:00Z"),
        (Period.HOUR, "current", "2025-11-02T01", "2025-11-02T05:00:00Z", "2025-11-02T06:00:00Z"),
        (Period.HOUR, "current", "2025-11-02T01-05:00", "2025-11-02T06:00:00Z", "2025-11-02T07:00:00Z"),
        (Period.SLOT, "current", "2026-09-14T1300Z", "2026-09-13T13:00:00Z", "2026-09-14T13:00:00Z"),
        (Period.SLOT, "current", "2026-09-14 09:00", "2026-09-13T13:00:00Z", "2026-09-14T13:00:00Z"),
        ("%G-W%V", "current", "2026-W37", "2026-09-07T04:00:00Z", "2026-09-14T04:00:00Z"),
        ("%Y-%m-%d", "current", "2026-09-14", "2026-09-14T04:00:00Z", "2026-09-15T04:00:00Z"),
    ],
)  # fmt: skip
def test_a_person_may_name_any_past_or_current_window(
    period: Period | str, covers: str, key: str, start: str, end: str
) -> None:
    now = instant("2026-09-16T10:00-04:00")
    window = named_window(rule(period, covers), key, now, places.NEW_YORK, DAILY)
    assert span(window) == (start, end)
    assert window.key == ("2026-09-14T1300Z" if key == "2026-09-14 09:00" else key)


@pytest.mark.parametrize(
    ("period", "key", "fix"),
    [
        (Period.DAY, "2026-09-17", "2026-09-16"),
        (Period.DAY, "2026-9-16", "2026-09-16"),
        (Period.DAY, "2026-02-30", "2026-09-16"),
        (Period.DAY, "yesterday", "2026-09-16"),
        (Period.DAY, "2026-W38", "2026-09-16"),
        (Period.WEEK, "2026-W39", "2026-W38"),
        (Period.WEEK, "2026-W60", "2026-W38"),
        (Period.MONTH, "2026-10", "2026-09"),
        (Period.HOUR, "2026-03-08T02", "2026-03-08T"),
        (Period.HOUR, "2026-09-16T09-05:00", "2026-09-16T"),
        (Period.SLOT, "2026-09-17T1300Z", "2026-09-16T1300Z"),
        (Period.SLOT, "2026-09-14T1301Z", "2026-09-16T1300Z"),
        (Period.SLOT, "2026-13-14T1301Z", "2026-09-16T1300Z"),
        (Period.SLOT, "\x00" * 5_000, "2026-09-16T1300Z"),
    ],
)
def test_a_window_that_is_none_or_has_not_begun_is_refused(
    period: Period, key: str, fix: str
) -> None:
    now = instant("2026-09-16T10:00-04:00")
    with pytest.raises(ValidationError) as caught:
        named_window(rule(period), key, now, places.NEW_YORK, DAILY)
    assert fix in caught.value.faults[0].fix
    assert len(caught.value.message) < 300


def test_a_slot_cannot_be_named_without_a_schedule_nor_another_window_for_once() -> None:
    now = instant("2026-09-16T10:00")
    with pytest.raises(ValidationError):
        named_window(rule(Period.SLOT), "2026-09-14T1300Z", now, places.UTC, None)
    once = compile_rule(OnceLocal(local="2026-09-18T23:00:00"), places.UTC)
    with pytest.raises(ValidationError, match="not the window"):
        named_window(rule(Period.SLOT), "2026-09-18T2200Z", now, places.UTC, once)
    empty = rrule("FREQ=DAILY", "2026-09-20T09:00:00")
    with pytest.raises(ValidationError) as caught:
        named_window(rule(Period.SLOT), "2026-09-14T1300Z", now, places.UTC, empty)
    assert caught.value.faults[0].fix == "no slot has passed yet"


@pytest.mark.parametrize(
    "pattern",
    ["", "report", "%d", "%Y-%d", "%m", "%H", "%V", "%Y-W%V", "%Y-%m-%d-%A", "%Y/%m", "%Y-%m%",
     "%Y:%m", "%y-%m-%d", "%Y %m", "%Y-%m-%d-%d", "%Y" * 40, "%Y-%m\n"],
)  # fmt: skip
def test_a_pattern_that_does_not_name_one_period_is_refused(pattern: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check_window(rule(pattern))
    assert caught.value.faults[0].pointer == "/window/period"


@pytest.mark.parametrize("period", [*Period, StrftimePeriod(pattern="%Y-%jT%H")])
@pytest.mark.parametrize("covers", Covers)
@pytest.mark.parametrize("zone", places.ZONE.values(), ids=places.ZONE.keys())
def test_no_span_reaches_past_its_slot_or_runs_backwards(
    zone: Zone, covers: Covers, period: Period | StrftimePeriod
) -> None:
    windows = WindowRule(period=period, covers=covers)
    for text in ("*/20 * * * *", "20 0,1,2,23 * * *"):
        schedule = cron(text, zone)
        for day in ("2026-03-29", "2026-11-01", "2026-04-05", "2026-09-06"):
            for slot in slots(schedule, f"{day}T00:00", f"{day}T06:00"):
                window = window_of(windows, slot, schedule)
                assert window.span_start <= window.span_end <= slot.due_at


@pytest.mark.parametrize("period", [Period.DAY, Period.WEEK, Period.MONTH, Period.HOUR, "%Y"])
@pytest.mark.parametrize("year", ["0001", "1969", "9999"])
def test_a_window_at_the_edge_of_the_calendar_is_refused_not_overrun(period, year):
    key = {
        Period.DAY: f"{year}-12-31",
        Period.WEEK: f"{year}-W52",
        Period.MONTH: f"{year}-12",
        Period.HOUR: f"{year}-12-31T23",
    }.get(period, year)
    with pytest.raises(ValidationError, match="names no window"):
        named_window(rule(period), key, instant("2026-09-16 09:00"), places.NEW_YORK, DAILY)
