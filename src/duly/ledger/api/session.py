"""What every transaction has, whatever it is about."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from duly.model.instant import Instant
from duly.model.records import AuditEvent


class SessionVerbs(Protocol):
    """Time, wake keys, nested parts, audit."""

    @property
    def at(self) -> Instant:
        """The instant of this transaction: the only time it may use."""
        ...

    def wake(self, key: str) -> None:
        """Wake the loops that wait for `key`, after the commit."""
        ...

    def part(self, failures: list[Exception]) -> AbstractContextManager[None]:
        """A nested part: its error is kept in `failures` and only the part is rolled back."""
        ...

    def has_time(self) -> bool:
        """Say whether a batch may take one more member (about 12 ms a transaction)."""
        ...

    def audit(self, scope: str, kind: str, body: Mapping[str, Any], actor: str) -> None:
        """Append an event to a scope's hash chain; the body is plain data."""
        ...

    def audit_events(self, scope: str, after_seq: int, limit: int) -> list[AuditEvent]:
        """Return a scope's events behind `after_seq`, oldest first."""
        ...
