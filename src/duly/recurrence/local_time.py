"""Reads local times as people and calendars write them, strictly."""

import re
from datetime import datetime
from typing import Final

from duly.recurrence.zone import wall_second

_DATE: Final = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME: Final = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?"
_EXTENDED: Final = re.compile(rf"{_DATE}[T ]{_TIME}", re.ASCII)
_COMPACT: Final = re.compile(
    r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})", re.ASCII
)

YEARS: Final = range(1970, 9999)


def parse_local(text: str) -> datetime | None:
    """Return the naive time of `2026-03-01T09:00[:00]` (T or a space) or `20260301T090000`; None if it is neither."""
    match = _EXTENDED.fullmatch(text) or _COMPACT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
    try:
        local = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001  local by nature
    except ValueError:
        return None
    return local if local.year in YEARS else None


def parse_compact(text: str) -> int | None:
    """Return the wall second of `20260301T090000`; None if it is not one."""
    local = parse_local(text) if _COMPACT.fullmatch(text) else None
    return None if local is None else wall_second(local)


def local_text(local: datetime) -> str:
    """Return a naive time as rules store it: `2026-03-01T09:00:00`."""
    return local.replace(tzinfo=None, microsecond=0).isoformat()
