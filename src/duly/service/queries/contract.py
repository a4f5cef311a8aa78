"""The run contract: what a run is for, what it reads, what it may change, and how it stands."""

import json
from typing import Any

from duly.ledger.api.tx import Tx
from duly.model import placeholders
from duly.model.ids import RunId, dedupe_key
from duly.model.plan import Isolation, Work
from duly.service import text
from duly.service.desk import Desk
from duly.service.queries import reading
from duly.service.queries.runs import ArtifactView, NameRun, artifacts_of
from duly.service.registry import Answer, Operation, query
from duly.service.views import KnownRun, status_of


class Enforced(Answer):
    """One side-effect rule, and whether Duly enforces it or only declares it."""

    value: str
    by: str


class SideEffects(Answer):
    """What may be changed outside."""

    remote_write: Enforced
    overwrite_same_artifact: Enforced


class InputSnapshot(Answer):
    """What the run reads; frozen fields are null until the first attempt froze them."""

    source_set: list[str] | None
    base_commit: str | None
    base_tree: str | None
    span_start: str
    query_cutoff: str
    observed_at: str | None
    input_version: str
    content: dict[str, Any] | None


class Contract(Answer):
    """The run contract: what this run is for, what it may do, and how it stands."""

    job_key: str
    run_id: str
    revision: int
    definition_digest: str
    window_key: str
    dedupe_key: str
    input_snapshot: InputSnapshot
    lease_owner: str | None
    lease_until: str | None
    write_scope: list[str]
    write_scope_by: str
    side_effect_policy: SideEffects
    isolation: str
    restart: str
    result_artifact: str | None
    artifacts: list[ArtifactView]
    status: str
    grade: str | None
    reason: str | None
    amends: str | None


def contract(desk: Desk, asked: NameRun) -> Contract:
    """Return the contract of a run, live or ended."""
    return desk.ledger.read(_contract, asked.run_id)


def _contract(tx: Tx, run_id: str) -> Contract:
    known = reading.known_run(tx, run_id)
    run, pin = known.run, known.pin
    revision = tx.revision(pin.automation_id, pin.revision)
    assert revision is not None, run_id
    work = reading.work_of(revision)
    return Contract(
        job_key=known.job_key,
        run_id=run.run_id,
        revision=pin.revision,
        definition_digest=revision.digest,
        window_key=pin.window_key,
        dedupe_key=dedupe_key(known.job_key, pin.window_key, pin.input_version),
        input_snapshot=_snapshot(tx, known),
        lease_owner=run.lease_owner,
        lease_until=text.utc(run.lease_until),
        write_scope=list(work.write_scope),
        write_scope_by=_enforcement(work),
        side_effect_policy=_side_effects(work),
        isolation=work.isolation.value,
        restart=work.agent.restart.value,
        result_artifact=_artifact_path(work, known),
        artifacts=artifacts_of(tx, run),
        status=status_of(run),
        grade=None if run.grade is None else run.grade.value,
        reason=run.reason or run.wait_reason,
        amends=pin.amends_run_id,
    )


def _snapshot(tx: Tx, known: KnownRun) -> InputSnapshot:
    frozen = tx.snapshot(RunId(known.run.run_id))
    return InputSnapshot(
        source_set=None if frozen is None else list(frozen.source_set),
        base_commit=None if frozen is None else frozen.base_commit,
        base_tree=None if frozen is None else frozen.base_tree,
        span_start=text.utc(known.pin.span_start) or "",
        query_cutoff=text.utc(known.pin.span_end) or "",
        observed_at=None if frozen is None else text.utc(frozen.observed_at),
        input_version=known.pin.input_version,
        content=None if frozen is None else json.loads(frozen.content),
    )


def _enforcement(work: Work) -> str:
    """Only what is in scope leaves a staged copy by us; no sandbox keeps the program from the rest of the disk yet."""
    if work.isolation is Isolation.IN_PLACE:
        return "declared"
    return "publication enforced, program declared"


def _side_effects(work: Work) -> SideEffects:
    is_published_by_us = work.isolation.value == "staged"
    return SideEffects(
        remote_write=Enforced(value=work.remote_write.value, by="declared"),
        overwrite_same_artifact=Enforced(
            value=work.overwrite.value, by="enforced" if is_published_by_us else "declared"
        ),
    )


def _artifact_path(work: Work, known: KnownRun) -> str | None:
    if work.result_artifact is None:
        return None
    values = {
        "job_key": known.job_key,
        "window": known.pin.window_key,
        "input_version": known.pin.input_version,
    }
    return f"{work.root}/{placeholders.expand_path(work.result_artifact, values)}"


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("runs.contract", "return a run's contract", NameRun, Contract, contract),
)
