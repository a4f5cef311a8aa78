"""Late reports: what a holder knew after it had lost its claim. Kept as evidence, never taken for the result."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from duly.ledger.api.tx import Tx
from duly.model.claims import Claim
from duly.model.run import LateReport
from duly.model.states import Outcome
from duly.policy.notify import NoticeKind
from duly.transactions import alarm
from duly.transactions.alarm import News
from duly.transactions.moves import known, scope_of

WRITES: Final = "writes"
"""Key of a late body: true when the stale holder may have changed something outside."""

_WRITELESS: Final = frozenset({Outcome.NO_CHANGE, Outcome.FAILED_BEFORE_WRITE, Outcome.CANCELLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class LateReportOf:
    """What a holder wanted to record with `verb`, as plain data; with `writes`: true, it asks for review."""

    claim: Claim
    verb: str
    body: Mapping[str, Any]


def report_late(tx: Tx, command: LateReportOf) -> None:
    """Keep the report. Changes nothing of the run; settlement and people read it."""
    run = known(tx, command.claim.run_id)
    tx.add_late_report(command.claim, command.verb, command.body)
    body = {"verb": command.verb, "fence": command.claim.fence, "body": dict(command.body)}
    tx.audit(scope_of(run.run_id), "run.late_report", body, "worker:stale")
    if command.body.get(WRITES):
        about = f"{run.run_id}:late:{command.claim.fence}:{command.claim.claim_id}"
        news = News(
            kind=NoticeKind.NEEDS_REVIEW,
            about=about,
            run_id=run.run_id,
            body={"outcome": Outcome.NEEDS_REVIEW.value, "reason": "late_report"},
        )
        alarm.raise_news(tx, run.automation_id, news)


def writes(outcome: Outcome) -> bool:
    """Say whether an attempt that would have ended so may have changed something outside."""
    return outcome not in _WRITELESS


def asks_for_review(report: LateReport) -> bool:
    """Say whether a report tells of changes that the run's own record does not hold."""
    return bool(json.loads(report.body).get(WRITES))
