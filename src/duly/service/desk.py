"""What operations work with: the ledger, the clock, zones, bytes, and who asks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from duly.ledger.api.core import Ledger
from duly.model.instant import Instant
from duly.recurrence.zone import Zone

WORKSPACE = "default"


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

    def put_bytes(self, content: bytes) -> str:
        """Keep bytes and return their SHA-256."""
        ...

    def read(self, sha256: str) -> bytes:
        """Return bytes, verified. Raises NotFoundError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One request's surroundings. `actor` is written into the audit; `settings` are those of the engine.

    `look` answers questions about the machine and the files of the data directory that only adapters can answer.
    """

    ledger: Ledger
    home: Path
    clock: Callable[[], Instant]
    zones: ZoneSource
    bytes: BytesSource
    new_id: Callable[[], str]
    actor: str
    tolerance_us: int
    tolerance_us_min: int
    look: Callable[[str], Any]
