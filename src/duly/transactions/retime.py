"""Moving wall slots to where a newer release of zone data puts them.

What a wall slot means is its local time; its instant is derived, and may move. What was answered stays answered: the
watermark is by local time.
"""

from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.automation import WallAutomation
from duly.model.errors import ValidationError, VersionConflictError
from duly.model.ids import AutomationId
from duly.model.instant import Instant
from duly.model.reasons import Reason
from duly.recurrence.work import WorkBudgetExceededError
from duly.transactions.change_state import ChangeState, resume
from duly.transactions.due import next_due_by
from duly.transactions.plans import Zones, ZoneUnknownError, is_once, timing_of, zone_of
from duly.transactions.spans import automation_known, next_due
from duly.transactions.suspension import Failed, suspend_failed
from duly.transactions.zone_data import RETIMED

_PAGE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Retime:
    """Look at wall automations behind `after`, in order of their ids, as many as one transaction has time for."""

    version: str
    zones: Zones
    actor: str
    after: AutomationId


@dataclass(frozen=True, slots=True, kw_only=True)
class Retimed:
    """Where the next look goes on, and how many automations had to be changed by this one."""

    after: AutomationId
    is_more: bool
    changed: int


def retime(tx: Tx, command: Retime) -> Retimed:
    """Derive the next due instant of wall automations anew; what did not move is not written.

    A suspended one whose zone was unknown goes on where the zone is known now. May be done again after a crash.
    """
    page = tx.wall_automations(command.after, Reason.ZONE_UNKNOWN.value, _PAGE)
    after, looked, changed = command.after, 0, 0
    for found in page:
        if looked and not tx.has_time():
            break
        changed += _look_at(tx, found, command)
        looked += 1
        after = found.automation_id
    is_more = looked < len(page) or len(page) == _PAGE
    if not is_more:
        tx.record_setting(RETIMED, command.version)
    return Retimed(after=after, is_more=is_more, changed=changed)


def _look_at(tx: Tx, found: WallAutomation, command: Retime) -> int:
    """Look at one automation; return 1 if it had to be changed, else 0."""
    if not found.is_active:
        return _go_on_if_known(tx, found, command)
    try:
        moved_to = _next_due(tx, found, command.zones)
    except (ZoneUnknownError, WorkBudgetExceededError, ValidationError) as failure:
        actor = command.actor
        suspend_failed(tx, Failed(automation_id=found.automation_id, failure=failure, actor=actor))
        return 1
    if moved_to == found.next_due:
        return 0
    _move(tx, found, moved_to, command)
    return 1


def _next_due(tx: Tx, found: WallAutomation, zones: Zones) -> Instant | None:
    timing = timing_of(found.timing)
    if is_once(timing):
        return next_due(tx, found.automation_id, timing, (found.mark, zones))
    return next_due_by(found.timing, zone_of(timing, zones), found.mark, tx.at)


def _move(tx: Tx, found: WallAutomation, moved_to: Instant | None, command: Retime) -> None:
    before = automation_known(tx, found.automation_id)
    if not tx.record_automation(replace(before, next_due=moved_to)):
        raise VersionConflictError(f"automation {before.job_key} changed in between")
    body = {"from": before.next_due, "to": moved_to, "tzdata": command.version}
    tx.audit(f"automation:{found.automation_id}", "automation.retimed", body, command.actor)
    tx.wake("due")


def _go_on_if_known(tx: Tx, found: WallAutomation, command: Retime) -> int:
    if timing_of(found.timing).zone not in command.zones:
        return 0
    wish = ChangeState(
        automation_id=found.automation_id, actor=command.actor, reason=None, zones=command.zones
    )
    resume(tx, wish)
    return 1
