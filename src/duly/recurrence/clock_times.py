"""Which times of a local day a rule names, found without walking through the day.

Every class answers for one day, whose wall midnight means the second `midnight`: `within(first, until, midnight)`
returns the seconds after midnight in `[first, until)`, in order.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from duly.recurrence.zone import HOUR_S


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTimes:
    """Fixed readings of the local clock, as sorted seconds after midnight."""

    times: Sequence[int]

    def within(self, first: int, until: int, midnight: int) -> Sequence[int]:  # noqa: ARG002
        """Return the readings in a part of a day."""
        times = self.times
        return times[bisect_left(times, first) : bisect_left(times, until)]

    def first_from(self, start: int) -> int:
        """Return a second before which nothing is named from `start` on."""
        return start

    def last_until(self, end: int) -> int:
        """Return an end from which on nothing is named before `end`."""
        return end


@dataclass(frozen=True, slots=True, kw_only=True)
class HourClockTimes:
    """Fixed readings of the local clock, in every `step`-th second's hour counted in real time from `start`."""

    times: tuple[int, ...]
    start: int
    step: int

    def within(self, first: int, until: int, midnight: int) -> Sequence[int]:
        """Return the readings in a part of a day."""
        into = (midnight + first - self.start) % self.step
        hour = first - into if into < HOUR_S else first - into + self.step
        found: list[int] = []
        while hour < until:
            opens, closes = max(hour, first), min(hour + HOUR_S, until)
            found += self.times[bisect_left(self.times, opens) : bisect_left(self.times, closes)]
            hour += self.step
        return found

    def first_from(self, start: int) -> int:
        """Return a second before which nothing is named from `start` on."""
        into = (start - self.start) % self.step
        return start if into < HOUR_S else start + self.step - into

    def last_until(self, end: int) -> int:
        """Return an end from which on nothing is named before `end`."""
        into = (end - 1 - self.start) % self.step
        return end if into < HOUR_S else end - into + HOUR_S - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """Every `step` real seconds from `start`, where the local clock reads a time in one of the sorted `windows`."""

    start: int
    step: int
    windows: tuple[tuple[int, int], ...]

    def within(self, first: int, until: int, midnight: int) -> Sequence[int]:
        """Return the beats in a part of a day."""
        begin = midnight - self.start
        found: list[Sequence[int]] = []
        for opens, closes in self.windows:
            low, high = max(opens, first), min(closes, until)
            if low < high:
                beats = range(low + -(begin + low) % self.step, high, self.step)
                if beats:
                    found.append(beats)
        if len(found) == 1:
            return found[0]
        return [time for beats in found for time in beats]

    def first_from(self, start: int) -> int:
        """Return the first beat at or after `start`, by cadence alone."""
        return start + (self.start - start) % self.step

    def last_until(self, end: int) -> int:
        """Return the end just after the last beat before `end`, by cadence alone."""
        return end - (end - 1 - self.start) % self.step


TimesOfDay = ClockTimes | HourClockTimes | Cadence


def clock_times(hours: Sequence[int], minutes: Sequence[int], second: int) -> tuple[int, ...]:
    """Return every combination as sorted seconds after midnight."""
    return tuple(
        hour * HOUR_S + minute * 60 + second
        for hour in sorted(set(hours))
        for minute in sorted(set(minutes))
    )


def merged(windows: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Join neighbours of sorted windows."""
    joined: list[tuple[int, int]] = []
    for opens, closes in windows:
        if joined and joined[-1][1] == opens:
            joined[-1] = (joined[-1][0], closes)
        else:
            joined.append((opens, closes))
    return tuple(joined)
