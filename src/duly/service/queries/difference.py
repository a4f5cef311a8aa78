"""What a run changed: the text differences of what it published, and the paths that it changed outside its scope."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from duly.adapters.files.stage import Frozen, Manifest
from duly.adapters.files.tree import Kind
from duly.ledger.api.tx import Tx
from duly.model.errors import DulyError
from duly.model.ids import RunId
from duly.model.records import AuditEvent
from duly.service.desk import Desk
from duly.service.queries import reading
from duly.service.queries.runs import ArtifactView, NameRun, artifacts_of
from duly.service.registry import Answer, Operation, query

_EVENTS_MAX = 1000
_LOOKED_AT_MAX = 100
# An event names no more paths than these.
_NAMED_MAX = 20


class ChangedFileView(Answer):
    """One published file. `text` is its difference to what it replaced; None: it was new, or is no text."""

    path: str
    text: str | None


class OutsideView(Answer):
    """One path outside the scope: whether the run made it or changed it, and what stood there when it began.

    What stands there now is not kept, so a removal counts as a change.

    `kind` is `unknown` where the start was not frozen.
    """

    path: str
    kind: Literal["new", "changed", "unknown"]
    before_sha256: str | None
    before_bytes: int | None


class Difference(Answer):
    """What a run published, and what it changed `outside` its scope, which was not published."""

    run_id: str
    files: list[ChangedFileView]
    outside: list[str]
    outside_changes: list[OutsideView]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What the ledger knows: published files, the paths outside the scope, the hash of all of them, the frozen base."""

    run_id: str
    artifacts: list[ArtifactView]
    outside: list[str]
    outside_sha256: str | None
    base_tree: str | None


def difference(desk: Desk, asked: NameRun) -> Difference:
    """Return what a run changed, as it was recorded."""
    found = desk.ledger.read(_found, asked.run_id)
    outside = _all_outside(desk, found)
    return Difference(
        run_id=found.run_id,
        files=[_file(desk, one) for one in found.artifacts],
        outside=outside,
        outside_changes=_outside_changes(desk, found, outside[:_LOOKED_AT_MAX]),
    )


def _found(tx: Tx, name: str) -> _Found:
    run = reading.known_run(tx, name).run
    bodies = [json.loads(event.body) for event in _events(tx, f"run:{run.run_id}")]
    told = [body for body in bodies if body.get("out_of_scope")]
    snapshot = tx.snapshot(RunId(run.run_id))
    return _Found(
        run_id=run.run_id,
        artifacts=artifacts_of(tx, run),
        outside=told[-1]["out_of_scope"] if told else [],
        outside_sha256=told[-1].get("difference") if told else None,
        base_tree=None if snapshot is None else snapshot.base_tree,
    )


def _events(tx: Tx, scope: str) -> list[AuditEvent]:
    found: list[AuditEvent] = []
    while page := tx.audit_events(scope, found[-1].seq if found else 0, _EVENTS_MAX):
        found.extend(page)
    return found


def _all_outside(desk: Desk, found: _Found) -> list[str]:
    """Return every path: the event names the first ones, the bytes all, one a line and in ASCII."""
    if found.outside_sha256 is None or len(found.outside) < _NAMED_MAX:
        return found.outside
    try:
        return desk.bytes.read_bytes(found.outside_sha256).decode("ascii", "replace").splitlines()
    except DulyError:
        return found.outside


def _outside_changes(desk: Desk, found: _Found, paths: list[str]) -> list[OutsideView]:
    """Compare with what the run was given, for as long as that is kept."""
    before = _given(desk, found.base_tree)
    return [_outside(path, before) for path in paths]


def _given(desk: Desk, base_tree: str | None) -> Mapping[str, Frozen] | None:
    if base_tree is None:
        return None
    try:
        manifest = Manifest.from_plain(json.loads(desk.bytes.read_bytes(base_tree)))
    except DulyError:
        return None
    files = {_shown(path): one for path, one in manifest.entries.items() if one.kind is Kind.FILE}
    return {ascii(path)[1:-1]: one for path, one in files.items()} | files


def _shown(path: str) -> str:
    """Return a path as events name it."""
    return path.encode("utf-8", "backslashreplace").decode()


def _outside(path: str, before: Mapping[str, Frozen] | None) -> OutsideView:
    old = None if before is None else before.get(path)
    return OutsideView(
        path=path,
        kind="unknown" if before is None else "new" if old is None else "changed",
        before_sha256=None if old is None else old.sha256,
        before_bytes=None if old is None else old.size,
    )


def _file(desk: Desk, artifact: ArtifactView) -> ChangedFileView:
    sha256 = artifact.difference_sha256
    text = None if sha256 is None else desk.bytes.read_bytes(sha256).decode("utf-8", "replace")
    return ChangedFileView(path=artifact.path, text=text)


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("runs.difference", "return what a run changed", NameRun, Difference, difference),
)
