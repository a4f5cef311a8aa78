"""The phase of a day-based rule: which days, weeks, months or years an INTERVAL counted from DTSTART lets through."""

from dataclasses import dataclass
from typing import Final, assert_never

from duly.recurrence.calendar_day import FIRST_DAY, date_of, month_start, weekday_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPhase:
    """Every `interval`-th day from day `first`."""

    first: int
    interval: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekPhase:
    """Every `interval`-th week; `first` is the first day of the first week."""

    first: int
    interval: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthPhase:
    """Every `interval`-th month from month `first` (`year * 12 + month - 1`)."""

    first: int
    interval: int


@dataclass(frozen=True, slots=True, kw_only=True)
class YearPhase:
    """Every `interval`-th year from year `first`."""

    first: int
    interval: int


Phase = DayPhase | WeekPhase | MonthPhase | YearPhase

_WHOLE_MONTH: Final = (1 << 31) - 1


def week_phase(day: int, interval: int, week_start: int) -> WeekPhase:
    """Return the phase of weeks that begin on weekday `week_start`, counted from the week of `day`."""
    return WeekPhase(first=day - (weekday_of(day) - week_start) % 7, interval=interval)


def first_from(phase: Phase, day: int) -> int:
    """Return the first day at or after `day` that the phase lets through."""
    match phase:
        case DayPhase(first=first, interval=interval):
            return day + (first - day) % interval
        case WeekPhase(first=first, interval=interval):
            week = (day - first) // 7
            behind = -week % interval
            return day if behind == 0 else first + 7 * (week + behind)
        case MonthPhase() | YearPhase():
            months, behind = _months_off(phase, day, direction=1)
            return day if behind == 0 else month_start(months + behind)
        case _:
            assert_never(phase)


def last_until(phase: Phase, day: int) -> int:
    """Return the last day at or before `day` that the phase lets through; DTSTART does not bound it."""
    match phase:
        case DayPhase(first=first, interval=interval):
            return day - (day - first) % interval
        case WeekPhase(first=first, interval=interval):
            week = (day - first) // 7
            ahead = week % interval
            return day if ahead == 0 else first + 7 * (week - ahead) + 6
        case MonthPhase() | YearPhase():
            months, ahead = _months_off(phase, day, direction=-1)
            return day if ahead == 0 else _month_end(months - ahead)
        case _:
            assert_never(phase)


def bits(phase: Phase, month_first: int, length: int) -> int:
    """Return the days of a month that the phase lets through, bit 0 for day `month_first`."""
    match phase:
        case DayPhase(first=first, interval=interval):
            days = range((first - month_first) % interval, length, interval)
            return sum(1 << day for day in days)
        case WeekPhase(first=first, interval=interval):
            weeks = ((month_first + day - first) // 7 for day in range(length))
            return sum(1 << day for day, week in enumerate(weeks) if week % interval == 0)
        case MonthPhase() | YearPhase():
            return _WHOLE_MONTH if _months_off(phase, month_first, direction=1)[1] == 0 else 0
        case _:
            assert_never(phase)


def _months_off(phase: MonthPhase | YearPhase, day: int, *, direction: int) -> tuple[int, int]:
    """Return a month, and how many months it lies off the phase: forwards for 1, backwards for -1."""
    there = date_of(day)
    month = there.year * 12 + there.month - 1
    if isinstance(phase, MonthPhase):
        return month, -direction * (month - phase.first) % phase.interval
    years = -direction * (there.year - phase.first) % phase.interval
    edge = there.year * 12 + (0 if direction == 1 else 11)
    return edge, years * 12


def _month_end(month_index: int) -> int:
    return month_start(month_index + 1) - 1 if month_index >= 1969 * 12 else FIRST_DAY - 1
