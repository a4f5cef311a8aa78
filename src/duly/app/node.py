"""A node in this process: its engine, its signals, its log, from start to drain."""

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from duly.adapters import clock, identity, supervision
from duly.adapters.clock import SystemClock
from duly.adapters.files.bytes_store import BytesStore
from duly.adapters.launch import environment, launch, living
from duly.adapters.launch.launch import Launchers
from duly.adapters.launch.log import LogLimits
from duly.adapters.work.layout import Workshop
from duly.adapters.work.performers import performers
from duly.adapters.zones import Zones, host_zone_name
from duly.app.narrator import Narrator
from duly.engine.driver import Death
from duly.engine.health import Condition, condition
from duly.engine.node import Host, Node, Runner, TellBy
from duly.engine.runner.loop import runner
from duly.engine.service import Engine, EngineParts
from duly.engine.settings import Settings
from duly.interfaces.cli.codes import Exit
from duly.interfaces.cli.front import LIVE, Answer, Front, is_news, is_over
from duly.interfaces.cli.printing import say
from duly.ledger.api.core import Ledger
from duly.ledger.api.tx import Tx
from duly.model.errors import UnavailableError, ValidationError
from duly.model.ids import RunId
from duly.model.states import Disposition
from duly.policy import scope
from duly.service.views import status_of

FOREVER_US: Final = 10 * 365 * 86_400 * 1_000_000
LOOK_AGAIN_S: Final = 0.3
LOOK_AFTER_S: Final = 1.0
_ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)
_PUT_AWAY_US: Final = 1_000_000
_UTC: Final = "Etc/UTC"
_KEYS: Final = ("settled", "ready", "joined")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeParts:
    """What a node of this process is made of."""

    home: Path
    logs: Path
    ledger: Ledger
    is_low_on_space: Callable[[], bool]
    settings: Settings
    zones: Zones
    notify_url: str | None
    notify_argv: tuple[str, ...]


class Listening(Protocol):
    """The address that others reach the node by; `url` is empty where it has none."""

    url: str

    def start(self, condition: Callable[[], Condition]) -> None:
        """Answer requests."""
        ...

    def stop(self) -> None:
        """Answer no more."""
        ...


class Place(Protocol):
    """The owned data directory, as others find it."""

    def publish(self, url: str) -> None:
        """Tell others the address."""
        ...

    def keep(self) -> bool:
        """Let others go on finding it; False: the directory itself is not there any more."""
        ...


