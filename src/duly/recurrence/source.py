"""Where instants come from: three sources that can be searched from any second, forwards and backwards.

A run is a shift and a sorted, non-empty sequence; each element plus the shift is one second. Runs come in order and
never overlap; a search costs the same however old DTSTART is, and raises WorkBudgetExceededError with a cursor.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from duly.model.zone import Zone
from duly.recurrence.calendar_day import FIRST_DAY, LAST_DAY
from duly.recurrence.clock_times import TimesOfDay
from duly.recurrence.days import Days
from duly.recurrence.pieces import by_day, elapsed_pieces, wall_pieces
from duly.recurrence.work import DAY_UNITS, Work
from duly.recurrence.zone import DAY_S, HOUR_S, offset_at

Run = tuple[int, Sequence[int]]

FIRST_S: Final = (FIRST_DAY + 2) * DAY_S
END_S: Final = (LAST_DAY - 2) * DAY_S


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTime:
    """A single second; `wall` is the local reading that was asked for, which a gap may have moved."""

    second: int
    wall: int

    def forward(self, start: int, end: int, work: Work) -> Iterator[Run]:  # noqa: ARG002
        """Yield the second if it lies in `[start, end)`."""
        if start <= self.second < end:
            yield self.second, (0,)

    def backward(self, start: int, end: int, work: Work) -> Iterator[Run]:
        """Yield the second if it lies in `[start, end)`."""
        return self.forward(start, end, work)

    def names(self, wall: int) -> bool:
        """Say whether a local reading was asked for as it stands."""
        return wall == self.wall


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainCadence:
    """Every `step` seconds in `[start, end)`, whatever the local clock shows."""

    start: int
    step: int
    end: int

    def forward(self, start: int, end: int, work: Work) -> Iterator[Run]:  # noqa: ARG002
        """Yield all beats in `[start, end)` at once."""
        first = self.start + -(-max(0, start - self.start) // self.step) * self.step
        beats = range(first, min(end, self.end), self.step)
        if beats:
            yield 0, beats

    def backward(self, start: int, end: int, work: Work) -> Iterator[Run]:
        """Yield all beats in `[start, end)` at once."""
        return self.forward(start, end, work)

    def names(self, wall: int) -> bool:  # noqa: ARG002
        """Say that a cadence follows no local reading."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTimes:
    """Times of named days in `[start, end)`, read by wall time or at real cadence.

    Wall readings are bounded by `wall_start` and `wall_end` too, before they are resolved.
    """

    zone: Zone
    days: Days
    times: TimesOfDay
    by_wall: bool
    start: int
    end: int
    wall_start: int = FIRST_S - DAY_S
    wall_end: int = END_S + DAY_S

    def forward(self, start: int, end: int, work: Work) -> Iterator[Run]:
        """Yield the runs in `[start, end)`, oldest first."""
        start, end = max(start, self.start), min(end, self.end)
        while start < end:
            start = self.times.first_from(start)
            if start >= end:
                return
            work.spend(DAY_UNITS, start)
            offset = offset_at(start, self.zone)
            day = (start + offset) // DAY_S
            midnight = min((day + 1) * DAY_S - offset, end)
            yield from self._runs(day, start, midnight, offset)
            following = self.days.first_from(day, work)
            if following is None:
                return
            start = midnight if following <= day + 1 else max(midnight, self._begins(following))

    def backward(self, start: int, end: int, work: Work) -> Iterator[Run]:
        """Yield the runs in `[start, end)`, newest first."""
        start, end = max(start, self.start), min(end, self.end)
        while start < end:
            end = self.times.last_until(end)
            if end <= start:
                return
            work.spend(DAY_UNITS, end)
            offset = offset_at(end - 1, self.zone)
            day = (end - 1 + offset) // DAY_S
            midnight = max(day * DAY_S - offset, start)
            yield from reversed(self._runs(day, midnight, end, offset))
            preceding = self.days.last_until(day, work)
            if preceding is None:
                return
            end = midnight if preceding >= day - 1 else min(midnight, self._ends(preceding))

    def names(self, wall: int) -> bool:
        """Say whether a local reading is named as it stands."""
        time = wall % DAY_S
        return self.days.has(wall // DAY_S) and bool(self.times.within(time, time + 1, wall - time))

    def _runs(self, day: int, start: int, end: int, offset: int) -> list[Run]:
        """Return the runs in a part of day `day` if the offset is steady; else those in the span, whatever its days."""
        zone = self.zone
        if (
            offset_at(start - DAY_S, zone)
            == offset
            == offset_at(start, zone)
            == offset_at(end - 1, zone)
        ):
            return self._read(((day, start + offset, end + offset, offset),))
        pieces = wall_pieces(start, end, zone) if self.by_wall else elapsed_pieces(start, end, zone)
        runs = self._read(by_day(pieces))
        if not self.by_wall:
            return runs
        # Readings moved by a gap mix with later ones, and may mean the same second.
        seconds = sorted({shift + time for shift, times in runs for time in times})
        return [(0, seconds)] if seconds else []

    def _read(self, parts: Iterable[tuple[int, int, int, int]]) -> list[Run]:
        """Return the runs in parts of days: day, first wall second, end and offset."""
        runs: list[Run] = []
        for day, first, until, offset in parts:
            if self.days.has(day):
                midnight = day * DAY_S
                opens = max(first, self.wall_start) - midnight
                closes = min(until, self.wall_end) - midnight
                times = self.times.within(opens, closes, midnight - offset)
                if times:
                    runs.append((midnight - offset, times))
        return runs

    def _begins(self, day: int) -> int:
        """Return a second before which no reading of a day means anything."""
        return day * DAY_S - max(self._offsets_near(day))

    def _ends(self, day: int) -> int:
        """Return a second from which on no reading of a day means anything."""
        return (day + 1) * DAY_S - min(self._offsets_near(day + 1))

    def _offsets_near(self, day: int) -> tuple[int, int]:
        # Offsets lie between -15 h and +15 h, and a gap moves a reading by a day at most.
        midnight = day * DAY_S
        return (
            offset_at(midnight - 40 * HOUR_S, self.zone),
            offset_at(midnight + 16 * HOUR_S, self.zone),
        )


Source = OneTime | PlainCadence | DayTimes
