"""A node on a real ledger, with a clock that tests move and runners that tests write."""

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from duly.adapters.launch.launch import Launchers
from duly.adapters.launch.request import Launch
from duly.adapters.work.requests import (
    ListLogs,
    ListStages,
    PutNoticeAway,
    ReadBack,
    RemoveLogs,
    Tell,
    Telling,
)
from duly.adapters.zones import Zones
from duly.engine.driver import Death
from duly.engine.node import Host, Node, Runner
from duly.engine.requests import Outside, RunKeys, Wait, Write, start, surely, wait
from duly.engine.service import Engine, EngineParts
from duly.engine.settings import Settings
from duly.ledger.api.core import DURABLE, Done, Durability
from duly.ledger.api.runs import RunFilter
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.verbs import Verbs
from duly.model import canonical, codec, ids
from duly.model.automation import Automation, Revision
from duly.model.errors import UnavailableError
from duly.model.instant import SECOND_US, Instant
from duly.model.occurrence import Occurrence
from duly.model.plan import Timing, Work
from duly.model.reasons import Reason
from duly.model.run import ClaimedRun, Run
from duly.model.states import AutomationState, ErrorClass, Grade, Outcome
from duly.model.timing import AnchorClass
from duly.recurrence import watermark
from duly.testkit.plans import PLAIN_TIMING, PLAIN_WORK
from duly.transactions.plans import schedule_of
from duly.transactions.settle import Settle, settle
from tests.engine.clocks import MovedClock

MIDNIGHT = Instant(1_767_225_600 * SECOND_US)  # 2026-01-01T00:00:00Z
SOON_S = 20.0

TIMING, WORK = PLAIN_TIMING, PLAIN_WORK

