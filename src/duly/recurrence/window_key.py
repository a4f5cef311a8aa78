"""Keys of windows, and the stretch of time that each period spans in a zone (seconds)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from types import MappingProxyType
from typing import Final

from duly.model.timing import Period, StrftimePeriod
from duly.recurrence.faults import PartError, shown
from duly.recurrence.local_time import parse_compact
from duly.recurrence.zone import (
    HOUR_S,
    MINUTE_S,
    Zone,
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
    """A period's grain and the strftime pattern of its key; `marks_pass` tells a repeated hour's passes apart."""

    grain: Grain
    pattern: str
    marks_pass: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """One period as it lies in time: its key and `[start, end)` in seconds."""

    key: str
    start: int
    end: int


NAMINGS: Final[Mapping[Period, Naming]] = MappingProxyType(
    {
        Period.HOUR: Naming(grain=Grain.HOUR, pattern="%Y-%m-%dT%H", marks_pass=True),
        Period.DAY: Naming(grain=Grain.DAY, pattern="%Y-%m-%d"),
        Period.WEEK: Naming(grain=Grain.WEEK, pattern="%G-W%V"),
        Period.MONTH: Naming(grain=Grain.MONTH, pattern="%Y-%m"),
    }
)


def naming_of(period: Period | StrftimePeriod) -> Naming | None:
    """Return how a period is named; None for a slot. Raises PartError for a pattern that names none."""
    if isinstance(period, Period):
        return NAMINGS.get(period)
    return _naming_of_pattern(period.pattern)


def stay_at(naming: Naming, second: int, zone: Zone) -> Stay:
    """Return the period that holds a second."""
    offset = offset_at(second, zone)
    local = wall_time(second + offset)
    start, end = _BOUNDS[naming.grain](local, second, zone)
    key = local.strftime(naming.pattern)
    if naming.marks_pass and pass_of(second, zone) == 1:
        key += offset_text(offset)
    return Stay(key=key, start=start, end=end)


def start_of(naming: Naming, second: int, zone: Zone) -> int:
    """Return the first second of the period that holds a second."""
    local = wall_time(second + offset_at(second, zone))
    return _BOUNDS[naming.grain](local, second, zone)[0]


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


def parse_key(naming: Naming, key: str, zone: Zone) -> Stay:
    """Return the period that a key names; raise PartError when it names none."""
    local = _parsed(naming, key)
    second = second_of(local, zone)
    stay = stay_at(naming, second, zone)
    if stay.key != key and naming.marks_pass:
        stay = stay_at(naming, stay.end, zone)
    if stay.key != key:
        raise PartError(f"{shown(key)} names no window", f"write it like {stay.key}")
    return stay


_SLOT_KEY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{4})([0-9]{2})?Z", re.ASCII)


def _parsed(naming: Naming, key: str) -> datetime:
    text = key[:13] if naming.marks_pass else key
    # A week alone is no date: take its Monday.
    is_week = naming.grain is Grain.WEEK
    pattern, text = (f"{naming.pattern} %u", f"{text} 1") if is_week else (naming.pattern, text)
    try:
        return datetime.strptime(text, pattern)  # noqa: DTZ007  local by nature
    except ValueError:
        example = datetime(2026, 9, 16, 9).strftime(naming.pattern)  # noqa: DTZ001
        raise PartError(f"{shown(key)} names no window", f"write it like {example}") from None


def _midnights(first: date, after: date, zone: Zone) -> tuple[int, int]:
    return _midnight(first, zone), _midnight(after, zone)


def _midnight(day: date, zone: Zone) -> int:
    return second_of(datetime(day.year, day.month, day.day), zone)  # noqa: DTZ001  local by nature


def _year(local: datetime, _: int, zone: Zone) -> tuple[int, int]:
    return _midnights(date(local.year, 1, 1), date(local.year + 1, 1, 1), zone)


def _month(local: datetime, _: int, zone: Zone) -> tuple[int, int]:
    year, month = divmod(local.year * 12 + local.month, 12)
    return _midnights(date(local.year, local.month, 1), date(year, month + 1, 1), zone)


def _week(local: datetime, _: int, zone: Zone) -> tuple[int, int]:
    monday = local.date() - timedelta(days=local.weekday())
    return _midnights(monday, monday + timedelta(days=7), zone)


def _day(local: datetime, _: int, zone: Zone) -> tuple[int, int]:
    return _midnights(local.date(), local.date() + timedelta(days=1), zone)


def _hour(local: datetime, second: int, zone: Zone) -> tuple[int, int]:
    return _real_stretch(second, second - local.minute * MINUTE_S - local.second, HOUR_S, zone)


def _minute(local: datetime, second: int, zone: Zone) -> tuple[int, int]:
    return _real_stretch(second, second - local.second, MINUTE_S, zone)


def _real_stretch(second: int, start: int, length: int, zone: Zone) -> tuple[int, int]:
    """Return the hour or minute around a second, cut where the clock was changed within it."""
    offset = offset_at(second, zone)
    for first, until, there in stretches(start, start + length, zone):
        if there == offset and first <= second < until:
            return first, until
    raise AssertionError("a second lies in one of the stretches around it")


_BOUNDS: Final[Mapping[Grain, Callable[[datetime, int, Zone], tuple[int, int]]]] = MappingProxyType(
    {
        Grain.MINUTE: _minute,
        Grain.HOUR: _hour,
        Grain.DAY: _day,
        Grain.WEEK: _week,
        Grain.MONTH: _month,
        Grain.YEAR: _year,
    }
)

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
                return Naming(grain=grain, pattern=pattern)
            break
    raise PartError(f"{shown(pattern)} does not name one period: another would have its key", fix)
