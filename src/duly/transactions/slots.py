"""What admission records of slots: occurrences, runs, and one audit event for each answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from duly.ledger.api.tx import Tx
from duly.model import ids
from duly.model.errors import VersionConflictError
from duly.model.ids import AutomationId, RunId
from duly.model.instant import Instant
from duly.model.occurrence import Occurrence
from duly.model.plan import Timing
from duly.model.reasons import Reason
from duly.model.run import Run, RunPin
from duly.model.states import Disposition, RunState, Trigger
from duly.model.timing import Watermark, Window
from duly.policy.admission import MissedRange
from duly.policy.catch_up import LateSlot
from duly.transactions.moves import scope_of


def newest(pins: Sequence[RunPin]) -> RunPin | None:
    """Return the last of a window's runs: each one amends the one before, so it is the one that none amends."""
    if not pins:
        return None
    amended = {pin.amends_run_id for pin in pins}
    return next((pin for pin in pins if pin.run_id not in amended), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run to be admitted. `behind`: it waits, for that run or (None) for room; `is_waiting`: it waits at all."""

    automation_id: AutomationId
    workspace_id: str
    revision: int
    timing: Timing
    window: Window
    input_version: str
    cause: Trigger
    actor: str
    reason: Reason
    slot: LateSlot | None = None
    is_caught_up: bool = False
    is_waiting: bool = False
    behind: RunId | None = None
    amends: RunId | None = None
    redo_reason: str | None = None
    redo_effects: str | None = None


def add_run(tx: Tx, new: NewRun) -> RunId:
    """Add a run with its pin, claimable at once or waiting. Raises VersionConflictError when its work has one."""
    run_id = ids.run_id(new.automation_id, new.window.key, new.input_version)
    if not tx.add_run(pin_of(tx.at, new, run_id), run_of(tx.at, new, run_id)):
        raise VersionConflictError(f"run {run_id} was admitted in between", fix="try again")
    tx.audit(scope_of(run_id), "run.created", created_body(new), new.actor)
    return run_id


def created_body(new: NewRun) -> dict[str, Any]:
    """Return the audit body of a new run; it names neither run nor automation."""
    body: dict[str, Any] = {
        "to": (RunState.CREATED if new.is_waiting else RunState.QUEUED).value,
        "reason": new.reason.value,
        "cause": new.cause.value,
        "window": new.window.key,
        "input_version": new.input_version,
        "revision": new.revision,
    }
    if new.slot is not None:
        body["slot"] = new.slot.key
    if new.behind is not None:
        body["behind"] = new.behind
    if new.amends is not None:
        body |= {"amends": new.amends, "redo": new.redo_reason, "effects": new.redo_effects}
    return body


def pin_of(at: Instant, new: NewRun, run_id: RunId) -> RunPin:
    """Return what a new run is for."""
    return RunPin(
        run_id=run_id,
        automation_id=new.automation_id,
        workspace_id=new.workspace_id,
        window_key=new.window.key,
        input_version=new.input_version,
        revision=new.revision,
        cause=new.cause,
        slot_key=None if new.slot is None else new.slot.key,
        due_at=None if new.slot is None else new.slot.due_at,
        span_start=new.window.span_start,
        span_end=new.window.span_end,
        is_caught_up=new.is_caught_up,
        amends_run_id=new.amends,
        redo_reason=new.redo_reason,
        redo_effects=new.redo_effects,
        created_at=at,
    )


def run_of(at: Instant, new: NewRun, run_id: RunId) -> Run:
    """Return where a new run stands: claimable at once, or waiting."""
    limit = new.timing.queue_us_max
    return Run(
        run_id=run_id,
        automation_id=new.automation_id,
        state=RunState.CREATED if new.is_waiting else RunState.QUEUED,
        version=1,
        state_since=at,
        claimable_at=None if new.is_waiting else at,
        is_caught_up=new.is_caught_up,
        priority=new.timing.priority,
        behind_run_id=new.behind,
        lease_owner=None,
        lease_until=None,
        claim_id=None,
        fence=0,
        attempts=0,
        cancel_actor=None,
        wait_reason=new.reason.value if new.is_waiting else None,
        wait_since=at if new.is_waiting else None,
        start_by=None if limit is None else Instant(at + limit),
        outcome=None,
        grade=None,
        reason=None,
        error_class=None,
        may_live=False,
        settled_at=None,
        created_at=at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One slot or trigger and its answer, as an occurrence will keep it."""

    automation_id: AutomationId
    revision: int
    disposition: Disposition
    reason: Reason
    run_id: RunId | None = None
    window_key: str | None = None
    actor: str = "scanner"


def add_slot(tx: Tx, slot: LateSlot, answered: Answered) -> dict[str, Any]:
    """Add the occurrence of one slot; return its audit entry. Raises VersionConflictError when it was answered."""
    _add(tx, occurrence_of(tx.at, slot, answered))
    return entry_of(tx.at, slot, answered)


def occurrence_of(at: Instant, slot: LateSlot, answered: Answered) -> Occurrence:
    """Return the occurrence of one slot."""
    return Occurrence(
        automation_id=answered.automation_id,
        occurrence_key=f"slot:{slot.key}",
        cause=Trigger.TIMER,
        disposition=answered.disposition,
        reason=answered.reason.value,
        revision=answered.revision,
        run_id=answered.run_id,
        window_key=answered.window_key,
        due_at=slot.due_at,
        last_due_at=slot.due_at,
        last_slot_key=slot.key,
        slot_count=1,
        actor=answered.actor,
        at=at,
    )


def entry_of(at: Instant, slot: LateSlot, answered: Answered) -> dict[str, Any]:
    """Return the audit entry of one slot."""
    return {
        "slot": slot.key,
        "disposition": answered.disposition.value,
        "reason": answered.reason.value,
        "window": answered.window_key,
        "run": answered.run_id,
        "late_us": at - slot.due_at,
    }


def add_range(tx: Tx, missed: MissedRange, answered: Answered) -> dict[str, Any]:
    """Add the one occurrence of a range of missed slots; return its audit entry."""
    _add(
        tx,
        Occurrence(
            automation_id=answered.automation_id,
            occurrence_key=f"slot:{missed.first.key}",
            cause=Trigger.TIMER,
            disposition=answered.disposition,
            reason=answered.reason.value,
            revision=answered.revision,
            run_id=None,
            window_key=None,
            due_at=missed.first.due_at,
            last_due_at=missed.last.due_at,
            last_slot_key=missed.last.key,
            slot_count=missed.count,
            actor=answered.actor,
            at=tx.at,
        ),
    )
    return {
        "first": missed.first.key,
        "last": missed.last.key,
        "count": missed.count,
        "disposition": answered.disposition.value,
        "reason": answered.reason.value,
    }


def add_empty_span(tx: Tx, since: Instant, answered: Answered) -> dict[str, Any]:
    """Note a span in which nothing could fire and nothing was due; return its audit entry."""
    occurrence = Occurrence(
        automation_id=answered.automation_id,
        occurrence_key=f"span:{since}-{tx.at}",
        cause=Trigger.TIMER,
        disposition=answered.disposition,
        reason=answered.reason.value,
        revision=answered.revision,
        run_id=None,
        window_key=None,
        due_at=min(since, tx.at),
        last_due_at=tx.at,
        last_slot_key=None,
        slot_count=0,
        actor=answered.actor,
        at=tx.at,
    )
    # Two changes in one microsecond leave one empty span.
    tx.add_occurrence(occurrence)
    return {"since": since, "count": 0, "reason": answered.reason.value}


def _add(tx: Tx, occurrence: Occurrence) -> None:
    if not tx.add_occurrence(occurrence):
        key = occurrence.occurrence_key
        raise VersionConflictError(f"{key} was answered in between", fix="try again")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """How answers moved a watermark, within one anchor class and zone, and when the next slot is due."""

    before: Watermark
    after: Watermark
    next_due: Instant | None


def audit_answers(
    tx: Tx,
    whose: tuple[AutomationId, int],
    marks: Raised,
    entries: list[dict[str, Any]],
    actor: str,
) -> None:
    """Write the one audit event of an admission: an automation's (with its revision) answers and its watermark."""
    automation_id, revision = whose
    body = answers_body(revision, marks, entries)
    tx.audit(f"automation:{automation_id}", "slots.answered", body, actor)


def answers_body(revision: int, marks: Raised, entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the audit body of an admission."""
    return {
        "revision": revision,
        "from": marks.before.slot_key,
        "to": marks.after.slot_key,
        "to_at": marks.after.due_at,
        "anchor": marks.after.anchor.value,
        "zone": marks.after.zone,
        "answers": entries,
        "next_due": marks.next_due,
    }


def mark_body(mark: Watermark) -> dict[str, Any]:
    """Return a watermark as an audit event shows it."""
    return {
        "due_at": mark.due_at,
        "slot": mark.slot_key,
        "anchor": mark.anchor.value,
        "zone": mark.zone,
    }
