"""Verbs about the service itself, and those that every transaction has."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Final

from duly.ledger.verbs.base import OnSession
from duly.ledger.verbs.shapes import Shape
from duly.model.instant import Instant
from duly.model.records import AuditEvent, Node, Notice, OperationRecord

NODE: Final = Shape(Node)
NOTICE: Final = Shape(Notice)
OPERATION: Final = Shape(OperationRecord)
AUDIT: Final = Shape(AuditEvent)


class Common(OnSession):
    """Time, wake keys, nested parts, audit."""

    __slots__ = ()

    @property
    def at(self) -> Instant:
        """The instant of this transaction."""
        return self._session.at

    def wake(self, key: str) -> None:
        """Wake the loops that wait for `key`, after the commit."""
        self._session.wake(key)

    def part(self, failures: list[Exception]) -> AbstractContextManager[None]:
        """Return a nested part: its error is kept in `failures` and only the part is rolled back."""
        return self._session.part(failures)

    def has_time(self) -> bool:
        """Say whether a batch may take one more member."""
        return self._session.has_time()

    def audit(self, scope: str, kind: str, body: Mapping[str, Any], actor: str) -> None:
        """Append an event to a scope's hash chain."""
        self._session.audit(scope, kind, body, actor)

    def audit_events(self, scope: str, after_seq: int, limit: int) -> list[AuditEvent]:
        """Return a scope's events behind `after_seq`, oldest first."""
        return AUDIT.records(
            self._session.rows("audit_events", scope=scope, after_seq=after_seq, limit=limit)
        )


class Service(OnSession):
    """Settings, nodes, notices, operations."""

    __slots__ = ()

    def schema_version(self) -> int:
        """Return which schema the ledger has."""
        found: int = self._fact("schema_meta_read")
        return found

    def setting(self, name: str) -> str | None:
        """Return a setting."""
        found: str | None = self._fact("setting", name=name)
        return found

    def record_setting(self, name: str, value: str) -> None:
        """Set a setting."""
        self._session.rows("record_setting", name=name, value=value)

    def add_node(self, node: Node) -> bool:
        """Note a start of the service, once."""
        return self._changed("add_node", **NODE.params(node))

    def nodes(self, limit: int) -> list[Node]:
        """Return nodes, newest start first."""
        return NODE.records(self._session.rows("nodes", limit=limit))

    def record_node_seen(self, owner: str, scanned_at: Instant | None) -> None:
        """Note that a node lives; None leaves `scanned_at` as it is."""
        self._session.rows("record_node_seen", owner=owner, scanned_at_us=scanned_at)

    def record_node_stopped(self, owner: str) -> None:
        """Note that a node stopped in good order."""
        self._session.rows("record_node_stopped", owner=owner)

    def add_notice(self, notice: Notice) -> bool:
        """Note something to tell a person, once."""
        return self._changed("add_notice", **NOTICE.params(notice))

    def due_notices(self, limit: int) -> list[Notice]:
        """Return notices to send by now, one of each automation: those tried least, of these the longest due first."""
        return NOTICE.records(self._session.rows("due_notices", limit=limit))

    def next_notice_at(self) -> Instant | None:
        """Return when the next notice is to be sent."""
        found: Instant | None = self._fact("next_notice_at")
        return found

    def next_notice_after(self) -> Instant | None:
        """Return when the next notice is to be sent that is not due yet."""
        found: Instant | None = self._fact("next_notice_after")
        return found

    def notice(self, notice_id: str) -> Notice | None:
        """Return one notice."""
        return NOTICE.first(self._session.row("notice", notice_id=notice_id))

    def record_notice(self, notice: Notice) -> None:
        """Set state, tries, next_try, detail and ended_at."""
        self._session.rows("record_notice", **NOTICE.params(notice))

    def notices(self, limit: int) -> list[Notice]:
        """Return notices, newest first."""
        return NOTICE.records(self._session.rows("notices", limit=limit))

    def add_operation(self, operation: OperationRecord) -> bool:
        """Keep the answer to a command, once."""
        return self._changed("add_operation", **OPERATION.params(operation))

    def operation(self, operation_id: str) -> OperationRecord | None:
        """Return the answer to a command."""
        return OPERATION.first(self._session.row("operation", operation_id=operation_id))
