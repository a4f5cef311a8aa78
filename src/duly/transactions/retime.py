"""Moving wall slots to where a newer release of zone data puts them.

What a wall slot means is its local time; its instant is derived, and may move. What was answered stays answered: the
watermark is by local time.
"""

from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.errors import VersionConflictError
from duly.model.ids import AutomationId
from duly.model.reasons import Reason
from duly.model.states import AutomationState
from duly.transactions.change_state import ChangeState, resume
from duly.transactions.plans import Zones, timing_of
from duly.transactions.spans import next_due, revision_of
from duly.transactions.suspension import Failed, is_own_fault, suspend_failed
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
    """Derive the next due instant of wall automations anew, each by itself; what did not move is not written.

    A suspended one whose zone was unknown goes on where the zone is known now. May be done again after a crash.
    """
    page = tx.wall_automations(command.after, Reason.ZONE_UNKNOWN.value, _PAGE)
    after, looked, changed = command.after, 0, 0
    for automation in page:
        if looked and not tx.has_time():
            break
        changed += _retime_apart(tx, automation, command)
        looked += 1
        after = automation.automation_id
    is_more = looked < len(page) or len(page) == _PAGE
    if not is_more:
        tx.record_setting(RETIMED, command.version)
    return Retimed(after=after, is_more=is_more, changed=changed)


def _retime_apart(tx: Tx, automation: Automation, command: Retime) -> int:
    failures: list[Exception] = []
    changed = 0
    with tx.part(failures):
        if automation.state is AutomationState.SUSPENDED:
            changed = _resume_known(tx, automation, command)
        else:
            changed = _retime_one(tx, automation, command)
    for failure in failures:
        # Whoever changed it in between knew the release that is in force.
        if isinstance(failure, VersionConflictError):
            continue
        if not is_own_fault(failure):
            raise failure
        failed = Failed(
            automation_id=automation.automation_id, failure=failure, actor=command.actor
        )
        suspend_failed(tx, failed)
        changed = 1
    return changed


def _retime_one(tx: Tx, automation: Automation, command: Retime) -> int:
    timing = timing_of(revision_of(tx, automation).timing)
    point = (automation.mark, command.zones)
    moved_to = next_due(tx, automation.automation_id, timing, point)
    if moved_to == automation.next_due:
        return 0
    if not tx.record_automation(replace(automation, next_due=moved_to)):
        raise VersionConflictError(f"automation {automation.job_key} changed in between")
    body = {"from": automation.next_due, "to": moved_to, "tzdata": command.version}
    scope = f"automation:{automation.automation_id}"
    tx.audit(scope, "automation.retimed", body, command.actor)
    tx.wake("due")
    return 1


def _resume_known(tx: Tx, automation: Automation, command: Retime) -> int:
    timing = timing_of(revision_of(tx, automation).timing)
    if timing.zone not in command.zones:
        return 0
    resume(
        tx,
        ChangeState(
            automation_id=automation.automation_id,
            actor=command.actor,
            reason=None,
            zones=command.zones,
        ),
    )
    return 1
