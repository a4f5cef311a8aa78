"""Pausing, resuming, deleting and restoring automations. Nothing of what they did is ever lost."""

from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.errors import VersionConflictError
from duly.model.ids import AutomationId
from duly.model.instant import Instant
from duly.model.states import AutomationState
from duly.policy import lifecycle
from duly.policy.lifecycle import AutomationEvent
from duly.transactions.paths import claim_paths
from duly.transactions.plans import Zones, timing_of, work_of
from duly.transactions.spans import (
    answered_up_to_now,
    automation_known,
    is_unreadable,
    next_due,
    revision_of,
)

_WHILE_PAUSED: Final = "deleted_while_paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeState:
    """Who wants an automation in another state, and why. `paths`: what it publishes to, for `restore`."""

    automation_id: AutomationId
    actor: str
    reason: str | None
    zones: Zones
    paths: tuple[str, ...] = ()


def pause(tx: Tx, command: ChangeState) -> Automation:
    """Stop future slots, having answered those that are due; a paused automation stays as it is."""
    return _stop(tx, command, AutomationEvent.PAUSE)


def suspend(tx: Tx, command: ChangeState) -> Automation:
    """Stop future slots for a fault that only a person can repair; only an active automation changes."""
    automation = automation_known(tx, command.automation_id)
    if automation.state is not AutomationState.ACTIVE:
        return automation
    return _stop(tx, command, AutomationEvent.SUSPEND)


def delete(tx: Tx, command: ChangeState) -> Automation:
    """Hide an automation and stop its slots; its ledger rows and runs live on, its paths are free."""
    deleted = _stop(tx, command, AutomationEvent.DELETE)
    tx.release_paths(deleted.automation_id)
    return deleted


def resume(tx: Tx, command: ChangeState) -> Automation:
    """Let slots fire again, from now on; the span since the stop is one missed row."""
    return _start(tx, command, AutomationEvent.RESUME)


def restore(tx: Tx, command: ChangeState) -> Automation:
    """Bring a deleted automation back, paused if it was paused. Raises ConflictError when a path is taken."""
    before = automation_known(tx, command.automation_id)
    if before.state is not AutomationState.DELETED:
        return before
    root = work_of(revision_of(tx, before).work).root
    claim_paths(tx, before, root, command.paths)
    return _start(tx, command, AutomationEvent.RESTORE)


def _stop(tx: Tx, command: ChangeState, event: AutomationEvent) -> Automation:
    before = automation_known(tx, command.automation_id)
    if _is_there(before, event):
        return before
    state = lifecycle.advance_automation(before.state, event)
    answered = _answered_if_possible(tx, before, command)
    is_paused = before.state is AutomationState.PAUSED
    after = replace(
        answered,
        state=state,
        state_reason=_WHILE_PAUSED if is_paused else command.reason,
        state_since=tx.at,
        next_due=None,
        updated_at=tx.at,
    )
    return _record(tx, before, after, (event, command))


def _start(tx: Tx, command: ChangeState, event: AutomationEvent) -> Automation:
    before = automation_known(tx, command.automation_id)
    if _is_there(before, event):
        return before
    state = lifecycle.advance_automation(before.state, event)
    if before.state_reason == _WHILE_PAUSED:
        state = lifecycle.advance_automation(state, AutomationEvent.PAUSE)
    answered = answered_up_to_now(tx, before, command.zones, command.actor)
    after = replace(
        answered,
        state=state,
        state_reason=command.reason,
        state_since=tx.at,
        next_due=_next_due(tx, answered, command) if state is AutomationState.ACTIVE else None,
        told=None,
        fault_kind=None,
        fault_count=0,
        updated_at=tx.at,
    )
    return _record(tx, before, after, (event, command))


def _is_there(automation: Automation, event: AutomationEvent) -> bool:
    return automation.state in {to for (_, by), to in lifecycle.AUTOMATION.items() if by is event}


def _next_due(tx: Tx, automation: Automation, command: ChangeState) -> Instant | None:
    timing = timing_of(revision_of(tx, automation).timing)
    return next_due(tx, automation.automation_id, timing, (automation.mark, command.zones))


def _answered_if_possible(tx: Tx, automation: Automation, command: ChangeState) -> Automation:
    """Answer what is due, but stop the automation even where its rule can no longer be read: the span says so later."""
    failures: list[Exception] = []
    answered = automation
    with tx.part(failures):
        answered = answered_up_to_now(tx, automation, command.zones, command.actor)
    for failure in failures:
        if not is_unreadable(failure):
            raise failure
        return automation
    return answered


def _record(
    tx: Tx, before: Automation, after: Automation, why: tuple[AutomationEvent, ChangeState]
) -> Automation:
    event, command = why
    if not tx.record_automation(after):
        raise VersionConflictError(f"{before.job_key} changed in between", fix="try again")
    body = {"from": before.state.value, "to": after.state.value, "reason": command.reason}
    tx.audit(f"automation:{before.automation_id}", f"automation.{event.value}", body, command.actor)
    tx.wake("due")
    return replace(after, version=after.version + 1)
