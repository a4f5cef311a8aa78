"""Verbs about the service itself: settings, nodes, notices, operations."""

from typing import Protocol

from duly.model.instant import Instant
from duly.model.records import Node, Notice, OperationRecord


class ServiceVerbs(Protocol):
    """Facts that belong to no automation."""

    def schema_version(self) -> int:
        """Return which schema the ledger has."""
        ...

    def setting(self, name: str) -> str | None:
        """Return a setting."""
        ...

    def record_setting(self, name: str, value: str) -> None:
        """Set a setting."""
        ...

    def add_node(self, node: Node) -> bool:
        """Note a start of the service, once."""
        ...

    def nodes(self, limit: int) -> list[Node]:
        """Return nodes, newest start first."""
        ...

    def record_node_seen(self, owner: str, scanned_at: Instant | None) -> None:
        """Note that a node lives; None leaves `scanned_at` as it is."""
        ...

    def record_node_stopped(self, owner: str) -> None:
        """Note that a node stopped in good order."""
        ...

    def add_notice(self, notice: Notice) -> bool:
        """Note something to tell a person, once."""
        ...

    def due_notices(self, limit: int) -> list[Notice]:
        """Return notices to send by now, one of each automation: those tried least, of these the longest due first."""
        ...

    def next_notice_at(self) -> Instant | None:
        """Return when the next notice is to be sent."""
        ...

    def next_notice_after(self) -> Instant | None:
        """Return when the next notice is to be sent that is not due yet."""
        ...

    def notice(self, notice_id: str) -> Notice | None:
        """Return one notice."""
        ...

    def record_notice(self, notice: Notice) -> None:
        """Set state, tries, next_try, detail and ended_at."""
        ...

    def notices(self, limit: int) -> list[Notice]:
        """Return notices, newest first."""
        ...

    def add_operation(self, operation: OperationRecord) -> bool:
        """Keep the answer to a command, once."""
        ...

    def operation(self, operation_id: str) -> OperationRecord | None:
        """Return the answer to a command."""
        ...
