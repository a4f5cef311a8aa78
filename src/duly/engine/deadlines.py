"""When loops have to be woken: by wall time, and by time awake."""

import heapq
import itertools
from collections.abc import Iterator
from typing import Final

from duly.adapters.clock import Reading
from duly.engine.loop_state import LoopState
from duly.engine.requests import Wait

_Entry = tuple[int, int, LoopState, Wait]
_STALE_MIN: Final = 256


class Deadlines:
    """Two heaps. Entries whose wait ended in another way are stale; they are left out when met, and swept when many."""

    def __init__(self) -> None:
        """Start with none."""
        self._wall: list[_Entry] = []
        self._awake: list[_Entry] = []
        self._numbers = itertools.count()
        self._swept = 0

    def add(self, loop: LoopState, wait: Wait) -> None:
        """Wake the loop when `wait` is over, if it still waits for that."""
        if wait.until is not None:
            heapq.heappush(self._wall, (wait.until, next(self._numbers), loop, wait))
        if wait.until_awake_us is not None:
            heapq.heappush(self._awake, (wait.until_awake_us, next(self._numbers), loop, wait))
        if len(self._wall) + len(self._awake) > 2 * self._swept + _STALE_MIN:
            self._sweep()

    def us_to_next(self, now: Reading) -> int | None:
        """Return the time to the earliest deadline, 0 if it is over, None if there is none."""
        _drop_stale(self._wall)
        _drop_stale(self._awake)
        found = [self._wall[0][0] - now.at] if self._wall else []
        if self._awake:
            found.append(self._awake[0][0] - now.awake_us)
        return max(0, min(found)) if found else None

    def expired(self, now: Reading) -> Iterator[LoopState]:
        """Take the loops whose deadline is over; whoever takes one resumes it before taking the next."""
        for heap, at in ((self._wall, int(now.at)), (self._awake, now.awake_us)):
            while heap and heap[0][0] <= at:
                _, _, loop, wait = heapq.heappop(heap)
                if loop.wait is wait:
                    yield loop

    def _sweep(self) -> None:
        for heap in (self._wall, self._awake):
            heap[:] = [entry for entry in heap if entry[2].wait is entry[3]]
            heapq.heapify(heap)
        self._swept = len(self._wall) + len(self._awake)


def _drop_stale(heap: list[_Entry]) -> None:
    while heap and heap[0][2].wait is not heap[0][3]:
        heapq.heappop(heap)
