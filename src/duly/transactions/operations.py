"""Commands under an Idempotency-Key: carried out once, answered the same ever after."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from duly.ledger.api.tx import Tx
from duly.model import canonical, ids
from duly.model.errors import IdempotencyConflictError
from duly.model.records import OperationRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """A command as it was sent: `name` of the operation, `key` of the sender, `request` as plain data."""

    workspace_id: str
    name: str
    key: str
    request: Mapping[str, Any]
    actor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceAnswer:
    """What the command answered, as plain data, and whether that was earlier."""

    operation_id: str
    result: Mapping[str, Any]
    is_replay: bool


def once_only(tx: Tx, once: Once, fn: Callable[[], Mapping[str, Any]]) -> OnceAnswer:
    """Run `fn` unless this key was answered before. Raises IdempotencyConflictError for another request.

    What `fn` raises leaves no trace: the key may be sent again.
    """
    operation_id = ids.operation_id(once.workspace_id, once.name, once.key)
    request_sha256 = canonical.hash_of(dict(once.request))
    found = tx.operation(operation_id)
    if found is not None:
        if found.request_sha256 != request_sha256:
            raise IdempotencyConflictError(
                f"the key {once.key!r} was used for another request of {once.name}",
                fix="send a new Idempotency-Key",
            )
        result = json.loads(found.result)
        return OnceAnswer(operation_id=operation_id, result=result, is_replay=True)
    result = fn()
    record = OperationRecord(
        operation_id=operation_id,
        name=once.name,
        request_sha256=request_sha256,
        result=canonical.to_json(dict(result)),
        actor=once.actor,
        at=tx.at,
    )
    tx.add_operation(record)
    return OnceAnswer(operation_id=operation_id, result=result, is_replay=False)
