"""The machine's clocks, read in one place."""

import time
from dataclasses import dataclass
from typing import Final, Protocol

from duly.model.instant import Instant

# Elsewhere (macOS) the monotonic clock is all there is, and a suspend shows as a step of the wall clock.
_ELAPSED: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The clocks at one moment: wall time; µs awake (stands still in a suspend); µs elapsed (goes on in one)."""

    at: Instant
    awake_us: int
    elapsed_us: int


class Clock(Protocol):
    """Whoever can tell the time."""

    def read(self) -> Reading:
        """Read all clocks."""
        ...


class SystemClock:
    """The clocks of this machine."""

    def read(self) -> Reading:
        """Read all clocks, one after the other."""
        return Reading(
            at=wall(),
            awake_us=time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000,
            elapsed_us=time.clock_gettime_ns(_ELAPSED) // 1000,
        )


def wall() -> Instant:
    """Read the wall clock, which people and the network may set."""
    return Instant(time.time_ns() // 1000)
