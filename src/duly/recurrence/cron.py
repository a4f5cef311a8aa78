"""Five-field cron expressions, read strictly, and their source of instants; `H` was resolved before.

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
from duly.recurrence import cron_days
from duly.recurrence.calendar_day import month_length
from duly.recurrence.clock_times import ClockTimes, clock_times
from duly.recurrence.cron_days import DayForm
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
_WEEKDAY_OF: Final = {
    **_FIELDS[-1].names,
    **{str(number): number for number in range(_FIELDS[-1].high + 1)},
}


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


def parse(text: str, faults: Faults) -> CronParts | None:
    """Return the parts of a cron expression; None when a fault was added."""
    fields = _split(text, faults)
    if fields is None:
        return None
    values: list[_Named] = []
    for field, written in zip(_FIELDS, fields, strict=True):
        try:
            values.append(_values(field, written))
        except PartError as error:
            faults.add(f"{field.name}: {error.message}", error.fix)
    if len(values) < len(_FIELDS):
        return None
    minute, hour, month_day, _, weekday = (written.startswith("*") for written in fields)
    minutes, hours, of_month, months, of_week = values
    return CronParts(
        minutes=minutes.numbers,
        hours=hours.numbers,
        month_days=of_month.numbers,
        months=months.numbers,
        weekdays=tuple(sorted({number % 7 for number in of_week.numbers})),
        workdays=tuple(form.workday for form in of_month.forms if form.workday is not None),
        ordinals=tuple(form.ordinal for form in of_week.forms if form.ordinal is not None),
        anchor=AnchorClass.ELAPSED if minute or hour else AnchorClass.WALL,
        either_day=not (month_day or weekday),
    )


def fires(parts: CronParts) -> bool:
    """Say whether any date agrees with all day fields; a weekday alone excludes none for ever."""
    if parts.either_day:
        return True
    # Either -1 for the last day, or 1 for the first, are in every month; -31 and 31 are not.
    nearest = min(abs(day) for day in (*parts.month_days, *parts.workdays))
    return any(nearest <= month_length(_LEAP_YEAR, month) for month in parts.months)


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
    every_day = len(parts.month_days) == 31 and min(parts.month_days) == 1
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """What one field names: plain numbers, and forms that only day fields have."""

    numbers: tuple[int, ...]
    forms: tuple[DayForm, ...]


_FOREIGN: Final = re.compile(r"[?~]|(?<![A-Z])H(?![A-Z])", re.ASCII)
_FIX_OF: Final[Mapping[str, str]] = MappingProxyType(
    {
        "?": "write *",
        "~": "write H(a-b) for a value of its own within a range",
        "H": "write H, H(0-29) or H/15, with values of the field",
    }
)


def _values(field: _Field, written: str) -> _Named:
    numbers: set[int] = set()
    forms: list[DayForm] = []
    try:
        for item in written.split(","):
            form = _form(field, item)
            if form is None:
                numbers.update(_range(field, item))
            elif form.month_day is not None:
                numbers.add(form.month_day)
            else:
                forms.append(form)
    except PartError as error:
        raise _foreign(written) or error from None
    return _Named(numbers=tuple(sorted(numbers)), forms=tuple(forms))


def _form(field: _Field, item: str) -> DayForm | None:
    match field.name:
        case "day of month":
            return cron_days.of_month(item)
        case "day of week":
            return cron_days.of_week(item, _WEEKDAY_OF)
        case _:
            return None


def _foreign(written: str) -> PartError | None:
    found = _FOREIGN.search(written.upper())
    if found is None:
        return None
    return PartError(f"{shown(found[0])} means nothing here", _FIX_OF[found[0]])


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
