"""Makes a source of instants from the parts of an RFC 5545 rule (§3.3.10); says which parts do not go together."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from duly.model.timing import AnchorClass
from duly.model.zone import Zone
from duly.recurrence.calendar_day import LAST_DAY
from duly.recurrence.clock_times import (
    Cadence,
    ClockTimes,
    HourClockTimes,
    TimesOfDay,
    clock_times,
    merged,
)
from duly.recurrence.days import Calendar, Days
from duly.recurrence.faults import Faults
from duly.recurrence.phase import DayPhase, MonthPhase, Phase, YearPhase, week_phase
from duly.recurrence.rrule_text import Frequency, RruleParts
from duly.recurrence.source import END_S, FIRST_S, DayTimes, PlainCadence
from duly.recurrence.work import END_UNITS, Work, WorkBudgetExceededError
from duly.recurrence.zone import DAY_S, HOUR_S, MINUTE_S, second_of, wall_second, wall_time

_DAY_FREQUENCIES: Final = (Frequency.DAILY, Frequency.WEEKLY, Frequency.MONTHLY)
_ORDINAL_FREQUENCIES: Final = (Frequency.MONTHLY, Frequency.YEARLY)
_ALL_HOURS: Final = tuple(range(24))
_ALL_MINUTES: Final = tuple(range(60))


def anchor_of(frequency: Frequency) -> AnchorClass:
    """Return what a frequency holds on to: wall time for days and longer, else elapsed time."""
    if frequency in (Frequency.HOURLY, Frequency.MINUTELY):
        return AnchorClass.ELAPSED
    return AnchorClass.WALL


def check(parts: RruleParts, faults: Faults) -> None:
    """Add a fault for every combination that means nothing, or that programs read differently."""
    for is_wrong, message, fix in _COMBINATIONS:
        if is_wrong(parts):
            faults.add(message, fix)


def compile_parts(parts: RruleParts, start: datetime, zone: Zone) -> PlainCadence | DayTimes:
    """Return the source of a checked rule that starts at local time `start`; COUNT does not end it yet."""
    if anchor_of(parts.frequency) is AnchorClass.ELAPSED:
        return _elapsed(parts, start, zone)
    first = wall_second(start)
    times = clock_times(
        parts.hours or (start.hour,), parts.minutes or (start.minute,), start.second
    )
    return DayTimes(
        zone=zone,
        days=Days(calendar=_calendar(parts, start), phase=_phase(parts, start)),
        times=ClockTimes(times=times),
        by_wall=True,
        # A gap can move a reading, and never by more than a day.
        start=max(second_of(start, zone) - DAY_S, FIRST_S),
        end=min(_until_end(parts, zone), END_S),
        wall_start=first,
    )


def ended(source: PlainCadence | DayTimes, count: int, faults: Faults) -> PlainCadence | DayTimes:
    """Return a source that ends with its COUNT-th time, counted from DTSTART; it must name one at least."""
    try:
        if isinstance(source, DayTimes) and source.by_wall:
            return _ended_by_wall(source, count)
        return _ended_by_instant(source, count)
    except WorkBudgetExceededError:
        faults.add(f"COUNT: the end of COUNT={count} is too far away to be found", "use UNTIL")
        return source


def _ended_by_wall(source: DayTimes, count: int) -> DayTimes:
    """COUNT counts wall times, not instants, so that new zone data cannot move the end."""
    first = source.wall_start
    per_day = len(source.times.within(0, DAY_S, 0))
    earlier = len(source.times.within(0, first % DAY_S, 0))
    skipped = earlier if source.days.has(first // DAY_S) else 0
    whole_days, into = divmod(count + skipped - 1, per_day)
    day = _nth_day(source.days, first // DAY_S, whole_days)
    if day is None:
        return source
    wall_end = day * DAY_S + source.times.within(0, DAY_S, 0)[into] + 1
    # No offset and no gap takes a reading further away: what lies behind need not be searched.
    return replace(source, wall_end=wall_end, end=min(source.end, wall_end + 2 * DAY_S))


def _nth_day(days: Days, day: int, whole_days: int) -> int | None:
    if days.is_every_day:
        return day + whole_days if day + whole_days < LAST_DAY else None
    work = Work(END_UNITS)
    found = days.first_from(day, work)
    while found is not None and whole_days > 0:
        found = days.first_from(found + 1, work)
        whole_days -= 1
    return found


def _ended_by_instant(source: PlainCadence | DayTimes, count: int) -> PlainCadence | DayTimes:
    left = count
    for shift, times in source.forward(source.start, source.end, Work(END_UNITS)):
        if left <= len(times):
            return replace(source, end=shift + times[left - 1] + 1)
        left -= len(times)
    return source


def _elapsed(parts: RruleParts, start: datetime, zone: Zone) -> PlainCadence | DayTimes:
    first = second_of(start, zone)
    end = min(_until_end(parts, zone), END_S)
    days = Days(calendar=_limits(parts))
    times = _elapsed_times(parts, start, first)
    if isinstance(times, Cadence) and days.is_every_day and times.windows == ((0, DAY_S),):
        return PlainCadence(start=first, step=times.step, end=end)
    begin = max(first, FIRST_S)
    return DayTimes(zone=zone, days=days, times=times, by_wall=False, start=begin, end=end)


def _elapsed_times(parts: RruleParts, start: datetime, first: int) -> TimesOfDay:
    hours = parts.hours or _ALL_HOURS
    hourly = parts.frequency is Frequency.HOURLY
    step = parts.interval * (HOUR_S if hourly else MINUTE_S)
    has_clock = bool(parts.minutes) or (bool(parts.hours) and not hourly)
    if not has_clock or (parts.interval > 1 and not hourly):
        return Cadence(start=first, step=step, windows=_windows(hours, parts.minutes))
    times = clock_times(hours, parts.minutes or _ALL_MINUTES, start.second)
    if parts.interval == 1:
        return ClockTimes(times=times)
    hour = first - start.minute * MINUTE_S - start.second
    return HourClockTimes(times=times, start=hour, step=step)


def _windows(hours: Sequence[int], minutes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    if not minutes:
        return merged([(hour * HOUR_S, (hour + 1) * HOUR_S) for hour in hours])
    starts = clock_times(hours, minutes, 0)
    return merged([(start, start + MINUTE_S) for start in starts])


def _until_end(parts: RruleParts, zone: Zone) -> int:
    if parts.until is None:
        return END_S
    if parts.until.is_utc:
        return parts.until.wall + 1
    return second_of(wall_time(parts.until.wall), zone) + 1


def _limits(parts: RruleParts) -> Calendar:
    return Calendar(
        months=frozenset(parts.months),
        month_days=frozenset(parts.month_days),
        weekdays=frozenset(weekday for _, weekday in parts.weekdays),
        year_days=frozenset(parts.year_days),
    )


def _calendar(parts: RruleParts, start: datetime) -> Calendar:
    by_year = parts.frequency is Frequency.YEARLY and not parts.months
    ordinals = frozenset(pair for pair in parts.weekdays if pair[0])
    plain = frozenset(weekday for ordinal, weekday in parts.weekdays if not ordinal)
    months, month_days = frozenset(parts.months), frozenset(parts.month_days)
    if not (parts.weekdays or parts.month_days or parts.year_days):
        match parts.frequency:
            case Frequency.WEEKLY:
                plain = frozenset((start.weekday(),))
            case Frequency.MONTHLY:
                month_days = frozenset((start.day,))
            case Frequency.YEARLY:
                month_days = frozenset((start.day,))
                months = months or frozenset((start.month,))
            case _:
                pass
    return Calendar(
        months=months,
        month_days=month_days,
        weekdays=plain,
        month_ordinals=frozenset() if by_year else ordinals,
        year_ordinals=ordinals if by_year else frozenset(),
        year_days=frozenset(parts.year_days),
        weeks=frozenset(parts.weeks),
        week_start=parts.week_start,
    )


def _phase(parts: RruleParts, start: datetime) -> Phase | None:
    if parts.interval == 1:
        return None
    day = wall_second(start) // DAY_S
    match parts.frequency:
        case Frequency.YEARLY:
            return YearPhase(first=start.year, interval=parts.interval)
        case Frequency.MONTHLY:
            return MonthPhase(first=start.year * 12 + start.month - 1, interval=parts.interval)
        case Frequency.WEEKLY:
            return week_phase(day, parts.interval, parts.week_start)
        case Frequency.DAILY:
            return DayPhase(first=day, interval=parts.interval)
        case _:
            return None


def _has_misplaced_ordinals(parts: RruleParts) -> bool:
    return parts.has_ordinals and parts.frequency not in _ORDINAL_FREQUENCIES


def _has_too_large_ordinals(parts: RruleParts) -> bool:
    if parts.frequency not in _ORDINAL_FREQUENCIES:
        return False
    by_year = parts.frequency is Frequency.YEARLY and not parts.months
    return any(abs(ordinal) > (53 if by_year else 5) for ordinal, _ in parts.weekdays)


_COMBINATIONS: Final[Sequence[tuple[Callable[[RruleParts], bool], str, str]]] = (
    (
        lambda parts: parts.count is not None and parts.until is not None,
        "COUNT and UNTIL exclude each other",
        "keep one of them",
    ),
    (
        _has_misplaced_ordinals,
        "BYDAY: a number before a weekday means something in MONTHLY and YEARLY only",
        "write FREQ=MONTHLY, or leave the number out",
    ),
    (
        _has_too_large_ordinals,
        "BYDAY: a month has at most 5 of a weekday, a year 53",
        "use a smaller number",
    ),
    (
        lambda parts: parts.frequency is Frequency.WEEKLY and bool(parts.month_days),
        "BYMONTHDAY means nothing in a WEEKLY rule",
        "write FREQ=DAILY with BYMONTHDAY and BYDAY",
    ),
    (
        lambda parts: bool(parts.year_days) and parts.frequency in _DAY_FREQUENCIES,
        "BYYEARDAY means nothing in a DAILY, WEEKLY or MONTHLY rule (RFC 5545 §3.3.10)",
        "write FREQ=YEARLY",
    ),
    (
        lambda parts: bool(parts.weeks) and parts.frequency is not Frequency.YEARLY,
        "BYWEEKNO means something in a YEARLY rule only (RFC 5545 §3.3.10)",
        "write FREQ=YEARLY",
    ),
    (
        lambda parts: bool(parts.weeks) and not parts.weekdays,
        "BYWEEKNO without BYDAY is read differently by every program",
        "add BYDAY=MO for the week's Monday, or BYDAY=MO,TU,WE,TH,FR,SA,SU for all its days",
    ),
    (
        lambda parts: bool(parts.weeks) and parts.has_ordinals,
        "BYDAY: a number before a weekday means nothing beside BYWEEKNO",
        "leave the number out",
    ),
    (
        lambda parts: (
            parts.frequency is Frequency.YEARLY and bool(parts.month_days) and not parts.months
        ),
        "BYMONTHDAY without BYMONTH in a YEARLY rule is read differently by every program",
        "write FREQ=MONTHLY for every month, or add BYMONTH",
    ),
)
