"""Five-field cron expressions, read strictly, and their source of instants.

Day of month and day of week follow Debian's cron: when neither field begins with `*`, one of them is enough; else both
must agree.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from duly.model.timing import AnchorClass
from duly.model.zone import Zone
from duly.recurrence.calendar_day import month_length
from duly.recurrence.clock_times import ClockTimes, clock_times
from duly.recurrence.days import Calendar, Days
from duly.recurrence.faults import Faults, PartError, shown
from duly.recurrence.source import END_S, FIRST_S, DayTimes

TEXT_CHARS_MAX: Final = 1_000
_DIGITS_MAX: Final = 4
_LEAP_YEAR: Final = 2024

_MONTH_NAMES: Final = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
_WEEKDAY_NAMES: Final = "SUNMONTUEWEDTHUFRISAT"


def _numbered(names: str, first: int) -> Mapping[str, int]:
    short = (names[start : start + 3] for start in range(0, len(names), 3))
    return MappingProxyType({name: number for number, name in enumerate(short, first)})


_NAMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "@hourly": "0 * * * *",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *",
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    name: str
    low: int
    high: int
    names: Mapping[str, int]


_FIELDS: Final = (
    _Field(name="minute", low=0, high=59, names=MappingProxyType({})),
    _Field(name="hour", low=0, high=23, names=MappingProxyType({})),
    _Field(name="day of month", low=1, high=31, names=MappingProxyType({})),
    _Field(name="month", low=1, high=12, names=_numbered(_MONTH_NAMES, 1)),
    _Field(name="day of week", low=0, high=7, names=_numbered(_WEEKDAY_NAMES, 0)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CronParts:
    """The numbers each field names; a day field that begins with `*` only narrows the other. Weekday 0 is Sunday."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    anchor: AnchorClass
    either_day: bool


def parse(text: str, faults: Faults) -> CronParts | None:
    """Return the parts of a cron expression; None when a fault was added."""
    fields = _split(text, faults)
    if fields is None:
        return None
    values: list[tuple[int, ...]] = []
    for field, written in zip(_FIELDS, fields, strict=True):
        try:
            values.append(_values(field, written))
        except PartError as error:
            faults.add(f"{field.name}: {error.message}", error.fix)
    if len(values) < len(_FIELDS):
        return None
    minute, hour, month_day, _, weekday = (written.startswith("*") for written in fields)
    minutes, hours, month_days, months, weekdays = values
    return CronParts(
        minutes=minutes,
        hours=hours,
        month_days=month_days,
        months=months,
        weekdays=tuple(sorted({number % 7 for number in weekdays})),
        anchor=AnchorClass.ELAPSED if minute or hour else AnchorClass.WALL,
        either_day=not (month_day or weekday),
    )


def fires(parts: CronParts) -> bool:
    """Say whether any date agrees with all day fields; a weekday alone excludes none for ever."""
    if parts.either_day:
        return True
    first = min(parts.month_days)
    return any(first <= month_length(_LEAP_YEAR, month) for month in parts.months)


def compile_parts(parts: CronParts, zone: Zone) -> DayTimes:
    """Return the source of a cron expression; it has no beginning and no end of its own."""
    return DayTimes(
        zone=zone,
        days=Days(calendar=_calendar(parts)),
        times=ClockTimes(times=clock_times(parts.hours, parts.minutes, 0)),
        by_wall=parts.anchor is AnchorClass.WALL,
        start=FIRST_S,
        end=END_S,
    )


def _calendar(parts: CronParts) -> Calendar:
    every_day = len(parts.month_days) == 31
    every_weekday = len(parts.weekdays) == 7
    if parts.either_day and (every_day or every_weekday):
        every_day = every_weekday = True
    return Calendar(
        months=frozenset() if len(parts.months) == 12 else frozenset(parts.months),
        month_days=frozenset() if every_day else frozenset(parts.month_days),
        weekdays=frozenset()
        if every_weekday
        else frozenset((number - 1) % 7 for number in parts.weekdays),
        either=parts.either_day and not every_day,
    )


def _split(text: str, faults: Faults) -> Sequence[str] | None:
    if len(text) > TEXT_CHARS_MAX:
        faults.add(f"the expression is {len(text)} characters long; {TEXT_CHARS_MAX} are allowed")
        return None
    if text.startswith("@"):
        return _named(text, faults)
    fields = text.split()
    if len(fields) == len(_FIELDS):
        return fields
    if len(fields) == len(_FIELDS) + 1:
        faults.add(
            "6 fields: cron with seconds is not supported yet", "leave the seconds field out"
        )
    else:
        faults.add(
            f"a cron expression has 5 fields, this one has {len(fields)}",
            "write minute, hour, day of month, month, day of week: 0 9 * * 1-5",
        )
    return None


def _named(text: str, faults: Faults) -> Sequence[str] | None:
    expression = _NAMED.get(text.lower())
    if expression is not None:
        return expression.split()
    if text.lower() == "@reboot":
        faults.add("@reboot names no time", "name a time; work that was missed is caught up")
    else:
        faults.add(f"{shown(text)} is no known name", "use one of " + ", ".join(_NAMED))
    return None


_UNSUPPORTED: Final = re.compile(r"(?<![A-Z])[0-9]*[LWH](?![A-Z])|[#?~]", re.ASCII)


def _values(field: _Field, written: str) -> tuple[int, ...]:
    numbers: set[int] = set()
    try:
        for item in written.split(","):
            numbers.update(_range(field, item))
    except PartError as error:
        raise _unsupported(written) or error from None
    return tuple(sorted(numbers))


def _unsupported(written: str) -> PartError | None:
    found = _UNSUPPORTED.search(written.upper())
    if found is None:
        return None
    fix = "write *" if found[0] == "?" else "write plain numbers, ranges and steps, or an RRULE"
    return PartError(f"{shown(found[0])} is not supported yet", fix)


def _range(field: _Field, item: str) -> range:
    span, slash, step = item.partition("/")
    if span == "*":
        low, high = field.low, 6 if field.high == 7 else field.high
    else:
        first, dash, last = span.partition("-")
        low = _number(field, first)
        high = _number(field, last) if dash else low
        if slash and not dash:
            raise PartError(
                f"{shown(item)}: a step needs a range", f"write {first}-{field.high}/{step}"
            )
    if low > high:
        fix = f"write {low}-{field.high},{field.low}-{high}"
        raise PartError(f"{shown(item)} runs backwards", fix)
    return range(low, high + 1, _step(item, step, high - low) if slash else 1)


def _step(item: str, step: str, width: int) -> int:
    if not (step.isascii() and step.isdigit() and len(step) <= _DIGITS_MAX and int(step)):
        raise PartError(f"{shown(item)}: the step is no whole number above 0")
    if int(step) > max(width, 1):
        raise PartError(
            f"{shown(item)}: the step leaves only the first value",
            "name the value; for a longer cadence write an RRULE with INTERVAL",
        )
    return int(step)


def _number(field: _Field, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX):
        named = field.names.get(text.upper())
        if named is None:
            raise PartError(f"{shown(text)} is no value", f"use {field.low} to {field.high}")
        return named
    number = int(text)
    if not field.low <= number <= field.high:
        raise PartError(f"{number} is outside {field.low} to {field.high}")
    return number
