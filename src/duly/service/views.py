"""Answers about automations and runs: the facts of the ledger in the words people and programs read."""

from dataclasses import dataclass
from typing import Any

from duly.model.automation import Automation, Revision
from duly.model.ids import dedupe_key
from duly.model.occurrence import Occurrence
from duly.model.reasons import Reason
from duly.model.run import Run, RunPin
from duly.model.states import AutomationState, Outcome, RunState
from duly.model.zone import Zone
from duly.policy import explain, lifecycle, words
from duly.service import names, text
from duly.service.registry import Answer


class SlotView(Answer):
    """One slot that a rule names."""

    slot_key: str
    due_at: str
    local: str
    marks: list[str]


class AutomationView(Answer):
    """One automation as lists show it."""

    id: str
    job_key: str
    name: str | None
    state: str
    reason: str | None
    why: str
    timezone: str
    schedule: str
    next_run: str | None
    last_run: str | None
    last_status: str | None
    revision: int
    created_at: str
    updated_at: str


class RunView(Answer):
    """One run as lists show it. `status` is the contract's; `why` is the reason, `words` says both to a person."""

    id: str
    job_key: str
    window_key: str
    dedupe_key: str
    state: str
    status: str
    outcome: str | None
    grade: str | None
    reason: str | None
    why: str
    words: str
    next_step: str
    attempts: int
    cause: str
    due_at: str | None
    created_at: str
    settled_at: str | None


class OccurrenceView(Answer):
    """How one trigger, or a range of slots, was answered."""

    occurrence_key: str
    cause: str
    disposition: str
    reason: str | None
    why: str
    due_at: str | None
    last_due_at: str | None
    slot_count: int
    run_id: str | None
    window_key: str | None
    verdict: str | None = None
    actor: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEnding:
    """A run with the exit code of its program, where its ending rests on it, else 0."""

    run: Run
    exit_code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRun:
    """A run with what it is for; `exit_code` is that of its program, where its ending rests on it, else 0."""

    run: Run
    pin: RunPin
    job_key: str
    exit_code: int


_LIVE_WORDS = {
    RunState.CREATED: "waiting for an earlier run",
    RunState.QUEUED: "waiting for a worker",
    RunState.COLLECTING: "running: collecting its inputs",
    RunState.ANALYZING: "running: the program works",
    RunState.REVIEWING: "running: checking the result",
    RunState.AWAITING_APPROVAL: "waiting for an approval",
    RunState.EXECUTING: "running: publishing",
    RunState.RETRYING: "waiting for another attempt",
}
_RUNNING = lifecycle.CLAIMED
_REASONS = {reason.value: reason for reason in Reason}


def status_of(run: Run) -> str:
    """Return the contract's status: `running` or `waiting` while live, then the outcome."""
    if run.outcome is not None and run.state in lifecycle.SETTLED_STATES:
        return run.outcome.value
    if run.state is RunState.BLOCKED:
        return Outcome.NEEDS_REVIEW.value
    return "running" if run.state in _RUNNING else "waiting"


def why_code(run: Run) -> str | None:
    """Return the code of why a run stands as it does: of one that waits, what it waits for."""
    is_waiting = status_of(run) == "waiting" and run.wait_reason is not None
    return run.wait_reason if is_waiting else run.reason


def words_of(run: Run, exit_code: int = 0) -> str:
    """Say in words where a run stands; `exit_code` matters where its completion rests on it."""
    if run.outcome is not None and run.state in lifecycle.SETTLED_STATES:
        return words.words(run.outcome, run.grade, reason_of(run.reason), exit_code)
    waits = "" if run.wait_reason is None else f" ({why_of(run.wait_reason)})"
    return _LIVE_WORDS[run.state] + waits


def reason_of(code: str | None) -> Reason | None:
    """Return the reason for a stored code; None for none, and for one that only a later version knows."""
    return None if code is None else _REASONS.get(code)


def why_of(code: str | None, exit_code: int = 0) -> str:
    """Return what a reason code means; a code that is not known stays as it is."""
    reason = reason_of(code)
    return (code or "") if reason is None else explain.phrase(reason, exit_code)


def run_view(known: KnownRun) -> RunView:
    """Return a run for lists."""
    run, pin, job_key = known.run, known.pin, known.job_key
    code = why_code(run)
    reason = reason_of(code)
    return RunView(
        id=run.run_id,
        job_key=job_key,
        window_key=pin.window_key,
        dedupe_key=dedupe_key(job_key, pin.window_key, pin.input_version),
        state=run.state.value,
        status=status_of(run),
        outcome=None if run.outcome is None else run.outcome.value,
        grade=None if run.grade is None else run.grade.value,
        reason=code,
        why=why_of(code, known.exit_code),
        words=words_of(run, known.exit_code),
        next_step="" if reason is None else _next_step(reason, known),
        attempts=run.attempts,
        cause=pin.cause.value,
        due_at=text.utc(pin.due_at),
        created_at=text.utc(run.created_at) or "",
        settled_at=text.utc(run.settled_at),
    )


def _next_step(reason: Reason, known: KnownRun) -> str:
    step = explain.next_step(reason, known.run.outcome)
    return names.named(step, known.job_key, known.pin.window_key, known.run.run_id)


def occurrence_view(occurrence: Occurrence, verdict: str | None) -> OccurrenceView:
    """Return an occurrence with its reason in words."""
    return OccurrenceView(
        occurrence_key=occurrence.occurrence_key,
        cause=occurrence.cause.value,
        disposition=occurrence.disposition.value,
        reason=occurrence.reason,
        why=why_of(occurrence.reason),
        due_at=text.utc(occurrence.due_at),
        last_due_at=text.utc(occurrence.last_due_at),
        slot_count=occurrence.slot_count,
        run_id=occurrence.run_id,
        window_key=occurrence.window_key,
        verdict=verdict,
        actor=occurrence.actor,
        at=text.utc(occurrence.at) or "",
    )


def automation_view(
    automation: Automation, written: dict[str, Any], newest: KnownEnding | None, zone: Zone
) -> AutomationView:
    """Return an automation for lists; times are in its own zone."""
    run = None if newest is None else newest.run
    return AutomationView(
        id=automation.automation_id,
        job_key=automation.job_key,
        name=written.get("name"),
        state=automation.state.value,
        reason=automation.state_reason,
        why=_why(automation, newest),
        timezone=zone.name,
        schedule=schedule_text(written),
        next_run=text.local(automation.next_due, zone),
        last_run=None if run is None else text.local(run.created_at, zone),
        last_status=None if run is None else status_of(run),
        revision=automation.revision,
        created_at=text.utc(automation.created_at) or "",
        updated_at=text.utc(automation.updated_at) or "",
    )


def _why(automation: Automation, newest: KnownEnding | None) -> str:
    if automation.state is not AutomationState.ACTIVE:
        return f"{automation.state.value}: {why_of(automation.state_reason)}".removesuffix(": ")
    if newest is not None:
        return words_of(newest.run, newest.exit_code)
    return "has not run yet" if automation.next_due is not None else "nothing is due any more"


def schedule_text(written: dict[str, Any]) -> str:
    """Return the rule as written, in one line."""
    schedule = written.get("schedule") or {}
    for kind in ("rrule", "cron", "once"):
        if kind in schedule:
            return f"{kind} {' '.join(str(schedule[kind]).split())}"
    return "only by hand"


def is_current(revision: Revision, automation: Automation) -> bool:
    """Say whether a revision is the one in force."""
    return revision.number == automation.revision
