"""What operations work with: the ledger, the clock, zones, bytes, the premises, and who asks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from duly.ledger.api.core import Ledger
from duly.model.instant import Instant
from duly.model.zone import Zone

WORKSPACE: Final = "default"


class ZoneSource(Protocol):
    """Zones from the pinned tzdata package."""

    version: str

    @property
    def known(self) -> Mapping[str, Zone]:
        """The zones loaded so far."""
        ...

    def load(self, name: str) -> Zone:
        """Return a zone. Raises ValidationError for a name that is not one."""
        ...


class BytesSource(Protocol):
    """The content-addressed store."""

    def put_bytes(self, data: bytes) -> str:
        """Keep bytes and return their SHA-256."""
        ...

    def read_bytes(self, sha256: str) -> bytes:
        """Return bytes, verified; a DulyError when they are gone or altered."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at: how it is, and what to do where it is not good.

    `is_needed` False: where it is not good, nothing is broken.
    """

    name: str
    is_good: bool
    message: str
    fix: str = ""
    is_needed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """Whether every audit chain holds. `heads` maps a scope to its last number and hash, to be kept elsewhere."""

    is_intact: bool
    scopes: int
    events: int
    broken: tuple[str, ...]
    heads: Mapping[str, tuple[int, str]]


class Premises(Protocol):
    """What only whoever holds the data directory can do with it."""

    def examine(self) -> Sequence[Finding]:
        """Look at the machine, the configuration, the data directory and its owner."""
        ...

    def owner(self) -> str | None:
        """Say which process works on this ledger now, in words; None: none does."""
        ...

    def check_ledger(self) -> Sequence[Finding]:
        """Look through the whole ledger: integrity, schema, invariants, audit."""
        ...

    def backup(self, target: Path) -> None:
        """Copy the ledger to a new file, verified. Raises ConflictError when the target exists."""
        ...

    def verify_audit(self, anchors: Mapping[str, tuple[int, str]]) -> AuditReport:
        """Follow every audit chain; each anchored head must still be in its chain."""
        ...

    def live_log(self, token: str, offset: int, bytes_max: int) -> bytes | None:
        """Return a part of the log of a program that still runs, already redacted; None: there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One request's surroundings. `actor` is written into the audit; tolerances are the engine's settings."""

    ledger: Ledger
    home: Path
    clock: Callable[[], Instant]
    zones: ZoneSource
    bytes: BytesSource
    premises: Premises
    new_id: Callable[[], str]
    actor: str
    tolerance_us: int
    tolerance_us_min: int
