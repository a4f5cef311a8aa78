"""Verbs about the service itself: settings, nodes, notices, operations."""

from typing import Protocol

from duly.model.instant import Instant
from duly.model.records import Node, Notice, OperationRecord


class ServiceVerbs(Protocol):
    """Facts that belong to no automation."""

    def setting(self, name: str) -> str | None: ...

    def record_setting(self, name: str, value: str) -> None: ...

    def add_node(self, node: Node) -> bool: ...

    def nodes(self, limit: int) -> list[Node]:
        """Return nodes, newest start first."""
        ...

    def record_node_seen(self, owner: str, scanned_at: Instant | None) -> None:
        """Note that a node lives; None leaves `scanned_at` as it is."""
        ...

    def record_node_stopped(self, owner: str) -> None: ...

    def add_notice(self, notice: Notice) -> bool: ...

    def due_notices(self, limit: int) -> list[Notice]: ...

    def next_notice_at(self) -> Instant | None: ...

    def record_notice(self, notice: Notice) -> None:
        """Set state, tries, next_try, detail and ended_at."""
        ...

    def notices(self, limit: int) -> list[Notice]:
        """Return notices, newest first."""
        ...

    def add_operation(self, operation: OperationRecord) -> bool: ...

    def operation(self, operation_id: str) -> OperationRecord | None: ...
