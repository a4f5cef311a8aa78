"""How well a node is, and the watchdog that ends the process when it is not: silence is the worst failure."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from duly.engine.driver import PULSE_US_MAX
from duly.engine.settings import Settings

LOOKS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """A node at one moment; ages in µs awake. `scan_age_us` counts finished scans, `try_age_us` also failing ones.

    `failed_admissions`: automations that were suspended; `lost_admissions`: answered by somebody else in between.
    `verdict`: why the node gave up. `deaths`: the loops that ended by a bug, newest last, as people read them.
    `ailing`: the services that died not long ago. `outage`: why the last write of the scanner failed, or None.
    """

    is_alive: bool
    is_draining: bool
    pulse_age_us: int
    scan_age_us: int
    try_age_us: int
    running: int
    failed_admissions: int
    lost_admissions: int
    deaths: tuple[str, ...]
    verdict: str | None
    is_low_on_space: bool = False
    outage: str | None = None
    ailing: tuple[str, ...] = ()


class Fitness(Enum):
    """How a node is, in one word: as it should be, working with something broken, or not doing its duty."""

    OK = "ok"
    DEGRADED = "degraded"
    FAILING = "failing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How a node is, and why it is not better."""

    fitness: Fitness
    reasons: tuple[str, ...] = ()


def condition(health: Health, settings: Settings) -> Condition:
    """Say how a node is, for those who watch it. More than `complaint` tells: not all is cured by a new process."""
    failing, degraded = _failings(health, settings), _flaws(health)
    if failing:
        return Condition(fitness=Fitness.FAILING, reasons=(*failing, *degraded))
    return Condition(fitness=Fitness.DEGRADED if degraded else Fitness.OK, reasons=degraded)


def _failings(health: Health, settings: Settings) -> tuple[str, ...]:
    found = [complaint(health, settings)]
    if health.outage is not None:
        found.append(f"the ledger cannot be written: {health.outage}")
    if health.is_low_on_space:
        found.append("the disk is nearly full: nothing new is admitted")
    if not health.is_draining and health.scan_age_us > 2 * settings.scan_wake_us_max:
        found.append(f"no slot was answered for {health.scan_age_us // 1_000_000} s")
    return tuple(one for one in found if one is not None)


def _flaws(health: Health) -> tuple[str, ...]:
    died = tuple(f"the {name} died a while ago and was started again" for name in health.ailing)
    return (*died, "it was told to stop and takes no new work") if health.is_draining else died


def complaint(health: Health, settings: Settings) -> str | None:
    """Say why this node is no good any more; None: it is well.

    A scanner that tries in vain (the disk is full, the ledger is away) is no reason: a new process would fare the same.
    """
    if health.verdict is not None:
        return health.verdict
    if not health.is_alive:
        return "the engine thread is dead"
    if health.pulse_age_us > 2 * max(settings.scan_wake_us_max, PULSE_US_MAX):
        return f"the engine thread has not moved for {health.pulse_age_us // 1_000_000} s"
    if not health.is_draining and health.try_age_us > 2 * settings.scan_wake_us_max:
        return f"nothing was scanned for {health.try_age_us // 1_000_000} s"
    return None


class Watchdog:
    """A thread of its own that looks at a node's health, and says once that it is no good.

    It has to see that twice in a row: a process that was stopped and goes on gets the chance to move first.
    """

    def __init__(
        self, look: Callable[[], Health], settings: Settings, give_up: Callable[[str], None]
    ) -> None:
        """`give_up` is called on the watchdog's thread, with the complaint."""
        self._look, self._settings, self._give_up = look, settings, give_up
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="duly-watchdog", daemon=True)

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more."""
        self._is_stopping.set()
        if self._thread is not threading.current_thread() and self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        was_well = True
        while not self._is_stopping.wait(self._settings.scan_wake_us_max / LOOKS / 1e6):
            found = complaint(self._look(), self._settings)
            if found is not None and not was_well:
                self._give_up(found)
                return
            was_well = found is None
