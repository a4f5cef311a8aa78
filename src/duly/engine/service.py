"""The engine of one node: starts its loops, says how it is, drains and stops it."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from duly.adapters.clock import Clock
from duly.adapters.launch.launch import Launchers
from duly.engine import guard, quiet, scanner, worker
from duly.engine.answerer import KEYS as ANSWERER_KEYS
from duly.engine.answerer import answerer
from duly.engine.children import Children
from duly.engine.clock_watch import clock_watch
from duly.engine.driver import Death, Driver, DriverParts, Performers
from duly.engine.health import Health, Watchdog
from duly.engine.janitor import janitor
from duly.engine.keeper import KEYS as KEEPER_KEYS
from duly.engine.keeper import deadline_guard, keeper
from duly.engine.node import Node
from duly.engine.requests import DRAIN, Loop, Steps, Write
from duly.engine.rescuer import KEYS as RESCUER_KEYS
from duly.engine.rescuer import rescuer
from duly.engine.supervisor import Service, kept_alive
from duly.engine.teller import KEYS as TELLER_KEYS
from duly.engine.teller import teller
from duly.ledger.api.core import Ledger
from duly.ledger.api.tx import Tx
from duly.model.instant import Instant
from duly.model.records import Node as NodeRow
from duly.transactions.nodes import register, stopped

SERVICES: Final = (
    Service(name="rescuer", make=rescuer, keys=RESCUER_KEYS),
    Service(name="scanner", make=scanner.scanner, keys=scanner.KEYS),
    Service(name="worker", make=worker.worker, keys=worker.KEYS),
    Service(name="keeper", make=keeper, keys=KEEPER_KEYS),
    Service(name="deadline guard", make=deadline_guard, keys=KEEPER_KEYS),
    Service(name="answerer", make=answerer, keys=ANSWERER_KEYS, is_vital=False),
    Service(name="teller", make=teller, keys=TELLER_KEYS, is_vital=False),
    Service(name="clock watch", make=clock_watch, is_vital=False),
    Service(name="janitor", make=janitor, is_vital=False),
)
DEATHS_KEPT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineParts:
    """What an engine is made of.

    `give_up` is called once, on a thread of its own, when the node is no good any more: end the process, non-zero.
    `on_death` hears of each loop that ended by a bug. `services` and `survives` are for tests of recovery.
    """

    node: Node
    ledger: Ledger
    clock: Clock
    performers: Performers
    launchers: Launchers
    give_up: Callable[[str], None]
    on_death: Callable[[Death], None] = lambda _: None
    services: tuple[Service, ...] = SERVICES
    survives: Callable[[Write[Any]], bool] = lambda _: True


class Engine:
    """One node at work. Its methods may be called from any thread but its own."""

    def __init__(self, parts: EngineParts) -> None:
        """Make everything; `start` starts it."""
        self._parts, self._node = parts, parts.node
        self._deaths: deque[str] = deque(maxlen=DEATHS_KEPT)
        # Those that end by themselves when the node drains, having told of what ended.
        self._at_work = {"scanner", "worker", "teller"} & {
            service.name for service in parts.services
        }
        self._drained = threading.Event()
        self._started_us = parts.clock.read().awake_us
        self._driver = Driver(
            DriverParts(
                ledger=parts.ledger,
                clock=parts.clock,
                performers=parts.performers,
                programs=lambda deliver: Children(
                    launchers=parts.launchers, clock=parts.clock, deliver=deliver
                ),
                outside_threads=parts.node.settings.outside_threads,
                on_death=self._note_death,
                survives=parts.survives,
            )
        )
        self._watchdog = Watchdog(self.health, parts.node.settings, parts.give_up)

    def start(self) -> None:
        """Register the node, then start every loop."""
        self._parts.ledger.write(register, self._row())
        self._driver.start()
        for service in self._parts.services:
            steps = self._noting_end(service)
            self._driver.spawn(Loop(steps, (), f"keeping the {service.name}"))
        self._watchdog.start()

    def poke(self) -> None:
        """Make the engine look at its clock now (a clock that a test sets does not wake anybody)."""
        self._driver.post(_nothing)

    def health(self) -> Health:
        """Say how the node is."""
        now_us = self._parts.clock.read().awake_us
        node = self._node
        return Health(
            is_alive=self._driver.is_alive(),
            is_draining=node.is_draining,
            pulse_age_us=now_us - self._driver.pulse_us,
            scan_age_us=now_us - (node.scanned_us or self._started_us),
            try_age_us=now_us - (node.tried_us or self._started_us),
            running=len(node.held),
            failed_admissions=node.failed_admissions,
            lost_admissions=node.lost_admissions,
            deaths=tuple(self._deaths),
            verdict=node.verdict,
            is_low_on_space=node.is_low_on_space(),
            outage=node.outage,
            ailing=self._ailing(now_us),
        )

    def _ailing(self, now_us: int) -> tuple[str, ...]:
        within_us = self._node.settings.deaths_within_us
        # A copy: the engine thread may add to it meanwhile.
        died = tuple(self._node.died_us.items())
        return tuple(sorted(name for name, at_us in died if now_us - at_us < within_us))

    def wait_idle(self, timeout_us: int) -> bool:
        """Wait until everything that became claimable is settled; False: it was not in time."""
        return self._wait(quiet.until_quiet(self._node), quiet.KEYS, timeout_us)

    def wait_until(
        self,
        fn: Callable[[Tx, Any], bool],
        command: Any,
        keys: tuple[str, ...],
        timeout_us: int,
    ) -> bool:
        """Wait until a read answers True; it is repeated after each of the wake keys, and each second."""
        return self._wait(quiet.until_true(fn, command, keys), keys, timeout_us)

    def drain(self, timeout_us: int) -> bool:
        """Take no new work and wait for what runs; False: some of it still runs."""
        self._driver.post(self._begin_drain)
        return self._await(self._drained, timeout_us)

    def stop(self) -> None:
        """End every loop and thread, and kill what still runs; its runs are taken back at the next start."""
        self._watchdog.stop()
        was_alive = self._driver.is_alive()
        self._driver.stop()
        if was_alive:
            # A ledger that died tells nobody that the node stopped; the next start finds out.
            guard.call(self._parts.ledger.write, stopped, self._node.owner)

    def _begin_drain(self) -> None:
        self._node.is_draining = True
        self._driver.wake(frozenset((DRAIN,)))

    def _noting_end(self, service: Service) -> Steps[None]:
        yield from kept_alive(service, self._node)
        self._at_work.discard(service.name)
        if not self._at_work:
            self._drained.set()

    def _wait(self, steps: Steps[None], keys: tuple[str, ...], timeout_us: int) -> bool:
        is_over = threading.Event()

        def noting() -> Steps[None]:
            yield from steps
            is_over.set()

        self._driver.spawn(Loop(noting(), keys, "waiting"))
        return self._await(is_over, timeout_us)

    def _await(self, event: threading.Event, timeout_us: int) -> bool:
        """Wait for an event of the engine thread, but not for a dead one."""
        clock, step_us = self._parts.clock, 100_000
        until_us = clock.read().awake_us + timeout_us
        while self._driver.is_alive() and (left_us := until_us - clock.read().awake_us) > 0:
            if event.wait(min(left_us, step_us) / 1e6):
                return True
        return event.is_set()

    def _note_death(self, death: Death) -> None:
        self._deaths.append(f"{death.name}: {death.error!r}")
        self._parts.on_death(death)

    def _row(self) -> NodeRow:
        at: Instant = self._parts.clock.read().at
        host = self._node.host
        return NodeRow(
            owner=self._node.owner,
            host=host.name,
            pid=host.pid,
            boot_id=host.boot_id,
            started_at=at,
            seen_at=at,
            scanned_at=None,
            stopped_at=None,
            tzdata=host.tzdata,
        )


def _nothing() -> None:
    """Do nothing."""
