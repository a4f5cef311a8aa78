"""Seeing suspends and steps of the wall clock, by comparing three clocks that otherwise run alike."""

from dataclasses import dataclass
from enum import Enum

from duly.engine.requests import Woke


class GapKind(Enum):
    """What happened to the clocks; stored in the audit."""

    STEP = "step"
    SUSPEND = "suspend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Two clocks that ran apart, by the time `seen`: `shown_us` went by on one, `real_us` on the other.

    A step: the wall clock, against the time that really passed. A suspend: the time that really passed, against the
    time awake.
    """

    kind: GapKind
    shown_us: int
    real_us: int
    seen: Woke


class Clocks:
    """Compares each moment with the one before it, so that slow slewing never adds up to a step."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._last: Woke | None = None
        self.unwritten: list[Gap] = []
        self.last_gap: Gap | None = None

    def observe(self, woke: Woke, least_us: int) -> bool:
        """Look at a moment; True if a gap of at least `least_us` lies between it and the one before."""
        last, self._last = self._last, woke
        if last is None:
            return False
        awake_us = woke.awake_us - last.awake_us
        elapsed_us = woke.elapsed_us - last.elapsed_us
        wall_us = woke.at - last.at
        found = (
            Gap(kind=GapKind.SUSPEND, shown_us=elapsed_us, real_us=awake_us, seen=woke),
            Gap(kind=GapKind.STEP, shown_us=wall_us, real_us=elapsed_us, seen=woke),
        )
        gaps = [gap for gap in found if abs(gap.shown_us - gap.real_us) >= least_us]
        self.unwritten += gaps
        if gaps:
            self.last_gap = gaps[-1]
        return bool(gaps)

    def is_settled(self, woke: Woke, after_us: int) -> bool:
        """Say whether no gap was seen, or the last one lies at least `after_us` (awake) behind."""
        return self.last_gap is None or woke.awake_us - self.last_gap.seen.awake_us >= after_us
