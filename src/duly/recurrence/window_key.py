"""Keys of windows, and the stretch of time that each period spans in a zone (seconds)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from types import MappingProxyType
from typing import Final

from duly.model.timing import Period, StrftimePeriod
from duly.model.zone import Zone
from duly.recurrence.calendar_day import date_of, day_of, month_start, weekday_of
from duly.recurrence.faults import PartError, shown
from duly.recurrence.local_time import YEARS, parse_compact
from duly.recurrence.zone import (
    DAY_S,
    HOUR_S,
    MINUTE_S,
    offset_at,
    offset_text,
    pass_of,
    second_of,
    stretches,
    wall_time,
)

PATTERN_CHARS_MAX: Final = 64


class Grain(Enum):
    """How long a named period is."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """A period's grain, how its key is written, and the pattern that reads one.

    `marks_pass`: the second pass of a repeated hour shows its offset in the key.
    """

    grain: Grain
    pattern: str
    write: Callable[[datetime], str]
    marks_pass: bool = False


def _written_hour(local: datetime) -> str:
    return local.isoformat()[:13]


def _written_day(local: datetime) -> str:
    return local.isoformat()[:10]


def _written_week(local: datetime) -> str:
    year, week, _ = local.isocalendar()
    return f"{year}-W{week:02}"


def _written_month(local: datetime) -> str:
    return local.isoformat()[:7]


NAMINGS: Final[Mapping[Period, Naming]] = MappingProxyType(
    {
        Period.HOUR: Naming(
            grain=Grain.HOUR, pattern="%Y-%m-%dT%H", write=_written_hour, marks_pass=True
        ),
        Period.DAY: Naming(grain=Grain.DAY, pattern="%Y-%m-%d", write=_written_day),
        Period.WEEK: Naming(grain=Grain.WEEK, pattern="%G-W%V", write=_written_week),
        Period.MONTH: Naming(grain=Grain.MONTH, pattern="%Y-%m", write=_written_month),
    }
)


def naming_of(period: Period | StrftimePeriod) -> Naming | None:
    """Return how a period is named; None for a slot. Raises PartError for a pattern that names none."""
    if isinstance(period, Period):
        return NAMINGS.get(period)
    return _naming_of_pattern(period.pattern)


def key_at(naming: Naming, second: int, zone: Zone) -> str:
    """Return the key of the period that holds a second."""
    offset = offset_at(second, zone)
    key = naming.write(wall_time(second + offset))
    if naming.marks_pass and pass_of(second, zone) == 1:
        key += offset_text(offset)
    return key


def start_of(naming: Naming, second: int, zone: Zone) -> int:
    """Return the first second of the period that holds a second."""
    length = _REAL_LENGTHS.get(naming.grain)
    if length is not None:
        return _real_stretch(second, length, zone)[0]
    day = (second + offset_at(second, zone)) // DAY_S
    return _midnight(_FIRST_DAYS[naming.grain](day, 0), zone)


def end_of(naming: Naming, second: int, zone: Zone) -> int:
    """Return the first second of the period after the one that holds a second."""
    length = _REAL_LENGTHS.get(naming.grain)
    if length is not None:
        return _real_stretch(second, length, zone)[1]
    day = (second + offset_at(second, zone)) // DAY_S
    return _midnight(_FIRST_DAYS[naming.grain](day, 1), zone)


def slot_window_key(second: int) -> str:
    """Return the key of the window of one slot: its instant in UTC, fit for a file name: `2026-11-01T0530Z`."""
    moment = wall_time(second)
    return moment.strftime("%Y-%m-%dT%H%M%SZ" if moment.second else "%Y-%m-%dT%H%MZ")


def parse_slot_key(key: str) -> int | None:
    """Return the second that `slot_window_key` named; None for any other text."""
    match = _SLOT_KEY.fullmatch(key)
    if match is None:
        return None
    return parse_compact(f"{match[1]}{match[2]}{match[3]}T{match[4]}{match[5] or '00'}")


def parse_key(naming: Naming, key: str, zone: Zone) -> int:
    """Return the first second of the period that a key names; raise PartError when it names none."""
    second = second_of(_parsed(naming, key), zone)
    written = key_at(naming, second, zone)
    if written != key and naming.marks_pass:
        second = end_of(naming, second, zone)
        written = key_at(naming, second, zone)
    if written != key:
        raise PartError(f"{shown(key)} names no window", f"write it like {written}")
    return start_of(naming, second, zone)


_SLOT_KEY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{4})([0-9]{2})?Z", re.ASCII)


def _parsed(naming: Naming, key: str) -> datetime:
    text = key[:13] if naming.marks_pass else key
    # A week alone is no date: take its Monday.
    is_week = naming.grain is Grain.WEEK
    pattern, text = (f"{naming.pattern} %u", f"{text} 1") if is_week else (naming.pattern, text)
    try:
        local = datetime.strptime(text, pattern)  # noqa: DTZ007  local by nature
    except ValueError:
        local = None
    # The spans of the first and last years that a datetime knows would leave what it knows.
    if local is None or local.year not in YEARS:
        example = datetime(2026, 9, 16, 9).strftime(naming.pattern)  # noqa: DTZ001
        raise PartError(f"{shown(key)} names no window", f"write it like {example}")
    return local


def _midnight(day: int, zone: Zone) -> int:
    return second_of(wall_time(day * DAY_S), zone)


def _day(day: int, later: int) -> int:
    return day + later


def _week(day: int, later: int) -> int:
    return day - weekday_of(day) + 7 * later


def _month(day: int, later: int) -> int:
    there = date_of(day)
    return month_start(there.year * 12 + there.month - 1 + later)


def _year(day: int, later: int) -> int:
    return day_of(date_of(day).year + later, 1, 1)


# The first day of the period that holds a day, or of the period after it.
_FIRST_DAYS: Final[Mapping[Grain, Callable[[int, int], int]]] = MappingProxyType(
    {Grain.DAY: _day, Grain.WEEK: _week, Grain.MONTH: _month, Grain.YEAR: _year}
)
_REAL_LENGTHS: Final[Mapping[Grain, int]] = MappingProxyType(
    {Grain.MINUTE: MINUTE_S, Grain.HOUR: HOUR_S}
)


def _real_stretch(second: int, length: int, zone: Zone) -> tuple[int, int]:
    """Return the hour or minute around a second, cut where the clock was changed within it."""
    offset = offset_at(second, zone)
    start = second - (second + offset) % length
    for first, until, there in stretches(start, start + length, zone):
        if there == offset and first <= second < until:
            return first, until
    raise AssertionError("a second lies in one of the stretches around it")


# A key must name its period alone: what a directive needs beside it. The finest grain comes first.
_PATTERNS: Final = (
    (Grain.MINUTE, "M", ({"Y", "m", "d", "H", "M"}, {"Y", "j", "H", "M"})),
    (Grain.HOUR, "H", ({"Y", "m", "d", "H"}, {"Y", "j", "H"})),
    (Grain.DAY, "dju", ({"Y", "m", "d"}, {"Y", "j"}, {"G", "V", "u"})),
    (Grain.WEEK, "V", ({"G", "V"},)),
    (Grain.MONTH, "m", ({"Y", "m"},)),
    (Grain.YEAR, "Y", ({"Y"},)),
)
_DIRECTIVE: Final = re.compile(r"%(.?)", re.DOTALL)
_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]*", re.ASCII)


def _writer(pattern: str) -> Callable[[datetime], str]:
    return lambda local: local.strftime(pattern)


def _naming_of_pattern(pattern: str) -> Naming:
    used = _DIRECTIVE.findall(pattern)
    fix = "write for example %Y-%m-%dT%H, %G-W%V or %Y"
    if len(pattern) > PATTERN_CHARS_MAX:
        raise PartError(f"the pattern is longer than {PATTERN_CHARS_MAX} characters", fix)
    if unknown := [directive for directive in used if directive not in set("YGmdjVuHM")]:
        raise PartError(f"{shown('%' + unknown[0])} cannot be used in a window's key", fix)
    if not _PLAIN.fullmatch(_DIRECTIVE.sub("", pattern)):
        raise PartError("a window's key holds letters, digits and . _ - only", fix)
    for grain, finest, needed in _PATTERNS:
        if set(used) & set(finest):
            if set(used) in needed and len(used) == len(set(used)):
                return Naming(grain=grain, pattern=pattern, write=_writer(pattern))
            break
    raise PartError(f"{shown(pattern)} does not name one period: another would have its key", fix)
