"""Suspending an automation that cannot be admitted: it alone stops, with the reason, and a person is told."""

from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.errors import DulyError, UnavailableError, VersionConflictError
from duly.model.ids import AutomationId
from duly.model.reasons import Reason
from duly.model.states import AutomationState
from duly.policy import lifecycle
from duly.policy.lifecycle import AutomationEvent
from duly.policy.notify import NoticeKind
from duly.recurrence.work import WorkBudgetExceededError
from duly.transactions import alarm
from duly.transactions.alarm import News
from duly.transactions.plans import ZoneUnknownError

_TEXT_CHARS_MAX: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """An automation whose due slots could not be answered, and why."""

    automation_id: AutomationId
    failure: Exception
    actor: str


def suspend_failed(tx: Tx, failed: Failed) -> None:
    """Suspend one automation; its unanswered slots are a missed range once it is resumed."""
    before = tx.automation(failed.automation_id)
    if before is None or before.state is not AutomationState.ACTIVE:
        return
    reason = _reason_of(failed.failure).value
    after = replace(
        before,
        state=lifecycle.advance_automation(before.state, AutomationEvent.SUSPEND),
        state_reason=reason,
        state_since=tx.at,
        next_due=None,
        updated_at=tx.at,
    )
    text = f"{type(failed.failure).__name__}: {failed.failure}"[:_TEXT_CHARS_MAX]
    body = {"reason": reason, "error": text}
    news = News(
        kind=NoticeKind.SUSPENDED,
        about=f"{reason}:{before.version}",
        run_id=None,
        body=body,
    )
    told = alarm.told_after(tx, after, news)
    if not tx.record_automation(told):
        raise VersionConflictError(f"automation {before.job_key} changed in between")
    tx.audit(f"automation:{before.automation_id}", "automation.suspended", body, failed.actor)


def is_own_fault(failure: Exception) -> bool:
    """Say whether a failure belongs to the automation; the store's own would fail for every other one too."""
    return not isinstance(failure, UnavailableError) and isinstance(failure, _OWN)


_OWN: Final = (
    DulyError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)


def _reason_of(failure: Exception) -> Reason:
    match failure:
        case ZoneUnknownError():
            return Reason.ZONE_UNKNOWN
        case WorkBudgetExceededError():
            return Reason.RULE_TOO_COSTLY
        case _:
            return Reason.ADMISSION_FAILED
