"""How instants are shown: RFC 3339 with the offset of a zone, and the zone's name beside it."""

from datetime import UTC

from duly.model.instant import SECOND_US, Instant, to_datetime, to_text
from duly.recurrence.zone import Zone


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
