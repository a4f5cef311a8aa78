"""The machine's clocks, which a test may move on."""

from dataclasses import replace

from duly.adapters.clock import Reading, SystemClock
from duly.model.instant import Instant


class MovingClock:
    """Goes as the machine's clocks do, and jumps ahead when told: as if that time had passed, awake, in one moment.

    Move it only while nothing runs: limits and leases count the jump too.
    """

    def __init__(self) -> None:
        """Show the machine's time at first."""
        self._clock, self._ahead_us = SystemClock(), 0

    def read(self) -> Reading:
        """Read all clocks."""
        found = self._clock.read()
        return replace(
            found,
            at=Instant(found.at + self._ahead_us),
            awake_us=found.awake_us + self._ahead_us,
            elapsed_us=found.elapsed_us + self._ahead_us,
        )

    def wall(self) -> Instant:
        """Read the wall clock."""
        return self.read().at

    def move(self, ahead_us: int) -> None:
        """Let that much time pass at once."""
        self._ahead_us += ahead_us
