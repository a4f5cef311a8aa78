"""Alarms: what the end of a run, a missed slot or a late report means for the automation, and who is told."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from duly.ledger.api.tx import Tx
from duly.model import canonical, ids
from duly.model.automation import Automation
from duly.model.errors import VersionConflictError
from duly.model.ids import AutomationId, RunId
from duly.model.reasons import Reason
from duly.model.records import Notice
from duly.model.run import Run
from duly.model.states import AutomationState, NoticeState, Outcome
from duly.policy import lifecycle, notify, suspend
from duly.policy.lifecycle import AutomationEvent
from duly.policy.notify import NoticeKind
from duly.policy.suspend import FaultKind


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """One thing a person may have to be told; `about` tells it from others of its kind."""

    kind: NoticeKind
    about: str
    run_id: RunId | None
    body: Mapping[str, Any]


def raise_for_run(tx: Tx, run: Run, cause: Reason | None = None) -> None:
    """Tell of a run that has just ended, and suspend its automation when the same fault keeps coming.

    `cause`: what it waited for, where the run's own reason only says that it waited too long.
    """
    assert run.outcome is not None
    before = _automation(tx, run.automation_id)
    kind = notify.kind_of(run.outcome)
    if kind is None:
        return
    fault = _fault_of(run, cause)
    after = _counted(before, fault)
    news = [_news_of(run, kind)]
    is_active = before.state is AutomationState.ACTIVE
    if fault is not None and is_active and suspend.decide(after.fault_count, fault):
        after = _suspended(tx, after, run, fault)
        news.append(_news_of_suspension(after, run))
    _tell(tx, before, after, news)


def raise_news(tx: Tx, automation_id: AutomationId, news: News) -> None:
    """Tell of something that is no run's end."""
    automation = _automation(tx, automation_id)
    _tell(tx, automation, automation, [news])


def told_after(tx: Tx, automation: Automation, news: News) -> Automation:
    """Return the automation with `news` noted, having added the notice; the caller records the automation."""
    telling = notify.decide(automation.told, news.kind)
    if telling.is_told:
        _add_notice(tx, automation, news)
    return replace(automation, told=telling.told)


def _tell(tx: Tx, before: Automation, after: Automation, news: list[News]) -> None:
    for item in news:
        after = told_after(tx, after, item)
    if after != before and not tx.record_automation(after):
        raise VersionConflictError(f"automation {before.job_key} changed in between")


def _add_notice(tx: Tx, automation: Automation, news: News) -> None:
    kind = news.kind.value
    body = {"job_key": automation.job_key, "kind": kind, "run": news.run_id, **news.body}
    notice = Notice(
        notice_id=ids.notice_id(automation.automation_id, kind, news.about),
        kind=kind,
        automation_id=automation.automation_id,
        run_id=news.run_id,
        body=canonical.to_json(body),
        state=NoticeState.PENDING,
        tries=0,
        next_try=tx.at,
        detail=None,
        created_at=tx.at,
        ended_at=None,
    )
    if tx.add_notice(notice):
        tx.wake("notice")


def _news_of(run: Run, kind: NoticeKind) -> News:
    assert run.outcome is not None
    body = {"outcome": run.outcome.value, "reason": run.reason}
    about = f"{run.run_id}:{run.fence}:{run.version}"
    return News(kind=kind, about=about, run_id=run.run_id, body=body)


def _suspended(tx: Tx, automation: Automation, run: Run, fault: FaultKind) -> Automation:
    reason = suspend.reason_of(fault).value
    body = {"reason": reason, "run": run.run_id, "count": automation.fault_count}
    tx.audit(f"automation:{automation.automation_id}", "automation.suspended", body, "policy")
    return replace(
        automation,
        state=lifecycle.advance_automation(automation.state, AutomationEvent.SUSPEND),
        state_reason=reason,
        state_since=tx.at,
        next_due=None,
        updated_at=tx.at,
    )


def _news_of_suspension(automation: Automation, run: Run) -> News:
    about = f"{run.run_id}:{run.fence}"
    body = {"reason": automation.state_reason}
    return News(kind=NoticeKind.SUSPENDED, about=about, run_id=None, body=body)


def _fault_of(run: Run, cause: Reason | None) -> FaultKind | None:
    """Return the set-up fault that a run ended with; an end that is none breaks the row."""
    if run.outcome in (Outcome.COMPLETED, Outcome.NO_CHANGE):
        return None
    reason = cause or (None if run.reason is None else Reason(run.reason))
    return None if reason is None else suspend.kind_of(reason)


def _counted(automation: Automation, fault: FaultKind | None) -> Automation:
    kind_before = None if automation.fault_kind is None else FaultKind(automation.fault_kind)
    return replace(
        automation,
        fault_kind=None if fault is None else fault.value,
        fault_count=suspend.count(kind_before, automation.fault_count, fault),
    )


def _automation(tx: Tx, automation_id: AutomationId) -> Automation:
    automation = tx.automation(automation_id)
    assert automation is not None
    return automation
