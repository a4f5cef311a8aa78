"""Instants: integer microseconds since the Unix epoch in UTC, the only form of time below the interfaces."""

from datetime import UTC, datetime, timedelta
from typing import Final, NewType

Instant = NewType("Instant", int)

SECOND_US: Final = 1_000_000
MINUTE_US: Final = 60 * SECOND_US
HOUR_US: Final = 60 * MINUTE_US
DAY_US: Final = 24 * HOUR_US

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def from_datetime(moment: datetime) -> Instant:
    """Return the instant of an aware datetime; exact, no float in between."""
    return Instant((moment - _EPOCH) // _MICROSECOND)


def to_datetime(at: Instant) -> datetime:
    """Return the aware UTC datetime of an instant (years 1 to 9999)."""
    return _EPOCH + timedelta(microseconds=at)


def to_text(at: Instant) -> str:
    """Return RFC 3339 UTC text, with a fraction only where there is one: `2026-11-01T05:30:00Z`."""
    return to_datetime(at).replace(tzinfo=None).isoformat() + "Z"
