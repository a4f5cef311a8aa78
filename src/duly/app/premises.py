"""The data directory and its machine, looked at for whoever asks: doctor, check, audit, backup, live logs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from duly.adapters import machine
from duly.adapters.config import Configuration
from duly.adapters.files.bytes_store import BytesStore
from duly.adapters.home import Home
from duly.adapters.machine import Look
from duly.engine.settings import Settings
from duly.ledger.api.core import Ledger
from duly.ledger.api.tx import Tx
from duly.model.errors import DulyError, NotFoundError, ValidationError
from duly.model.instant import Instant
from duly.service.desk import WORKSPACE, AuditReport, Finding
from duly.transactions import zone_data

Command = TypeVar("Command")
Result = TypeVar("Result")

_CHAIN: Final = "audit chain"


Heads = Mapping[str, tuple[int, str]]


class Checked(Protocol):
    """What looking through a ledger found: faults, and the heads of all chains."""

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, in words."""
        ...

    @property
    def heads(self) -> Heads:
        """Number and hash of each chain's newest row."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """What the composition root lends of the store: looking at its file, copying it, naming its owner.

    `check` takes the path and the heads that were kept. `owner` is who owns the directory, in words.
    """

    check: Callable[[Path, Heads | None], Checked]
    backup: Callable[[Path, Path], None]
    owner: Callable[[], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePremises:
    """The premises of one data directory; `ledger` may be that of the process that owns it, or a reader."""

    home: Home
    ledger: Ledger
    store: Store
    configuration: Configuration
    settings: Settings
    tzdata: str
    misconfigured: ValidationError | None = None

    def examine(self) -> Sequence[Finding]:
        """Look at the machine, the configuration, the data directory and its owner."""
        return [_finding(look) for look in self._looks()]

    def _looks(self) -> Iterator[Look]:
        yield from machine.look(self.home)
        try:
            seen = self.ledger.read(_standing, None)
        except DulyError as error:
            # A ledger that cannot be read is what a doctor is asked for.
            yield Look(name="ledger", is_good=False, message=error.message, fix=error.fix)
            seen = Standing(zone=None, scanned_at=None, is_scheduled=True, tzdata=None)
        yield machine.look_at_zone(seen.zone)
        yield machine.look_at_zone_data(self.tzdata, seen.tzdata)
        period_us = self.settings.scan_wake_us_max
        yield machine.look_at_scans(
            self.store.owner(), seen.scanned_at, period_us, is_needed=seen.is_scheduled
        )
        yield machine.look_at_notices(self.configuration.tells_somebody)
        if self.misconfigured is not None:
            yield _misconfigured(self.misconfigured)
            return
        yield machine.look_at_names(self.configuration.unknown)
        yield machine.look_at_values(self.configuration.chosen)

    def owner(self) -> str | None:
        """Say who owns the data directory, in words; None: nobody."""
        return self.store.owner()

    def check_ledger(self) -> Sequence[Finding]:
        """Look through the whole ledger."""
        if not self.home.has_ledger:
            return [Finding(name="ledger", is_good=True, message="there is none yet")]
        faults = self.store.check(self.home.ledger, None).faults
        fix = "Stop Duly, then put back a copy that `duly db backup` made."
        found = [Finding(name="ledger", is_good=False, message=one, fix=fix) for one in faults]
        return found or [Finding(name="ledger", is_good=True, message="sound")]

    def backup(self, target: Path) -> None:
        """Copy the ledger to a new file. Raises NotFoundError when there is none yet."""
        if not self.home.has_ledger:
            raise NotFoundError(f"there is no ledger in {self.home.root}", fix="Nothing to copy.")
        self.store.backup(self.home.ledger, target)

    def verify_audit(self, anchors: Mapping[str, tuple[int, str]]) -> AuditReport:
        """Follow every audit chain; each anchored head must still be in its chain."""
        if not self.home.has_ledger:
            gone = tuple(f"{_CHAIN} of {scope}: there is no ledger" for scope in anchors)
            return AuditReport(is_intact=not gone, scopes=0, events=0, broken=gone, heads={})
        report = self.store.check(self.home.ledger, anchors)
        broken = tuple(fault for fault in report.faults if fault.startswith(_CHAIN))
        return AuditReport(
            is_intact=not broken,
            scopes=len(report.heads),
            events=sum(number for number, _ in report.heads.values()),
            broken=broken,
            heads={scope: (head[0], head[1]) for scope, head in report.heads.items()},
        )

    def live_log(self, token: str, offset: int, bytes_max: int) -> bytes | None:
        """Return a part of the log of a program that still runs; None: there is none."""
        try:
            with (self.home.logs / f"{token}.log").open("rb") as file:
                file.seek(offset)
                return file.read(bytes_max)
        except FileNotFoundError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the ledger says of the service: the workspace's zone, the newest node's last scan, whether slots come.

    `tzdata`: the release of zone data that wall slots go by.
    """

    zone: str | None
    scanned_at: Instant | None
    is_scheduled: bool
    tzdata: str | None


def _standing(tx: Tx, _: None) -> Standing:
    workspace, nodes = tx.workspace(WORKSPACE), tx.nodes(1)
    return Standing(
        zone=None if workspace is None else workspace.zone,
        scanned_at=nodes[0].scanned_at if nodes else None,
        is_scheduled=tx.next_due() is not None,
        tzdata=zone_data.in_force(tx),
    )


class LazyLedger:
    """A ledger to look at, opened when first asked: what needs none works although it cannot be opened."""

    def __init__(self, open_reader: Callable[[], Ledger]) -> None:
        """Touch nothing."""
        self.on_wake: Callable[[frozenset[str]], None] = lambda _: None
        self._open_reader = open_reader
        self._ledger: Ledger | None = None

    def _opened(self) -> Ledger:
        if self._ledger is None:
            self._ledger = self._open_reader()
        return self._ledger

    def read(self, fn: Callable[[Tx, Command], Result], command: Command) -> Result:
        """Run `fn` on a snapshot."""
        return self._opened().read(fn, command)

    def write(self, *given: Any, **named: Any) -> Any:
        """Refuse as a reader does."""
        return self._opened().write(*given, **named)

    def submit(self, *given: Any, **named: Any) -> None:
        """Refuse as a reader does."""
        self._opened().submit(*given, **named)

    def close(self) -> None:
        """Close what was opened."""
        if self._ledger is not None:
            self._ledger.close()


class LazyBytes:
    """The bytes store, opened when first used: looking at an empty data directory makes nothing in it."""

    def __init__(self, root: Path) -> None:
        """Touch nothing."""
        self._root = root

    @cached_property
    def _store(self) -> BytesStore:
        return BytesStore(self._root)

    def put_bytes(self, data: bytes) -> str:
        """Keep bytes and return their SHA-256."""
        return self._store.put_bytes(data)

    def read_bytes(self, sha256: str) -> bytes:
        """Return bytes, verified; a DulyError when they are gone or altered."""
        return self._store.read_bytes(sha256)


def _misconfigured(error: ValidationError) -> Look:
    """Return one look for all faults of the configuration; every other command is refused for them."""
    told = "; ".join(fault.message for fault in error.faults)
    fixes = "; ".join(dict.fromkeys(fault.fix for fault in error.faults if fault.fix))
    return Look(name="configuration", is_good=False, message=told, fix=fixes)


def _finding(look: Look) -> Finding:
    return Finding(
        name=look.name,
        is_good=look.is_good,
        message=look.message,
        fix=look.fix,
        is_needed=look.is_needed,
    )
