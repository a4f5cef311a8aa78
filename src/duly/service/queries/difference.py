"""What a run changed: the text differences of what it published, and the paths that it changed outside its scope."""

import json
from typing import Any

from duly.ledger.api.tx import Tx
from duly.service.desk import Desk
from duly.service.queries import reading
from duly.service.queries.runs import ArtifactView, NameRun, artifacts_of
from duly.service.registry import Answer, Operation, query

_EVENTS_MAX = 1000


class ChangedFileView(Answer):
    """One published file. `text` is its difference to what it replaced; None: it was new, or is no text."""

    path: str
    text: str | None


class Difference(Answer):
    """What a run published, and what it changed `outside` its scope, which was not published."""

    run_id: str
    files: list[ChangedFileView]
    outside: list[str]


def difference(desk: Desk, asked: NameRun) -> Difference:
    """Return what a run changed, as it was recorded."""
    run_id, artifacts, outside = desk.ledger.read(_found, asked.run_id)
    return Difference(run_id=run_id, files=[_file(desk, one) for one in artifacts], outside=outside)


def _found(tx: Tx, name: str) -> tuple[str, list[ArtifactView], list[str]]:
    run = reading.known_run(tx, name).run
    events = tx.audit_events(f"run:{run.run_id}", 0, _EVENTS_MAX)
    bodies = [json.loads(event.body) for event in events]
    told = [body["out_of_scope"] for body in bodies if body.get("out_of_scope")]
    return run.run_id, artifacts_of(tx, run), told[-1] if told else []


def _file(desk: Desk, artifact: ArtifactView) -> ChangedFileView:
    sha256 = artifact.difference_sha256
    text = None if sha256 is None else desk.bytes.read_bytes(sha256).decode("utf-8", "replace")
    return ChangedFileView(path=artifact.path, text=text)


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("runs.difference", "return what a run changed", NameRun, Difference, difference),
)
