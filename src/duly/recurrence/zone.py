"""The one reading of local time: fold 0, and the offset before a gap.

Inside this room an instant is a whole second since the epoch (UTC); a wall second is the same count on a local clock.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from duly.model.instant import SECOND_US, Instant
from duly.model.zone import Zone

DAY_S: Final = 86_400
HOUR_S: Final = 3_600
MINUTE_S: Final = 60

_EPOCH_ORDINAL: Final = 719_163
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LOCAL_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001  local by nature

# A zone remembers the offset of blocks of 3 days, None where it changes within. No zone leaves an offset and comes
# back to it so soon: 7 days occur (tests/adapters/test_zones.py).
_BLOCK_BITS: Final = 18
_BLOCKS_MAX: Final = 2_048

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
    second = wall_second(local)
    offset = offset_at(second - DAY_S, zone)
    if offset != offset_at(second + DAY_S, zone):
        offset = _seconds(local.replace(tzinfo=zone.info, fold=0).utcoffset())
    return second - offset


def wall_second(local: datetime) -> int:
    """Return the wall second that a local time reads; its zone is not looked at."""
    days = local.toordinal() - _EPOCH_ORDINAL
    return days * DAY_S + local.hour * HOUR_S + local.minute * MINUTE_S + local.second


def wall_time(second: int) -> datetime:
    """Return the naive local time of a wall second."""
    return _LOCAL_EPOCH + timedelta(seconds=second)


def offset_at(second: int, zone: Zone) -> int:
    """Return the UTC offset in force at a second, in seconds east."""
    block = second >> _BLOCK_BITS
    try:
        offset = zone.blocks[block]
    except KeyError:
        offset = _look_at(block, zone)
    return _exact_offset(second, zone) if offset is None else offset


def pass_of(second: int, zone: Zone) -> int | None:
    """Return which pass of a repeated local time a second is, 0 or 1; None when its local time happens once."""
    offset = offset_at(second, zone)
    if offset_at(second - DAY_S, zone) == offset == offset_at(second + DAY_S, zone):
        return None
    local = datetime.fromtimestamp(second, zone.info)
    other = local.replace(fold=1 - local.fold)
    return None if other.utcoffset() == local.utcoffset() else local.fold


def stretches(start: int, end: int, zone: Zone) -> Sequence[Stretch]:
    """Cut `[start, end)`, two days at most, where the offset changes, in order."""
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


@lru_cache(maxsize=64)
def offset_text(offset: int) -> str:
    """Return an offset as RFC 3339 writes it; seconds, which only old local mean times have, are shown too."""
    hours, rest = divmod(abs(offset), HOUR_S)
    minutes, seconds = divmod(rest, MINUTE_S)
    text = f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"
    return f"{text}:{seconds:02}" if seconds else text


def _look_at(block: int, zone: Zone) -> int | None:
    first = _exact_offset(block << _BLOCK_BITS, zone)
    last = _exact_offset(((block + 1) << _BLOCK_BITS) - 1, zone)
    if len(zone.blocks) >= _BLOCKS_MAX:
        zone.blocks.clear()
    offset = zone.blocks[block] = first if first == last else None
    return offset


def _exact_offset(second: int, zone: Zone) -> int:
    return _seconds(datetime.fromtimestamp(second, zone.info).utcoffset())


def _seconds(offset: timedelta | None) -> int:
    assert offset is not None
    return offset.days * DAY_S + offset.seconds
