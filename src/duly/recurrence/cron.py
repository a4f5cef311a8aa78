"""Cron expressions: what their fields name together, and the source of their instants.

Day of month and day of week follow Debian's cron: when neither field begins with `*`, one of them is enough; else both
must agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from duly.model.timing import AnchorClass
from duly.model.zone import Zone
from duly.recurrence import cron_text
from duly.recurrence.calendar_day import month_length
from duly.recurrence.clock_times import ClockTimes
from duly.recurrence.cron_text import TEXT_CHARS_MAX
from duly.recurrence.days import Calendar, Days
from duly.recurrence.faults import Faults
from duly.recurrence.source import END_S, FIRST_S, DayTimes
from duly.recurrence.zone import HOUR_S, MINUTE_S

__all__ = ["TEXT_CHARS_MAX", "CronParts", "compile_parts", "fires", "parse"]

_LEAP_YEAR: Final = 2024
# Within these 28 years every month begins on every weekday, in leap years and in others.
_YEARS: Final = range(_LEAP_YEAR, _LEAP_YEAR + 28)


@dataclass(frozen=True, slots=True, kw_only=True)
class CronParts:
    """The numbers each field names; a day field that begins with `*` only narrows the other. Weekday 0 is Sunday.

    Month days count from the month's end when negative; `workdays` and `ordinals` are those of `cron_days.DayForm`.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    anchor: AnchorClass
    either_day: bool
    workdays: tuple[int, ...] = ()
    ordinals: tuple[tuple[int, int], ...] = ()
    seconds: tuple[int, ...] = (0,)


def parse(
    text: str, faults: Faults, *, seconds_first: bool = False, may_spread: bool = False
) -> CronParts | None:
    """Return the parts of an expression; None when a fault was added.

    With `may_spread`, an `H` that is well written stands for any value: the parts say only that the text can be read.
    """
    named = cron_text.read(text, faults, seconds_first=seconds_first, may_spread=may_spread)
    if named is None:
        return None
    minute, hour, of_month, month, of_week = named[-5:]
    is_elapsed = any(field.is_starred for field in named[:-3])
    return CronParts(
        seconds=named[0].numbers if seconds_first else (0,),
        minutes=minute.numbers,
        hours=hour.numbers,
        month_days=of_month.numbers,
        months=month.numbers,
        weekdays=_weekdays(of_week.numbers),
        workdays=tuple(form.workday for form in of_month.forms if form.workday is not None),
        ordinals=tuple(form.ordinal for form in of_week.forms if form.ordinal is not None),
        anchor=AnchorClass.ELAPSED if is_elapsed else AnchorClass.WALL,
        either_day=not (of_month.is_starred or of_week.is_starred),
    )


def fires(parts: CronParts) -> bool:
    """Say whether any date agrees with all day fields."""
    if parts.either_day:
        return True
    if parts.workdays or parts.ordinals:
        calendar = _calendar(parts)
        return any(calendar.bits(year, month) for year in _YEARS for month in parts.months)
    # A weekday alone excludes no date for ever, and every month has a first and a last day.
    if parts.month_days[0] == 1 or parts.month_days[-1] == -1:
        return True
    nearest = min(abs(day) for day in parts.month_days)
    return any(nearest <= month_length(_LEAP_YEAR, month) for month in parts.months)


def compile_parts(parts: CronParts, zone: Zone) -> DayTimes:
    """Return the source of a cron expression; it has no beginning and no end of its own."""
    return DayTimes(
        zone=zone,
        days=Days(calendar=_calendar(parts)),
        times=ClockTimes(times=_times(parts)),
        by_wall=parts.anchor is AnchorClass.WALL,
        start=FIRST_S,
        end=END_S,
    )


def _weekdays(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({number % 7 for number in numbers})) if 7 in numbers else numbers


def _times(parts: CronParts) -> Sequence[int]:
    """Return the seconds after midnight; an even beat over whole hours is not written out."""
    hours = parts.hours
    of_hour = [minute * MINUTE_S + second for minute in parts.minutes for second in parts.seconds]
    step, rest = divmod(HOUR_S, len(of_hour))
    is_even = not rest and of_hour == list(range(of_hour[0], HOUR_S, step))
    if is_even and hours[-1] - hours[0] == len(hours) - 1:
        return range(hours[0] * HOUR_S + of_hour[0], (hours[-1] + 1) * HOUR_S, step)
    return tuple([hour * HOUR_S + place for hour in hours for place in of_hour])


def _calendar(parts: CronParts) -> Calendar:
    every_day = len(parts.month_days) == 31 and parts.month_days[0] == 1
    every_weekday = len(parts.weekdays) == 7
    if parts.either_day and (every_day or every_weekday):
        every_day = every_weekday = True
    return Calendar(
        months=frozenset() if len(parts.months) == 12 else frozenset(parts.months),
        month_days=frozenset() if every_day else frozenset(parts.month_days),
        weekdays=frozenset()
        if every_weekday
        else frozenset((number - 1) % 7 for number in parts.weekdays),
        workdays=frozenset() if every_day else frozenset(parts.workdays),
        month_ordinals=frozenset() if every_weekday else frozenset(parts.ordinals),
        either=parts.either_day and not every_day,
    )
