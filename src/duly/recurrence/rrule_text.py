"""Reads the text of an RFC 5545 rule into its parts, strictly; which parts go together is looked at elsewhere."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from duly.recurrence.faults import Faults, PartError, shown
from duly.recurrence.local_time import parse_compact

TEXT_CHARS_MAX: Final = 2_000
INTERVAL_MAX: Final = 1_000_000
COUNT_MAX: Final = 1_000_000_000


class Frequency(Enum):
    """FREQ, slowest first."""

    YEARLY = "YEARLY"
    MONTHLY = "MONTHLY"
    WEEKLY = "WEEKLY"
    DAILY = "DAILY"
    HOURLY = "HOURLY"
    MINUTELY = "MINUTELY"


WEEKDAYS: Final = MappingProxyType(
    {name: number for number, name in enumerate(("MO", "TU", "WE", "TH", "FR", "SA", "SU"))}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """The last moment of a rule: UTC when written with Z, else local time in the rule's zone."""

    wall: int  # wall second, on the UTC clock or the zone's
    is_utc: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RruleParts:
    """A rule's parts; an empty tuple means that the part was not given. BYDAY pairs are (ordinal or 0, weekday)."""

    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: Until | None = None
    week_start: int = 0
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    weeks: tuple[int, ...] = ()
    weekdays: tuple[tuple[int, int], ...] = ()
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()

    @property
    def has_ordinals(self) -> bool:
        """True when BYDAY counts weekdays, as in `1MO`."""
        return any(ordinal for ordinal, _ in self.weekdays)


def parse(text: str, faults: Faults) -> RruleParts | None:
    """Return the parts of rule text without its `RRULE:` prefix; None when a fault was added."""
    before = len(faults.found)
    if len(text) > TEXT_CHARS_MAX:
        faults.add(f"the rule is {len(text)} characters long; {TEXT_CHARS_MAX} are allowed")
        return None
    values: dict[str, Any] = {}
    for name, value in _split(text, faults).items():
        try:
            field, read = _known(name)
            values[field] = read(value)
        except PartError as error:
            faults.add(f"{shown(name)[1:-1]}: {error.message}", error.fix)
    if "frequency" not in values and "FREQ" not in text:
        faults.add("FREQ is missing", "begin with FREQ=DAILY; or another frequency")
    return RruleParts(**values) if len(faults.found) == before else None


def _split(text: str, faults: Faults) -> Mapping[str, str]:
    parts: dict[str, str] = {}
    for piece in text.split(";"):
        name, equals, value = piece.partition("=")
        if not (name and equals and value):
            faults.add(f"{shown(piece)} is not NAME=VALUE", "separate parts by one semicolon")
        elif name in parts:
            faults.add(f"{shown(name)[1:-1]} is given twice", "keep one of them")
        else:
            parts[name] = value
    return parts


def _known(name: str) -> tuple[str, Callable[[str], Any]]:
    if name in _READERS:
        return _READERS[name]
    raise PartError(*_REFUSED.get(name, ("unknown part", "RFC 5545 §3.3.10 lists the parts")))


def _frequency(value: str) -> Frequency:
    if value == "SECONDLY":
        raise PartError("SECONDLY is not supported yet", "use FREQ=MINUTELY")
    try:
        return Frequency(value)
    except ValueError:
        names = ", ".join(frequency.value for frequency in Frequency)
        raise PartError(f"{shown(value)} is no frequency", f"use one of {names}") from None


_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,10}", re.ASCII)


def _integer(text: str, low: int, high: int) -> int:
    if not _INTEGER.fullmatch(text):
        raise PartError(f"{shown(text)} is not a whole number")
    number = int(text)
    if not low <= number <= high:
        raise PartError(f"{number} is outside {low} to {high}")
    return number


def _whole(low: int, high: int) -> Callable[[str], int]:
    return lambda value: _integer(value, low, high)


def _integers(low: int, high: int) -> Callable[[str], tuple[int, ...]]:
    return lambda value: tuple(sorted({_integer(item, low, high) for item in value.split(",")}))


def _counted(what: str, most: int) -> Callable[[str], tuple[int, ...]]:
    """Read numbers from 1 on, or from -1 back from the end."""

    def read(value: str) -> tuple[int, ...]:
        numbers = _integers(-most, most)(value)
        if 0 in numbers:
            raise PartError(
                f"there is no {what} 0", f"count from 1, or from -1 for the last {what}"
            )
        return numbers

    return read


def _week_start(value: str) -> int:
    if value not in WEEKDAYS:
        raise PartError(f"{shown(value)} is no weekday", "use MO, TU, WE, TH, FR, SA or SU")
    return WEEKDAYS[value]


_WEEKDAY: Final = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)


def _weekdays(value: str) -> tuple[tuple[int, int], ...]:
    return tuple(sorted({_weekday(item) for item in value.split(",")}))


def _weekday(item: str) -> tuple[int, int]:
    match = _WEEKDAY.fullmatch(item)
    if match is None:
        raise PartError(f"{shown(item)} is no weekday", "write MO, or 1MO for the first Monday")
    if match[1] is None:
        return 0, WEEKDAYS[match[2]]
    ordinal = int(match[1])
    if ordinal == 0:
        raise PartError(f"{item}: there is no weekday number 0", f"write {match[2]}")
    return ordinal, WEEKDAYS[match[2]]


def _until(value: str) -> Until:
    if re.fullmatch(r"[0-9]{8}", value, re.ASCII):
        raise PartError(
            "a date alone is read differently by every program", f"write UNTIL={value}T235959"
        )
    wall = parse_compact(value.removesuffix("Z"))
    if wall is None:
        raise PartError(f"{shown(value)} is no time", "write 20261231T235959 or 20261231T235959Z")
    return Until(wall=wall, is_utc=value.endswith("Z"))


_READERS: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = MappingProxyType(
    {
        "FREQ": ("frequency", _frequency),
        "INTERVAL": ("interval", _whole(1, INTERVAL_MAX)),
        "COUNT": ("count", _whole(1, COUNT_MAX)),
        "UNTIL": ("until", _until),
        "WKST": ("week_start", _week_start),
        "BYMONTH": ("months", _integers(1, 12)),
        "BYMONTHDAY": ("month_days", _counted("day", 31)),
        "BYYEARDAY": ("year_days", _counted("day", 366)),
        "BYWEEKNO": ("weeks", _counted("week", 53)),
        "BYDAY": ("weekdays", _weekdays),
        "BYHOUR": ("hours", _integers(0, 23)),
        "BYMINUTE": ("minutes", _integers(0, 59)),
    }
)

_REFUSED: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "BYSETPOS": ("not supported yet", "for the first Monday of a month write BYDAY=1MO"),
        "BYSECOND": ("not supported yet", "leave it out; seconds come from DTSTART"),
        "RSCALE": ("only the Gregorian calendar is supported", "leave it out"),
        "SKIP": ("dates that do not exist are always left out", "leave it out"),
        "DTSTART": ("is no part of the rule", "put it in schedule.dtstart, or on its own line"),
        "TZID": ("is no part of the rule", "put the zone in schedule.timezone"),
        "RDATE": ("is no part of the rule, and not supported yet", ""),
        "EXDATE": ("is no part of the rule, and not supported yet", ""),
    }
)
