"""Bringing an automation's slots up to now before it changes: answered by its old rule, or closed as a span."""

from dataclasses import replace
from typing import Any, Final

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation, DueAutomation, Revision
from duly.model.errors import NotFoundError, ValidationError
from duly.model.ids import AutomationId
from duly.model.instant import SECOND_US, Instant
from duly.model.plan import Timing
from duly.model.reasons import Reason
from duly.model.states import AutomationState, Disposition
from duly.model.timing import AnchorClass, Watermark
from duly.policy import admission
from duly.policy.admission import MissedRange
from duly.recurrence import watermark
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Slot
from duly.recurrence.work import WorkBudgetExceededError
from duly.transactions import zone_data
from duly.transactions.admit import answer_due, tell_missed
from duly.transactions.due import due_slots, next_due_of
from duly.transactions.plans import (
    Zones,
    ZoneUnknownError,
    is_once,
    schedule_of,
    timing_of,
    zone_of,
)
from duly.transactions.slots import Answered, Raised, add_empty_span, add_range, audit_answers

_SPAN_REASONS: Final = {
    AutomationState.PAUSED: Reason.PAUSED,
    AutomationState.SUSPENDED: Reason.SUSPENDED,
    AutomationState.DELETED: Reason.DELETED,
}


def automation_known(tx: Tx, automation_id: AutomationId) -> Automation:
    """Return an automation. Raises NotFoundError."""
    automation = tx.automation(automation_id)
    if automation is None:
        raise NotFoundError(
            f"there is no automation {automation_id}", fix="list them with `duly automation list`"
        )
    return automation


def revision_of(tx: Tx, automation: Automation) -> Revision:
    """Return an automation's current revision."""
    revision = tx.revision(automation.automation_id, automation.revision)
    assert revision is not None
    return revision


def answered_up_to_now(tx: Tx, automation: Automation, zones: Zones, actor: str) -> Automation:
    """Return the automation with every slot that is due answered.

    An active one's slots are answered as the scanner would. The span of any other becomes one missed row, and its
    watermark is raised to now; the caller records that. Raises ZoneUnknownError, WorkBudgetExceededError.
    """
    if automation.state is not AutomationState.ACTIVE:
        return _closed(tx, automation, zones, actor)
    if automation.next_due is None or automation.next_due > tx.at:
        return automation
    timing = revision_of(tx, automation).timing
    read = timing_of(timing)
    zone_data.check(tx, zone_of(read, zones), read.anchor)
    due = DueAutomation(
        automation_id=automation.automation_id,
        workspace_id=automation.workspace_id,
        revision=automation.revision,
        mark=automation.mark,
        version=automation.version,
        has_open_runs=True,
        timing=timing,
    )
    answer_due(tx, due, zones)
    return automation_known(tx, automation.automation_id)


def answered_or_closed(tx: Tx, automation: Automation, zones: Zones, actor: str) -> Automation:
    """Return the automation with every slot that is due answered, for an edit that may repair an unreadable rule.

    Where the old rule cannot be read any more, the span becomes a row without a count.
    """
    failures: list[Exception] = []
    answered = automation
    with tx.part(failures):
        answered = answered_up_to_now(tx, automation, zones, actor)
    for failure in failures:
        if not is_unreadable(failure):
            raise failure
        reason = _SPAN_REASONS.get(automation.state, Reason.SUSPENDED)
        unread = _answered(automation, reason, actor)
        entry = add_empty_span(tx, automation.mark.due_at, unread)
        _audit(tx, automation, automation.mark, (entry, actor))
        return automation
    return answered


def is_unreadable(failure: Exception) -> bool:
    """Say whether a failure means that a rule cannot be read on this node."""
    return isinstance(failure, ZoneUnknownError | WorkBudgetExceededError | ValidationError)


def raised(tx: Tx, mark: Watermark | None, timing: Timing, zones: Zones) -> Watermark:
    """Return a watermark at now in a timing's class and zone, not below `mark`."""
    return watermark.raise_to(tx.at, _anchor_of(timing), zone_of(timing, zones), mark)


def first_mark(tx: Tx, timing: Timing, zones: Zones) -> Watermark:
    """Return the watermark of a new automation: at now, but before a `once` that has passed, so that it is answered."""
    schedule = schedule_of(timing, zones)
    if schedule is None or not is_once(timing):
        return raised(tx, None, timing, zones)
    only = schedule.next(Instant(-1))
    if not isinstance(only, Slot) or only.due_at > tx.at:
        return raised(tx, None, timing, zones)
    before = Instant(only.due_at - SECOND_US)
    return watermark.raise_to(before, _anchor_of(timing), zone_of(timing, zones))


def next_due(
    tx: Tx, automation_id: AutomationId, timing: Timing, point: tuple[Watermark, Zones]
) -> Instant | None:
    """Return when the first slot behind a watermark (given with the zones) is due; a `once` is due once."""
    mark, zones = point
    schedule = schedule_of(timing, zones)
    if schedule is not None and is_once(timing):
        only = watermark.next_uncovered(schedule, mark)
        if isinstance(only, Slot) and tx.occurrence(automation_id, f"slot:{only.key}"):
            return None
    return next_due_of(schedule, mark, tx.at)


def _anchor_of(timing: Timing) -> AnchorClass:
    return timing.anchor or AnchorClass.ELAPSED


def _closed(tx: Tx, automation: Automation, zones: Zones, actor: str) -> Automation:
    """Answer a span in which nothing could fire as one missed row."""
    timing = timing_of(revision_of(tx, automation).timing)
    reason = _SPAN_REASONS[automation.state]
    answered = _answered(automation, reason, actor)
    missed = _missed(tx, automation, timing, (schedule_of(timing, zones), reason))
    if missed is None:
        entry = add_empty_span(tx, automation.state_since, answered)
    else:
        entry = add_range(tx, missed, answered)
    mark = raised(tx, automation.mark, timing, zones)
    _audit(tx, automation, mark, (entry, actor))
    if missed is None or not is_once(timing):
        return replace(automation, mark=mark)
    # Nobody sees a repeating rule's paused slots as missed, but a `once` will never come again.
    tell_missed(tx, automation.automation_id, missed)
    return replace(automation_known(tx, automation.automation_id), mark=mark)


def _answered(automation: Automation, reason: Reason, actor: str) -> Answered:
    return Answered(
        automation_id=automation.automation_id,
        revision=automation.revision,
        disposition=Disposition.MISSED,
        reason=reason,
        actor=actor,
    )


def _missed(
    tx: Tx, automation: Automation, timing: Timing, point: tuple[Schedule | None, Reason]
) -> MissedRange | None:
    schedule, reason = point
    if schedule is None:
        return None
    found = watermark.backlog(schedule, automation.mark, tx.at, 1)
    if found.first is None:
        return None
    key = f"slot:{found.first.key}"
    if is_once(timing) and tx.occurrence(automation.automation_id, key) is not None:
        return None
    return admission.close(due_slots(found), reason)


def _audit(
    tx: Tx, automation: Automation, mark: Watermark, said: tuple[dict[str, Any], str]
) -> None:
    entry, actor = said
    marks = Raised(before=automation.mark, after=mark, next_due=None)
    audit_answers(tx, (automation.automation_id, automation.revision), marks, [entry], actor)
