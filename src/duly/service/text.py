"""How instants are shown: RFC 3339 with the offset of a zone, and the zone's name beside it."""

import re
from datetime import UTC, datetime
from typing import Final

from duly.model.errors import Fault, ValidationError
from duly.model.instant import SECOND_US, Instant, from_datetime, to_datetime, to_text
from duly.model.zone import Zone
from duly.recurrence.faults import shown
from duly.recurrence.local_time import YEARS
from duly.recurrence.zone import resolve

# What is kept is the day, hour and minute, and the offset.
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)")


def local(at: Instant | None, zone: Zone) -> str | None:
    """Return the wall time in a zone with its offset, to the second: `2026-11-01T01:30:00-04:00`."""
    if at is None:
        return None
    moment = to_datetime(Instant(at - at % SECOND_US)).astimezone(zone.info)
    return moment.isoformat()


def utc(at: Instant | None) -> str | None:
    """Return RFC 3339 UTC text."""
    return None if at is None else to_text(at)


def stamp(at: Instant) -> str:
    """Return UTC to the second, short enough for a table."""
    return to_datetime(at).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def minute(moment: str | None) -> str | None:
    """Return RFC 3339 text to the minute, short enough for a table: `2026-12-01 02:30+01:00`."""
    return None if moment is None else _MOMENT.sub(r"\1 \2\4", moment)


def parse(text: str, pointer: str, zone: Zone | None = None) -> Instant:
    """Return the instant of RFC 3339 text; without an offset it is read in `zone`, or as UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _no_time(text, pointer) from None
    if moment.year not in YEARS:
        raise _no_time(text, pointer)
    if moment.tzinfo is None:
        return resolve(moment, zone) if zone else from_datetime(moment.replace(tzinfo=UTC))
    return from_datetime(moment)


def _no_time(text: str, pointer: str) -> ValidationError:
    fix = f"write 2026-12-24T18:00:00Z, or with another offset; years {YEARS[0]} to {YEARS[-1]}"
    return ValidationError(
        [Fault(pointer=pointer, message=f"{shown(text)} is not a time", fix=fix)]
    )
