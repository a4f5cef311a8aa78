"""Facts about the service itself: notices, nodes, operations, audit events."""

from dataclasses import dataclass

from duly.model.ids import AutomationId, RunId
from duly.model.instant import Instant
from duly.model.states import NoticeState


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something a person has to be told once; `body` is canonical JSON."""

    notice_id: str
    kind: str
    automation_id: AutomationId
    run_id: RunId | None
    body: str
    state: NoticeState
    tries: int
    next_try: Instant | None
    detail: str | None
    created_at: Instant
    ended_at: Instant | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One process start of the service."""

    owner: str
    host: str
    pid: int
    boot_id: str
    started_at: Instant
    seen_at: Instant
    scanned_at: Instant | None
    stopped_at: Instant | None
    tzdata: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRecord:
    """A command that was carried out under an Idempotency-Key, and what it answered (canonical JSON)."""

    operation_id: str
    name: str
    request_sha256: str
    result: str
    actor: str
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One link of a scope's hash chain; scopes are `automation:<id>`, `run:<id>`, `node`; `body` is canonical JSON."""

    scope: str
    seq: int
    at: Instant
    actor: str
    kind: str
    body: str
    hash: str
