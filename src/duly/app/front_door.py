"""The front door of a data directory: an operation goes to the server that owns it, or is carried out here.

Imports stand in functions, because most commands need few of them.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from duly.adapters.zones import Zones
    from duly.app.configured import Configured, Looked
    from duly.app.node import NodeParts
    from duly.app.premises import Store
    from duly.interfaces.cli.front import AtWork, ServeOptions
    from duly.interfaces.http.gate import Gate
    from duly.ledger.api.core import Ledger
    from duly.ledger.api.tx import Tx
    from duly.ledger.audit_chain import Head
    from duly.ledger.sqlite.ledger import SqliteLedger
    from duly.ledger.sqlite.owner import Owner, OwnerFacts
    from duly.service.desk import Desk

_LOOK_AGAIN_S: Final = 0.3
# What is asked when a server may be ill, or would keep it from its work.
_LOOKED_AT_HERE: Final = frozenset(
    {"doctor", "db.check", "db.backup", "audit.verify", "schema.show"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """The data directory while this process owns it."""

    ledger: SqliteLedger
    owner: Owner


class FrontDoor:
    """The service as interfaces see it: one data directory, asked here or through the server that owns it."""

    def __init__(self, home_flag: str | None) -> None:
        """Find the directory; nothing is created or read yet."""
        from duly.adapters import home

        self.place = home.locate(home_flag, os.environ)
        self.home: Path = self.place.root

    # ---- what is configured ----
    @cached_property
    def looked(self) -> Looked:
        """What environment and file say, as far as they can be read."""
        from duly.app import configured

        return configured.look(os.environ, self.place.config)

    @property
    def configured(self) -> Configured:
        """What environment and file say. Raises ValidationError with every fault."""
        return self.looked.whole

    @cached_property
    def zones(self) -> Zones:
        """Zones of the pinned tzdata package."""
        from duly.adapters.zones import Zones

        return Zones()

    def is_anybody_told(self) -> bool:
        """Say whether somebody is told of failures where a definition names nobody."""
        return self.configured.said.tells_somebody

    # ---- operations ----
    def ask(self, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out an operation: by the server, or here: a query on a reader, a command under the owner lock."""
        from duly.adapters import home, remote

        home.examine(self.place)
        url = None if name in _LOOKED_AT_HERE else self.url()
        if url is None:
            return self._ask_here(name, body)
        try:
            return remote.ask(url, home.read_token(self.place), name, body)
        except remote.UnreachableError:
            if self._changes(name):
                raise
            return self._ask_here(name, body)

    def _ask_here(self, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        from duly.adapters import home, remote

        if not self._changes(name):
            with self._reading() as ledger:
                return self.carry_out(ledger, name, body)
        with self._owning(is_brief=True) as owned:
            if isinstance(owned, str):
                return remote.ask(owned, home.read_token(self.place), name, body)
            return self.carry_out(owned.ledger, name, body)

    def _changes(self, name: str) -> bool:
        from duly.service.operations import REGISTRY

        return REGISTRY.find(name).changes

    def carry_out(self, ledger: Ledger, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out an operation on a ledger that is open."""
        from duly.service.operations import REGISTRY

        answer = REGISTRY.find(name).carry_out(self._desk(ledger, name), body)
        found: dict[str, Any] = answer.model_dump(mode="json")
        return found

    def _desk(self, ledger: Ledger, name: str) -> Desk:
        from duly.adapters import clock, home, identity
        from duly.app.premises import HomePremises, LazyBytes
        from duly.service.desk import Desk

        # A doctor is asked for where the configuration is at fault, too.
        configured = self.looked.found if name == "doctor" else self.configured
        premises = HomePremises(
            home=self.place,
            ledger=ledger,
            store=self._store(),
            configuration=configured.said,
            settings=configured.settings,
            tzdata=self.zones.version,
            misconfigured=self.looked.fault,
        )
        return Desk(
            ledger=ledger,
            home=self.home,
            clock=clock.wall,
            zones=self.zones,
            bytes=LazyBytes(self.place.bytes),
            premises=premises,
            new_id=identity.new_id,
            actor=home.user(),
            tolerance_us=configured.settings.late_us_max,
            tolerance_us_min=configured.settings.scan_wake_us_max,
        )

    def _store(self) -> Store:
        from duly.app.premises import Store
        from duly.ledger.sqlite import backup, check

        return Store(
            check=lambda path, anchors: check.check(path, _heads(anchors)),
            backup=backup.backup,
            owner=self.owner,
        )

    # ---- the ledger ----
    @contextmanager
    def _reading(self) -> Iterator[Ledger]:
        """Open the ledger to look; where there is none yet, an empty one elsewhere answers."""
        from duly.adapters import clock
        from duly.app.premises import LazyLedger
        from duly.ledger.sqlite.reader_ledger import SqliteReader
        from duly.ledger.verbs import Verbs

        if not self.place.has_ledger:
            with _nothing_yet() as ledger:
                yield ledger
            return
        reader = LazyLedger(lambda: SqliteReader(self.place.ledger, clock.wall, Verbs))
        try:
            yield reader
        finally:
            reader.close()

    @contextmanager
    def _owning(self, *, is_brief: bool) -> Iterator[Owned | str]:
        """Own the directory and open its ledger; or answer the address of the server that owns it."""
        if (url := self.url()) is not None:
            yield url
            return
        owner = self._acquire(is_brief=is_brief)
        if isinstance(owner, str):
            yield owner
            return
        with owner, self._writing() as ledger:
            yield Owned(ledger=ledger, owner=owner)

    def _acquire(self, *, is_brief: bool) -> Owner | str:
        """Own the directory, or return the server's address. Raises UnavailableError, OwnerConflictError."""
        from duly.adapters import home
        from duly.app import turn

        turn.check_writable(self.home)
        home.prepare(self.place)
        return turn.take(self.home, lambda: self.facts("", is_brief=is_brief))

    @contextmanager
    def _writing(self) -> Iterator[SqliteLedger]:
        from duly.adapters import clock
        from duly.ledger.sqlite.ledger import SqliteLedger
        from duly.ledger.verbs import Verbs

        ledger = SqliteLedger(self.place.ledger, clock.wall, Verbs, on_death=_ledger_died)
        try:
            self._make_workspace(ledger)
            yield ledger
        finally:
            ledger.close()

    def _make_workspace(self, ledger: SqliteLedger) -> None:
        """At the first start of all, take the zone that is configured, or the host's. Raises ValidationError."""
        from duly.adapters import home
        from duly.app import configured
        from duly.service.desk import WORKSPACE
        from duly.transactions.nodes import InitWorkspace, init_workspace

        if ledger.read(_workspace_zone, WORKSPACE) is not None:
            return
        zone = configured.first_zone(self.configured.said, self.zones)
        command = InitWorkspace(workspace_id=WORKSPACE, zone=zone, actor=home.user())
        ledger.write(init_workspace, command)

    # ---- the owner ----
    def facts(self, url: str, *, is_brief: bool) -> OwnerFacts:
        """Return what this process tells about itself while it owns the directory."""
        import duly
        from duly.adapters import clock
        from duly.adapters.launch import living
        from duly.ledger.sqlite.owner import OwnerFacts

        return OwnerFacts(
            pid=os.getpid(),
            start_ticks=living.start_ticks(os.getpid()),
            boot_id=living.boot_id(),
            host=os.uname().nodename,
            url=url,
            started_at=clock.wall(),
            version=duly.__version__,
            is_brief=is_brief,
        )

    def url(self) -> str | None:
        """Return the address of the server that owns the directory; None when none does."""
        from duly.app import turn

        found = turn.holder(self.home)
        return found.url or None if found is not None else None

    def is_served(self) -> bool:
        """Say whether a process that works owns the data directory."""
        return self.owner() is not None

    def owner(self) -> str | None:
        """Say who owns the directory, in words; None: nobody."""
        from duly.app import turn

        found = turn.holder(self.home)
        if found is None or found.is_brief:
            return None
        return f"process {found.pid} runs" + (f" at {found.url}" if found.url else "")

    # ---- work ----
    @contextmanager
    def at_work(self) -> Iterator[AtWork]:
        """Have a place that works: the server, or else an engine in this process, under the owner lock."""
        from duly.app import node

        with self._owning(is_brief=False) as owned:
            if isinstance(owned, str):
                yield node.There(self)
                return
            with node.working(self.parts(owned.ledger)) as engine:
                yield node.Here(engine, partial(self.carry_out, owned.ledger))

    def tick(self) -> bool:
        """Answer what is due and settle it, once; False: a server owns the directory and does so itself."""
        from duly.app import node

        with self._owning(is_brief=False) as owned:
            if isinstance(owned, str):
                return False
            with node.working(self.parts(owned.ledger)) as engine:
                return engine.wait_idle(node.FOREVER_US)

    def migrate(self) -> None:
        """Bring the ledger up to date, a backup first; opening it to write does."""
        with self._owning(is_brief=True):
            pass

    def serve(self, options: ServeOptions) -> int:
        """Work until told to stop. Raises OwnerConflictError, naming the process that serves already."""
        from duly.adapters import home
        from duly.app import node
        from duly.interfaces.http import server
        from duly.ledger.sqlite import owner

        home.examine(self.place)
        binding = server.parse(
            options.bind or self.configured.said.text("bind") or "",
            may_leave_loopback=self.configured.said.text("beyond_loopback") == "yes",
        )
        held = self._acquire(is_brief=False)
        if isinstance(held, str):
            # The store words the refusal, and names who serves.
            held = owner.acquire(self.home, self.facts("", is_brief=False))
        with held, self._writing() as ledger:
            listening = (
                server.Server(binding, partial(self.carry_out, ledger), self._gate())
                if options.has_http
                else node.NotListening()
            )
            place = _Place(self, held)
            return node.serve(self.parts(ledger), listening, place, is_quiet=options.is_quiet)

    def _gate(self) -> Gate:
        from duly.adapters import home
        from duly.interfaces.http.gate import Gate

        names = self.configured.said.words("allowed_hosts")
        return Gate(token=home.read_token(self.place), hosts=frozenset(map(str.lower, names)))

    def parts(self, ledger: SqliteLedger) -> NodeParts:
        """Return what a node in this process is made of."""
        from duly.app.node import NodeParts

        return NodeParts(
            home=self.home,
            logs=self.place.logs,
            ledger=ledger,
            is_low_on_space=lambda: ledger.is_low_on_space,
            settings=self.configured.settings,
            zones=self.zones,
            notify_url=self.configured.said.text("notify"),
            notify_argv=self.configured.said.words("notify_command"),
        )

    # ---- the rest ----
    def rest(self) -> None:
        """Wait a moment before looking again."""
        time.sleep(_LOOK_AGAIN_S)

    def keep_traceback(self, error: BaseException) -> Path | None:
        """Write down how an unexpected error came about, where there is a data directory."""
        from duly.adapters import service_log

        return service_log.keep_traceback(self.place.logs, error) if self.home.is_dir() else None


class _Place:
    """The owned directory, as a node that serves sees it."""

    def __init__(self, front: FrontDoor, held: Owner) -> None:
        self._front, self._held = front, held

    def publish(self, url: str) -> None:
        """Tell others the address."""
        self._held.publish(self._front.facts(url, is_brief=False))

    def keep(self) -> bool:
        """Let others go on finding it; False: the directory is gone."""
        return self._held.keep()


def _workspace_zone(tx: Tx, workspace_id: str) -> str | None:
    found = tx.workspace(workspace_id)
    return None if found is None else found.zone


@contextmanager
def _nothing_yet() -> Iterator[Ledger]:
    """Open an empty ledger that is gone afterwards, so that looking creates nothing."""
    import tempfile
    from pathlib import Path

    from duly.adapters import clock
    from duly.ledger.sqlite.ledger import SqliteLedger
    from duly.ledger.verbs import Verbs

    with tempfile.TemporaryDirectory(prefix="duly-") as directory:
        ledger = SqliteLedger(Path(directory) / "ledger.db", clock.wall, Verbs)
        try:
            yield ledger
        finally:
            ledger.close()


def _ledger_died(cause: BaseException) -> None:
    from duly.app import node

    node.give_up(f"the ledger cannot be written any more ({cause!r}); it has to be opened anew")


def _heads(anchors: Mapping[str, tuple[int, str]] | None) -> Mapping[str, Head] | None:
    from duly.ledger.audit_chain import Head

    return None if anchors is None else {scope: Head(*head) for scope, head in anchors.items()}
