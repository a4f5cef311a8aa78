"""A whole node in this process, on a real ledger and real files: apply definitions, run windows, look."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from duly.adapters.files.bytes_store import BytesStore
from duly.adapters.identity import new_id, new_owner
from duly.adapters.launch import environment, living
from duly.adapters.launch.launch import Launchers
from duly.adapters.launch.log import LogLimits
from duly.adapters.work.layout import Workshop
from duly.adapters.work.performers import performers
from duly.adapters.zones import Zones
from duly.engine.driver import Death
from duly.engine.node import Host, Node, TellBy
from duly.engine.requests import Write
from duly.engine.runner.loop import runner
from duly.engine.service import Engine, EngineParts
from duly.engine.settings import Settings
from duly.ledger.api.tx import Tx
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.verbs import Verbs
from duly.model.ids import RunId
from duly.model.instant import SECOND_US, Instant
from duly.policy import scope
from duly.service.desk import WORKSPACE, AuditReport, Desk, Finding
from duly.service.operations import REGISTRY
from duly.service.views import status_of
from duly.testkit.clock import MovingClock
from duly.transactions.nodes import InitWorkspace, init_workspace

IDLE_US: Final = 60 * SECOND_US
_KEYS: Final = ("settled", "ready", "joined", "notice")
Perform = Callable[[Any], Any]
Wrap = Callable[[type, Perform], Perform]


def _as_it_is(_: type, perform: Perform) -> Perform:
    return perform


def _always(_: Write[Any]) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a workbench differs from a plain node.

    `is_working` False: nothing is scanned or claimed, operations only. `survives` is asked after every write of the
    engine; `wrap` may stand around each performer of outside requests.
    """

    zone: str = "UTC"
    settings: Settings = field(default_factory=Settings)
    tell_by: TellBy = field(default_factory=TellBy)
    is_working: bool = True
    survives: Callable[[Write[Any]], bool] = _always
    wrap: Wrap = _as_it_is
    environ: Mapping[str, str] | None = None


class NoPremises:
    """A workbench has no machine to look at."""

    def examine(self) -> list[Finding]:
        """Find nothing."""
        return []

    def owner(self) -> str | None:
        """Name nobody: the engine works in this process."""
        return None

    def check_ledger(self) -> list[Finding]:
        """Find nothing."""
        return []

    def backup(self, target: Path) -> None:
        """Refuse: a workbench keeps nothing."""
        raise NotImplementedError(target)

    def verify_audit(self, anchors: Mapping[str, tuple[int, str]]) -> AuditReport:
        """Refuse: look at the ledger file instead."""
        raise NotImplementedError(anchors)

    def live_log(self, token: str, offset: int, bytes_max: int) -> bytes | None:  # noqa: ARG002
        """Find nothing."""
        return None