class NotListening:
    """A node that nobody can reach."""

    url = ""

    def start(self, condition: Callable[[], Condition]) -> None:
        """Answer nobody."""

    def stop(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """Who hears of bugs in loops, and of a node that is no good any more."""

    death: Callable[[Death], None]
    give_up: Callable[[str], None]


# ---- for the length of one command ----
@contextmanager
def working(parts: NodeParts) -> Iterator[Engine]:
    """Run an engine for as long as the block lasts; what still runs then gets its time to end."""
    engine = _engine(parts, Reports(death=_say_death, give_up=give_up))
    with _interruptible():
        engine.start()
        try:
            yield engine
        finally:
            _wind_up(engine, parts.settings)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let SIGTERM, and a terminal that goes away, interrupt the main thread's waiting as Ctrl-C does."""
    before = {number: signal.getsignal(number) for number in _ENDINGS}
    for number, was in before.items():
        # nohup ignores SIGHUP for a program that is to outlive its terminal.
        if was is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, was in before.items():
            signal.signal(number, was)


def _wind_up(engine: Engine, settings: Settings) -> None:
    """Drain, then stop; a signal that comes while it drains stops at once."""
    try:
        # What has settled is only put away, which takes a moment and is no news.
        if not engine.drain(_PUT_AWAY_US) and engine.health().running:
            say(f"giving running work {settings.drain_us // 1_000_000} s to end")
        engine.drain(settings.drain_us)
    finally:
        for number in (signal.SIGINT, *_ENDINGS):
            signal.signal(number, signal.SIG_IGN)
        engine.stop()


class Here:
    """This process works, under the owner lock."""

    is_here = True

    def __init__(
        self, engine: Engine, carry_out: Callable[[str, Mapping[str, Any]], Answer]
    ) -> None:
        """Work with a started engine."""
        self._engine, self._carry_out = engine, carry_out

    def ask(self, name: str, body: Mapping[str, Any]) -> Answer:
        """Carry out an operation on the ledger that this process owns."""
        return self._carry_out(name, body)

    def wait_news(
        self, run_id: str, occurrence_key: str, told: str | None, timeout_s: float
    ) -> bool:
        """Wait for the engine."""
        wanted = (run_id, occurrence_key, told)
        return self._engine.wait_until(_has_news, wanted, _KEYS, int(timeout_s * 1_000_000))


class There:
    """A server works; it is asked again and again."""

    is_here = False

    def __init__(self, front: Front) -> None:
        """Ask through the front door."""
        self._front = front

    def ask(self, name: str, body: Mapping[str, Any]) -> Answer:
        """Carry out an operation by the server."""
        return self._front.ask(name, body)

    def wait_news(
        self, run_id: str, occurrence_key: str, told: str | None, timeout_s: float
    ) -> bool:
        """Look again and again. Raises UnavailableError when the server is gone meanwhile."""
        for _ in range(int(timeout_s / LOOK_AGAIN_S) + 1):
            detail = self._front.ask("runs.show", {"run_id": run_id})
            if is_over(detail, occurrence_key) or is_news(detail["run"], told):
                return True
            if not self._front.is_served():
                raise UnavailableError(
                    "the server stopped before the run was over",
                    fix="It is taken up again by the next start.",
                )
            self._front.rest()
        return False


def _has_news(tx: Tx, wanted: tuple[str, str, str | None]) -> bool:
    """Say of a run in the ledger what `is_over` and `is_news` say of one that was told."""
    run_id, occurrence_key, told = wanted
    run = tx.run(RunId(run_id))
    if run is None:
        return False
    if status_of(run) in LIVE:
        return status_of(run) == "waiting" and run.wait_reason not in (None, told)
    occurrence = tx.occurrence(run.automation_id, occurrence_key)
    if occurrence is None or occurrence.disposition is not Disposition.JOINED:
        return True
    return tx.rerun_verdict(run.automation_id, occurrence_key) is not None


# ---- until told to stop ----
def _narrator(parts: NodeParts) -> Narrator:
    """Return who tells of runs on stderr, in the host's zone; in UTC where the host names none that is known."""
    try:
        zone = parts.zones.load(host_zone_name() or _UTC)
    except ValidationError:
        zone = parts.zones.load(_UTC)
    return Narrator(parts.ledger, clock.wall, zone, say)


def serve(parts: NodeParts, listening: Listening, place: Place, *, is_quiet: bool) -> int:
    """Work until SIGTERM or SIGINT, then drain; a second signal stops at once."""
    # Costs as much as everything else together, and only a server keeps a log.
    from duly.adapters import service_log

    log = service_log.configure(parts.logs)

    def give_up_logged(verdict: str) -> None:
        log.error("giving up", why=verdict)
        give_up(verdict)

    def note_death(death: Death) -> None:
        log.error("a loop died", loop=death.name, exc_info=death.error)

    narrator = None if is_quiet else _narrator(parts)
    watched = runner if narrator is None else narrator.watched(runner)
    engine = _engine(parts, Reports(death=note_death, give_up=give_up_logged), watched)
    with _interruptible():
        try:
            if narrator is not None:
                narrator.start()
            engine.start()
            listening.start(lambda: condition(engine.health(), parts.settings))
            place.publish(listening.url)
            log.info("serving", url=listening.url, home=str(parts.home), pid=os.getpid())
            supervision.tell(supervision.READY)
            _wait_for_signal(place.keep)
            # Only what the kernel still knows is left of the ledger: nothing that is recorded in it would last.
            give_up_logged(f"the data directory {parts.home} was removed, or moved away")
        except KeyboardInterrupt:
            log.info("draining", seconds=parts.settings.drain_us // 1_000_000)
            supervision.tell(supervision.STOPPING)
            _wind_up(engine, parts.settings)
        finally:
            listening.stop()
            if narrator is not None:
                narrator.stop()
    log.info("stopped")
    return Exit.OK


def _wait_for_signal(goes_on: Callable[[], bool]) -> None:
    """Wait until a handler raises, or nothing goes on. A pipe remembers a signal that came too early for any wait."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    try:
        while goes_on():
            if select.select([reading], [], [], LOOK_AFTER_S)[0]:
                os.read(reading, 1)
    finally:
        signal.set_wakeup_fd(-1)
        os.close(reading)
        os.close(writing)


# ---- what both are made of ----
def _engine(parts: NodeParts, reports: Reports, working: Runner = runner) -> Engine:
    launch.adopt_orphans()
    launchers = Launchers()
    # Transactions get zone data as values: what they will need is read from its files now.
    for name in parts.ledger.read(_zones_in_use, None):
        parts.zones.get(name)
    node = Node(
        owner=identity.new_owner(),
        host=Host(
            name=os.uname().nodename,
            pid=os.getpid(),
            boot_id=living.boot_id(),
            tzdata=parts.zones.version,
        ),
        settings=parts.settings,
        zones=parts.zones,
        new_id=identity.new_id,
        runner=working,
        is_only_owner=True,
        tell_by=TellBy(argv=parts.notify_argv, url=parts.notify_url),
        is_low_on_space=parts.is_low_on_space,
    )
    workshop = Workshop(
        home=parts.home,
        bytes=BytesStore(parts.home / "bytes"),
        launchers=launchers,
        clock=clock.wall,
        environ=dict(os.environ),
        log_limits=LogLimits(),
        matches=scope.matches,
        umask=environment.own_umask(),
    )
    return Engine(
        EngineParts(
            node=node,
            ledger=parts.ledger,
            clock=SystemClock(),
            performers=performers(workshop),
            launchers=launchers,
            give_up=reports.give_up,
            on_death=reports.death,
        )
    )


def _zones_in_use(tx: Tx, _: None) -> list[str]:
    return tx.zones_in_use()


def _say_death(death: Death) -> None:
    say(f"warning: a loop died ({death.name}: {death.error!r}); it is started again")


def give_up(verdict: str) -> None:
    """End the process there and then: the kernel frees its lock and kills its trees; a new one takes over."""
    sys.stderr.write(f"error: {verdict}\n")
    sys.stderr.flush()
    os._exit(Exit.UNEXPECTED)
