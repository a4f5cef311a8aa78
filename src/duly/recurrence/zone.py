"""A zone's data as a value, and the one reading of local time: fold 0, and the offset before a gap.

Inside this room an instant is a whole second since the epoch (UTC); a wall second is the same count on a local clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from duly.model.instant import SECOND_US, Instant

DAY_S: Final = 86_400
HOUR_S: Final = 3_600
MINUTE_S: Final = 60

_EPOCH_ORDINAL: Final = 719_163
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """An IANA zone: its name as typed, its rules, and the tzdata release that they come from."""

    name: str
    info: tzinfo
    version: str


Stretch = tuple[int, int, int]
"""First second, end (exclusive) and offset of a stretch of time in which the offset does not change."""


def resolve(local: datetime, zone: Zone) -> Instant:
    """Return the one instant that a naive local time means.

    A repeated time means its first instant; a time inside a gap is read with the offset before the gap.
    """
    return Instant(second_of(local, zone) * SECOND_US + local.microsecond)


def wall(at: Instant, zone: Zone) -> datetime:
    """Return the aware local time of an instant; its fold says which pass of a repeated time it is."""
    return (_EPOCH + timedelta(microseconds=at)).astimezone(zone.info)


def second_of(local: datetime, zone: Zone) -> int:
    """Return the second in which a naive local time falls, by the one reading."""
    offset = local.replace(tzinfo=zone.info, fold=0).utcoffset()
    assert offset is not None
    return wall_second(local) - (offset.days * DAY_S + offset.seconds)


def wall_second(local: datetime) -> int:
    """Return the wall second that a local time reads; its zone is not looked at."""
    days = local.toordinal() - _EPOCH_ORDINAL
    return days * DAY_S + local.hour * HOUR_S + local.minute * MINUTE_S + local.second


def wall_time(second: int) -> datetime:
    """Return the naive local time of a wall second."""
    return datetime.fromtimestamp(second, UTC).replace(tzinfo=None)


def reading(second: int, zone: Zone) -> datetime:
    """Return the aware local time of a second."""
    return datetime.fromtimestamp(second, zone.info)


def offset_at(second: int, zone: Zone) -> int:
    """Return the UTC offset in force at a second, in seconds east."""
    offset = datetime.fromtimestamp(second, zone.info).utcoffset()
    assert offset is not None
    return offset.days * DAY_S + offset.seconds


def stretches(start: int, end: int, zone: Zone) -> Sequence[Stretch]:
    """Cut `[start, end)` where the offset changes, in order.

    Assumes that no zone leaves an offset and comes back to it within the two days that callers ask for.
    """
    first, last = offset_at(start, zone), offset_at(end - 1, zone)
    if first == last:
        return ((start, end, first),)
    low, high = start, end - 1
    while high - low > 1:
        middle = (low + high) // 2
        if offset_at(middle, zone) == first:
            low = middle
        else:
            high = middle
    return ((start, high, first), *stretches(high, end, zone))