class Workbench:
    """One node: use it as a context manager, so that nothing of it is left running.

    `deaths` collects loops that ended by a bug; leaving the context raises AssertionError if there is any.
    """

    def __init__(self, home: Path, options: Options | None = None) -> None:
        """Open (or make) the ledger in `home` and prepare an engine; `start` starts it."""
        chosen = options or Options()
        self._is_working = chosen.is_working
        self.home, self.deaths, self.moves = home, list[Death](), 0
        self.zones, launchers, self.clock = Zones(), Launchers(), MovingClock()
        self.ledger = SqliteLedger(home / "ledger.db", self.clock.wall, Verbs)
        self._bytes = BytesStore(home / "bytes")
        self.ledger.write(
            init_workspace, InitWorkspace(workspace_id=WORKSPACE, zone=chosen.zone, actor="test")
        )
        workshop = Workshop(
            home=home,
            bytes=self._bytes,
            launchers=launchers,
            clock=self.clock.wall,
            environ=dict(os.environ) if chosen.environ is None else chosen.environ,
            log_limits=LogLimits(),
            matches=scope.matches,
            umask=environment.own_umask(),
        )
        table = performers(workshop).items()
        self.node = self._node(chosen)
        self.engine = Engine(
            EngineParts(
                node=self.node,
                ledger=self.ledger,
                clock=self.clock,
                performers={request: chosen.wrap(request, one) for request, one in table},
                launchers=launchers,
                give_up=self._give_up,
                on_death=self.deaths.append,
                survives=chosen.survives,
            )
        )
        self.desk = self._desk(chosen)

    def _node(self, chosen: Options) -> Node:
        return Node(
            owner=new_owner(),
            host=Host(
                name="workbench",
                pid=os.getpid(),
                boot_id=living.boot_id(),
                tzdata=self.zones.version,
            ),
            settings=chosen.settings,
            zones=self.zones,
            new_id=new_id,
            runner=runner,
            is_only_owner=True,
            tell_by=chosen.tell_by,
        )

    def _desk(self, chosen: Options) -> Desk:
        return Desk(
            ledger=self.ledger,
            home=self.home,
            clock=self.clock.wall,
            zones=self.zones,
            bytes=self._bytes,
            premises=NoPremises(),
            new_id=new_id,
            actor="test",
            tolerance_us=chosen.settings.late_us_max,
            tolerance_us_min=chosen.settings.scan_wake_us_max,
        )

    def _give_up(self, why: str) -> None:
        raise AssertionError(why)

    def __enter__(self) -> "Workbench":
        """Start the engine."""
        if self._is_working:
            self.engine.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything; a loop that died by a bug is an AssertionError."""
        if self._is_working:
            self.engine.stop()
        self.ledger.close()
        assert not self.deaths, [(death.name, repr(death.error)) for death in self.deaths]

    def ask(self, operation: str, **body: Any) -> Any:
        """Carry out an operation of the registry."""
        return REGISTRY.find(operation).carry_out(self.desk, body)

    def apply(self, text: str, base: Path) -> Any:
        """Apply definitions written in `base`; programs are looked up in this process's PATH."""
        path = os.environ.get("PATH", os.defpath)
        return self.ask("automation.apply", source=text, base=str(base), path=path)

    def start(self, job_key: str, **how: Any) -> str:
        """Ask for a window and return its run's id; a worker takes it by and by."""
        run_id: str = self.ask("run.start", job_key=job_key, **how).run_id
        return run_id

    def run(self, job_key: str, **how: Any) -> Any:
        """Ask for a window, wait until the node is idle, and return the run (`runs.show`)."""
        run_id = self.start(job_key, **how)
        self.settle()
        return self.show(run_id)

    def show(self, run_id: str) -> Any:
        """Return a run with all that belongs to it (`runs.show`)."""
        return self.ask("runs.show", run_id=run_id)

    def wait_for(self, run_id: str, *statuses: str) -> Any:
        """Wait until a run has one of these statuses (those of its contract), and return it."""
        wanted = (run_id, statuses)
        is_there = self._patiently(
            lambda: self.engine.wait_until(_has_status, wanted, _KEYS, IDLE_US)
        )
        assert is_there, f"{self.show(run_id).run} never became {' or '.join(statuses)}"
        return self.show(run_id)

    def move_to_slot(self, job_key: str) -> None:
        """Let the time pass until an automation's next slot is due, and wait until it is answered and worked on."""
        found = self.ledger.read(_next_due, job_key)
        assert found is not None, f"{job_key} has no slot to come"
        self.move(max(0, found - self.clock.wall()))
        self.settle()

    def move(self, ahead_us: int) -> None:
        """Let that much time pass at once; only while nothing runs."""
        self.moves += 1
        self.clock.move(ahead_us)
        self.engine.poke()

    def settle(self) -> None:
        """Wait until nothing is claimable and nothing runs."""
        is_idle = self._patiently(lambda: self.engine.wait_idle(IDLE_US))
        assert is_idle, "the node did not come to rest in a minute"

    def _patiently(self, wait: Callable[[], bool]) -> bool:
        """Wait again where the time was not really spent: somebody moved the clock meanwhile."""
        while True:
            moves = self.moves
            if wait():
                return True
            if self.moves == moves:
                return False


def _next_due(tx: Tx, job_key: str) -> Instant | None:
    automation = tx.automation_named(WORKSPACE, job_key)
    return None if automation is None else automation.next_due


def _has_status(tx: Tx, wanted: tuple[RunId, tuple[str, ...]]) -> bool:
    run_id, statuses = wanted
    run = tx.run(run_id)
    return run is not None and status_of(run) in statuses
