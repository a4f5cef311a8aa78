"""Runs as people look at them: list, show, events, and the run contract."""

import json
from typing import Any

from pydantic import Field

from duly.ledger.api.runs import RunFilter
from duly.ledger.api.tx import Tx
from duly.model.effect import Effect
from duly.model.errors import Fault, ValidationError
from duly.model.run import Execution, Run
from duly.model.states import RunState
from duly.service import text
from duly.service.desk import Desk
from duly.service.queries import endings, reading
from duly.service.registry import Answer, Operation, Request, query
from duly.service.views import OccurrenceView, RunView, occurrence_view


class ListRuns(Request):
    """Which runs to list, newest first."""

    job_key: str | None = None
    state: list[str] = Field(default_factory=list)
    limit: int = Field(default=50, ge=1, le=500)
    before: str | None = None


class RunList(Answer):
    """A page of runs; `next_before` continues it."""

    runs: list[RunView]
    next_before: str | None


class NameRun(Request):
    """One run by its id, or by how that begins."""

    run_id: str


class ExecutionView(Answer):
    """One program that an attempt ran."""

    part: str
    attempt: int
    state: str
    argv: list[str]
    exit_code: int | None
    ending: str | None
    log_sha256: str | None
    log_bytes: int | None
    started_at: str | None
    ended_at: str | None


class AttemptView(Answer):
    """One claim of a run."""

    fence: int
    owner: str
    claimed_at: str
    ended_at: str | None
    ending: str | None


class EffectView(Answer):
    """One intended change of the outside world."""

    id: str
    action: str
    identity: dict[str, Any]
    state: str
    external_id: str | None
    update_number: int


class ArtifactView(Answer):
    """One result file."""

    path: str
    sha256: str
    bytes: int
    difference_sha256: str | None


class RunDetail(Answer):
    """Everything about one run."""

    run: RunView
    revision: int
    attempts: list[AttemptView]
    executions: list[ExecutionView]
    effects: list[EffectView]
    artifacts: list[ArtifactView]
    occurrences: list[OccurrenceView]
    late_reports: int


class RunEvents(Request):
    """The audit events of one run, oldest first."""

    run_id: str
    after_seq: int = Field(default=0, ge=0)
    limit: int = Field(default=200, ge=1, le=1000)


class EventView(Answer):
    """One link of the audit chain."""

    seq: int
    at: str
    actor: str
    kind: str
    body: dict[str, Any]


class EventList(Answer):
    """Events of a scope."""

    scope: str
    events: list[EventView]


def list_runs(desk: Desk, asked: ListRuns) -> RunList:
    """List runs, newest first."""
    return desk.ledger.read(_list, asked)


def _list(tx: Tx, asked: ListRuns) -> RunList:
    automation = reading.automation_named(tx, asked.job_key) if asked.job_key else None
    chosen = RunFilter(
        automation_id=None if automation is None else automation.automation_id,
        states=tuple(_state(name, place) for place, name in enumerate(asked.state)),
        created_before=text.parse(asked.before, "/before") if asked.before else None,
        limit=asked.limit,
    )
    found = tx.runs(chosen)
    return RunList(
        runs=[endings.view(tx, run) for run in found],
        next_before=text.utc(found[-1].created_at) if len(found) == asked.limit else None,
    )


def _state(name: str, place: int) -> RunState:
    try:
        return RunState(name)
    except ValueError:
        known = ", ".join(state.value for state in RunState)
        fault = Fault(
            pointer=f"/state/{place}", message=f"{name!r} is no state", fix=f"known: {known}"
        )
        raise ValidationError([fault]) from None


def show_run(desk: Desk, asked: NameRun) -> RunDetail:
    """Show one run with its attempts, programs, effects and artifacts."""
    return desk.ledger.read(_show, asked.run_id)


def _show(tx: Tx, run_id: str) -> RunDetail:
    known = reading.known_run(tx, run_id)
    return RunDetail(
        run=endings.view(tx, known.run),
        revision=known.pin.revision,
        attempts=_attempts(tx, known.run),
        executions=[_execution(execution) for execution in tx.executions(known.run.run_id)],
        effects=[effect_view(effect) for effect in tx.effects_of_run(known.run.run_id)],
        artifacts=artifacts_of(tx, known.run),
        occurrences=_occurrences(tx, known.run),
        late_reports=len(tx.late_reports(known.run.run_id)),
    )


def _attempts(tx: Tx, run: Run) -> list[AttemptView]:
    return [
        AttemptView(
            fence=attempt.fence,
            owner=attempt.owner,
            claimed_at=text.utc(attempt.claimed_at) or "",
            ended_at=text.utc(attempt.ended_at),
            ending=attempt.ending,
        )
        for attempt in tx.attempts(run.run_id)
    ]


def _execution(execution: Execution) -> ExecutionView:
    return ExecutionView(
        part=execution.part,
        attempt=execution.fence,
        state=execution.state.value,
        argv=json.loads(execution.argv),
        exit_code=execution.exit_code,
        ending=execution.ending,
        log_sha256=execution.log_sha256,
        log_bytes=execution.log_bytes,
        started_at=text.utc(execution.started_at),
        ended_at=text.utc(execution.ended_at),
    )


def effect_view(effect: Effect) -> EffectView:
    """Return one effect as people look at it."""
    return EffectView(
        id=effect.effect_id,
        action=effect.action,
        identity=json.loads(effect.identity),
        state=effect.state.value,
        external_id=effect.external_id,
        update_number=effect.update_number,
    )


def artifacts_of(tx: Tx, run: Run) -> list[ArtifactView]:
    """Return the result files of a run."""
    return [
        ArtifactView(
            path=artifact.path,
            sha256=artifact.sha256,
            bytes=artifact.bytes,
            difference_sha256=artifact.difference_sha256,
        )
        for artifact in tx.artifacts(run.run_id)
    ]


def _occurrences(tx: Tx, run: Run) -> list[OccurrenceView]:
    views = []
    for occurrence in tx.occurrences_of_run(run.run_id):
        verdict = tx.rerun_verdict(occurrence.automation_id, occurrence.occurrence_key)
        views.append(
            occurrence_view(occurrence, None if verdict is None else verdict.verdict.value)
        )
    return views


def run_events(desk: Desk, asked: RunEvents) -> EventList:
    """Return everything that happened to a run, in order, as the audit has it."""
    return desk.ledger.read(_events, asked)


def _events(tx: Tx, asked: RunEvents) -> EventList:
    run = reading.known_run(tx, asked.run_id).run
    scope = f"run:{run.run_id}"
    return EventList(
        scope=scope,
        events=[
            EventView(
                seq=event.seq,
                at=text.utc(event.at) or "",
                actor=event.actor,
                kind=event.kind,
                body=json.loads(event.body),
            )
            for event in tx.audit_events(scope, asked.after_seq, asked.limit)
        ],
    )


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("runs.list", "list runs, newest first", ListRuns, RunList, list_runs),
    query("runs.show", "show one run", NameRun, RunDetail, show_run),
    query("runs.events", "return what happened to a run", RunEvents, EventList, run_events),
)
