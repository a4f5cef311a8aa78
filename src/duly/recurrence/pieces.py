"""How a span of real time is read on a local clock, piece by piece, for each anchor class.

A piece is a run of wall seconds with one offset: wall second `w` of it means the second `w - offset`.
"""

from collections.abc import Iterator, Sequence

from duly.model.zone import Zone
from duly.recurrence.zone import DAY_S, Stretch, stretches

Piece = tuple[int, int, int]
"""First wall second, end (exclusive) and offset."""


def elapsed_pieces(start: int, end: int, zone: Zone) -> Sequence[Piece]:
    """Return what the clock really shows in `[start, end)`: repeated times twice, skipped times never."""
    return tuple(
        (first + offset, until + offset, offset)
        for first, until, offset in stretches(start, end, zone)
    )


def wall_pieces(start: int, end: int, zone: Zone) -> Sequence[Piece]:
    """Return the wall times that mean a second in `[start, end)`, each by its one reading.

    The second pass of a repeated time means nothing; a time in a gap means a second after the gap. Pieces of a gap
    overlap others, so two wall times may mean the same second. No offset changes by more than a day.
    """
    pieces: list[Piece] = []
    before: int | None = None
    for stretch in stretches(start - DAY_S, end, zone):
        pieces.extend(_read_once(stretch, before, start, end))
        before = stretch[2]
    return pieces


def by_day(pieces: Sequence[Piece]) -> Iterator[tuple[int, int, int, int]]:
    """Cut pieces at midnights: day, first wall second, end and offset of each part."""
    for first, until, offset in pieces:
        for day in range(first // DAY_S, -(-until // DAY_S)):
            yield day, max(first, day * DAY_S), min(until, (day + 1) * DAY_S), offset


def _read_once(stretch: Stretch, before: int | None, start: int, end: int) -> Sequence[Piece]:
    first, until, offset = stretch
    if before is None or before == offset:
        return _cut(first + offset, until + offset, offset, (start, end))
    if before > offset:
        return _cut(first + before, until + offset, offset, (start, end))
    regular = _cut(first + offset, until + offset, offset, (start, end))
    skipped = _cut(first + before, first + offset, before, (start, end))
    return (*regular, *skipped)


def _cut(first: int, until: int, offset: int, span: tuple[int, int]) -> Sequence[Piece]:
    first = max(first, span[0] + offset)
    until = min(until, span[1] + offset)
    return ((first, until, offset),) if first < until else ()
