"""A clock that a test moves; between moves it runs like the machine's."""

import threading

from duly.adapters.clock import Reading, SystemClock
from duly.model.instant import Instant


class MovedClock:
    """Starts at `at`. `jump` is time that passes at once, `step` sets the wall clock, `suspend` is time asleep."""

    def __init__(self, at: Instant) -> None:
        self._system = SystemClock()
        self._lock = threading.Lock()
        now = self._system.read()
        self._wall = int(at) - now.at
        self._awake = 0
        self._elapsed = 0

    def read(self) -> Reading:
        now = self._system.read()
        with self._lock:
            return Reading(
                at=Instant(now.at + self._wall),
                awake_us=now.awake_us + self._awake,
                elapsed_us=now.elapsed_us + self._elapsed,
            )

    def jump(self, us: int) -> None:
        with self._lock:
            self._wall += us
            self._awake += us
            self._elapsed += us

    def step(self, us: int) -> None:
        with self._lock:
            self._wall += us

    def suspend(self, us: int) -> None:
        with self._lock:
            self._wall += us
            self._elapsed += us