FAST = Settings(
    scan_wake_us_max=2 * SECOND_US, clock_look_us=50_000, start_every_us=0, restart_us=10_000
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A call to the outside that answers when the test opens it."""

    name: str


def define(ledger: SqliteLedger, job_key: str, timing: Timing = TIMING, work: Work = WORK) -> str:
    """Put an automation on the ledger, its watermark at this instant."""
    return ledger.write(_define, (job_key, timing, work))


def _define(tx: Any, given: tuple[str, Timing, Work]) -> str:
    job_key, timing, work = given
    zone = Zones()[timing.zone]
    schedule = schedule_of(timing, Zones())
    mark = watermark.raise_to(tx.at, timing.anchor or AnchorClass.ELAPSED, zone)
    automation_id = ids.automation_id("default", job_key)
    next_due = None if schedule is None else watermark.next_uncovered(schedule, mark).due_at
    tx.add_automation(
        Automation(
            automation_id=automation_id,
            workspace_id="default",
            job_key=job_key,
            state=AutomationState.ACTIVE,
            state_reason=None,
            state_since=tx.at,
            revision=1,
            next_due=next_due,
            mark=mark,
            version=1,
            told=None,
            fault_kind=None,
            fault_count=0,
            created_with="",
            created_at=tx.at,
            updated_at=tx.at,
        )
    )
    tx.add_revision(
        Revision(
            automation_id=automation_id,
            number=1,
            definition=canonical.to_json({}),
            digest="",
            schema_version=1,
            timing=codec.dump(timing),
            work=codec.dump(replace(work, job_key=job_key)),
            tzdata="test",
            actor="test",
            created_at=tx.at,
        )
    )
    tx.wake("due")
    return automation_id


def completing(node: Node, claimed: ClaimedRun) -> Iterator[Any]:
    """A runner whose work is done at once."""
    yield from surely(Write(settle, completed(claimed)))


def completed(claimed: ClaimedRun) -> Settle:
    """Return the settlement of a run that ended well."""
    return Settle(
        claim=claimed.claim,
        outcome=Outcome.COMPLETED,
        grade=Grade.EXIT,
        reason=Reason.EXIT_DECLARED,
        error_class=None,
    )


def failed(claimed: ClaimedRun) -> Settle:
    """Return the settlement of a run that could not start."""
    return Settle(
        claim=claimed.claim,
        outcome=Outcome.FAILED_BEFORE_WRITE,
        grade=None,
        reason=Reason.START_FAILED,
        error_class=ErrorClass.TRANSIENT,
    )


def gated(name: str = "gate") -> Runner:
    """Return a runner that works until the test opens its gate, and stops where its claim is lost."""

    def run(node: Node, claimed: ClaimedRun) -> Iterator[Any]:
        keys = RunKeys(run_id=claimed.claim.run_id)
        gate = yield from start(Outside(Gate(name=name)))
        while True:
            woke = yield from wait(Wait((gate,), (keys.lost,)))
            if woke.key == keys.lost:
                return
            if woke.message is not None:
                yield from surely(Write(settle, completed(claimed)))
                return

    return run


@dataclass(slots=True, kw_only=True)
class Bench:
    """A ledger that lives in a file, and the nodes that work on it one after the other."""

    path: Path
    clock: MovedClock
    ledger: SqliteLedger
    settings: Settings = FAST
    deaths: list[Death] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    gates: dict[str, threading.Event] = field(default_factory=dict)
    told: list[Tell] = field(default_factory=list)
    owners: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    given_up: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def fresh(cls, path: Path) -> "Bench":
        """Return a bench with a new ledger, its clock one second after midnight."""
        clock = MovedClock(Instant(MIDNIGHT + SECOND_US))
        return cls(path=path, clock=clock, ledger=open_ledger(path, clock))

    def gate(self, name: str = "gate") -> threading.Event:
        """Return the gate of that name; `set` opens it."""
        return self.gates.setdefault(name, threading.Event())

    def node(self, runner: Runner = completing, **changes: Any) -> Node:
        """Return a node as a process start makes it."""
        owner = f"owner-{next(self.owners)}"
        numbers = itertools.count(1)
        given: dict[str, Any] = {
            "owner": owner,
            "host": Host(name="here", pid=os.getpid(), boot_id="boot", tzdata="test"),
            "settings": self.settings,
            "zones": Zones(),
            "new_id": lambda: f"{owner}-{next(numbers)}",
            "runner": runner,
            "is_only_owner": True,
        }
        return Node(**{**given, **changes})

    def engine(self, node: Node, **changes: Any) -> Engine:
        """Return an engine for a node."""
        given: dict[str, Any] = {
            "node": node,
            "ledger": self.ledger,
            "clock": self.clock,
            "performers": self.performers(),
            "launchers": Launchers(),
            "give_up": self._give_up,
            "on_death": self.deaths.append,
        }
        return Engine(EngineParts(**{**given, **changes}))

    def performers(self) -> Mapping[type, Callable[[Any], Any]]:
        """Return the outside that tests need."""
        return {
            Gate: lambda gate: self.gate(gate.name).wait(SOON_S),
            Tell: self._tell,
            PutNoticeAway: lambda _: None,
            ListStages: lambda _: (),
            ListLogs: lambda _: (),
            RemoveLogs: lambda _: None,
            ReadBack: lambda _: (),
        }

    @contextmanager
    def running(self, node: Node, **changes: Any) -> Iterator[Engine]:
        """Run a node for as long as the block lasts."""
        engine = self.engine(node, **changes)
        engine.start()
        try:
            yield engine
        finally:
            for gate in self.gates.values():
                gate.set()
            engine.stop()

    def reopen(self) -> None:
        """Close the ledger and open it again, as after a restart."""
        self.ledger.close()
        self.ledger = open_ledger(self.path, self.clock)

    def read(self, fn: Callable[[Any], Any]) -> Any:
        """Ask the ledger something."""
        return self.ledger.read(lambda tx, _: fn(tx), None)

    def runs(self) -> list[Run]:
        """Return all runs, oldest first."""
        return list(reversed(self.read(lambda tx: tx.runs(RunFilter(limit=10_000)))))

    def occurrences(self, automation_id: str) -> list[Occurrence]:
        """Return all occurrences of an automation, oldest first."""
        far = Instant(1 << 60)
        return list(reversed(self.read(lambda tx: tx.occurrences(automation_id, far, 10_000))))

    def _tell(self, request: Tell) -> Telling:
        self.told.append(request)
        return telling("true")

    def _give_up(self, verdict: str) -> None:
        self.verdicts.append(verdict)
        self.given_up.set()


def telling(*argv: str) -> Telling:
    """Return a program by which somebody is told."""
    launch = Launch(argv=argv, cwd=Path("/"), env={}, run_token="notice", lingers=True)
    return Telling(launch=launch, write_output=lambda _: None, name=argv[0], said=str)


def open_ledger(path: Path, clock: MovedClock) -> SqliteLedger:
    """Open the ledger of a test."""
    return SqliteLedger(path, lambda: clock.read().at, Verbs)


def soon(engine: Engine, fn: Callable[[Any], bool], *keys: str) -> None:
    """Wait until the ledger says so, and fail if it does not."""
    keys = keys or ("settled", "ready", "due", "scanned")
    assert engine.wait_until(lambda tx, _: fn(tx), None, keys, int(SOON_S * SECOND_US)), "too late"


def idle(engine: Engine) -> None:
    """Wait until nothing is left to do."""
    assert engine.wait_idle(int(SOON_S * SECOND_US)), "still busy"


class Away:
    """A ledger that cannot be reached for a while: a network gap, as every caller sees it."""

    def __init__(self, ledger: SqliteLedger) -> None:
        self._ledger = ledger
        self.is_away = False
        self.refusals = 0
        self.refused_twice = threading.Event()

    @property
    def on_wake(self) -> Callable[[frozenset[str]], None]:
        return self._ledger.on_wake

    @on_wake.setter
    def on_wake(self, fn: Callable[[frozenset[str]], None]) -> None:
        self._ledger.on_wake = fn

    def go_away(self) -> None:
        """Refuse everything from now on; what was submitted before has been committed."""
        self.is_away = True
        self._ledger.write(lambda *_: None, None)

    def write(self, fn: Any, command: Any, durability: Durability = DURABLE) -> Any:
        self._refuse()
        return self._ledger.write(fn, command, durability)

    def submit(self, fn: Any, command: Any, done: Done, durability: Durability = DURABLE) -> None:
        self._refuse()
        self._ledger.submit(fn, command, done, durability)

    def read(self, fn: Any, command: Any) -> Any:
        self._refuse()
        return self._ledger.read(fn, command)

    def close(self) -> None:
        self._ledger.close()

    def _refuse(self) -> None:
        if self.is_away:
            self.refusals += 1
            if self.refusals >= 2:
                self.refused_twice.set()
            raise UnavailableError("the network is gone")
