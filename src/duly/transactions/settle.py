"""The end of an attempt: settled with an outcome, or parked for another attempt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from duly.ledger.api.tx import Tx
from duly.model.claims import Claim
from duly.model.errors import LeaseLostError
from duly.model.instant import Instant
from duly.model.reasons import Reason
from duly.model.run import Artifact, Run
from duly.model.states import EffectState, ErrorClass, Grade, Outcome, RunEvent
from duly.policy import lifecycle
from duly.policy.ending import Ending
from duly.transactions import alarm, late
from duly.transactions.execute import is_vouched
from duly.transactions.late import WRITES, LateReportOf
from duly.transactions.moves import (
    NOTHING,
    Why,
    ended,
    held,
    holder_of,
    is_holding,
    move_held,
    requeued,
)

SETTLED: Final = "settled"
PARKED: Final = "parked"
"""How an attempt that was not interrupted ends."""
BROKEN: Final = "broken"
"""How one ends that a bug of ours interrupted."""
_OPEN: Final = (EffectState.PENDING, EffectState.UNKNOWN)
_CLEAN: Final = frozenset({Outcome.COMPLETED, Outcome.NO_CHANGE, Outcome.FAILED_BEFORE_WRITE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """How an attempt ended its run, with its verified artifacts.

    `may_live`: a child may still live; so it is too while an execution of the run is not proven over.
    """

    claim: Claim
    outcome: Outcome
    grade: Grade | None
    reason: Reason
    error_class: ErrorClass | None
    detail: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    artifacts: tuple[Artifact, ...] = ()
    may_live: bool = False
    actor: str | None = None


def settle(tx: Tx, command: Settle) -> Run:
    """Close the attempt and settle the run.

    An open effect, or a late report of writes, makes a person look whatever the attempt says. Raises LeaseLostError,
    having written nothing; then `report_late(late_report_of(command))` keeps what the attempt knew. May be repeated.
    """
    run = _held_or_ended(tx, command.claim, SETTLED)
    if not is_holding(run, command.claim):
        return run
    for artifact in command.artifacts:
        tx.add_artifact(command.claim, artifact)
    ending = _ending(tx, run, command)
    after = ended(tx, run, ending, may_live=command.may_live or run.may_live)
    why = Why(
        actor=command.actor or holder_of(run),
        reason=ending.reason.value,
        detail={
            "outcome": ending.outcome.value,
            "grade": None if ending.grade is None else ending.grade.value,
            "artifacts": {item.path: item.sha256 for item in command.artifacts},
            **command.detail,
        },
    )
    tx.end_attempt(command.claim, SETTLED)
    event = lifecycle.event_of(ending.outcome)
    settled = move_held(tx, command.claim, (run, after), event, why)
    alarm.raise_for_run(tx, settled)
    tx.wake("settled")
    return settled


def late_report_of(command: Settle) -> LateReportOf:
    """Return what is kept of a settlement whose claim was lost."""
    body = {
        "outcome": command.outcome.value,
        "reason": command.reason.value,
        "artifacts": {item.path: item.sha256 for item in command.artifacts},
        WRITES: late.writes(command.outcome),
        "detail": dict(command.detail),
    }
    return LateReportOf(claim=command.claim, verb="settle", body=body)


def _ending(tx: Tx, run: Run, command: Settle) -> Ending:
    """Return the attempt's ending, or what the ledger makes of it."""
    doubt = _doubt(tx, run) if command.outcome in _CLEAN | {Outcome.CANCELLED} else None
    return Ending(
        outcome=command.outcome if doubt is None else Outcome.NEEDS_REVIEW,
        grade=command.grade if doubt is None else None,
        reason=doubt or command.reason,
        error_class=command.error_class,
    )


def _doubt(tx: Tx, run: Run) -> Reason | None:
    """Return why the ledger cannot let a run end clean."""
    if any(effect.state in _OPEN for effect in tx.effects_of_run(run.run_id)):
        return Reason.EFFECT_UNKNOWN
    if not is_vouched(run) and any(map(late.asks_for_review, tx.late_reports(run.run_id))):
        return Reason.LATE_REPORT
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Park:
    """Why a run gives up its worker and waits, and from when another attempt may follow.

    `ending`: how this attempt ends; the next one goes on behind a broken one as behind a crash.
    """

    claim: Claim
    wait_reason: Reason
    claimable_at: Instant
    error_class: ErrorClass | None = None
    start_by: Instant | None = None
    ending: str = PARKED


def park(tx: Tx, command: Park) -> Run:
    """Close the attempt; another follows. A start deadline that runs already is kept. May be repeated.

    Raises LeaseLostError, having written nothing.
    """
    run = _held_or_ended(tx, command.claim, command.ending)
    if not is_holding(run, command.claim):
        return run
    deadlines = [at for at in (run.start_by, command.start_by) if at is not None]
    after = requeued(
        tx,
        run,
        claimable_at=command.claimable_at,
        wait_reason=command.wait_reason.value,
        wait_since=tx.at,
        start_by=min(deadlines, default=None),
        error_class=command.error_class,
    )
    detail = {"claimable_at": command.claimable_at, "attempt": run.attempts}
    why = Why(actor=holder_of(run), reason=command.wait_reason.value, detail=detail)
    tx.end_attempt(command.claim, command.ending)
    parked = move_held(tx, command.claim, (run, after), RunEvent.REQUEUE, why)
    tx.wake("ready")
    tx.wake("settled")
    return parked


def _held_or_ended(tx: Tx, claim: Claim, ending: str) -> Run:
    """Return the run that a claim holds, or, when an earlier try of the same write has ended it, as it stands now."""
    try:
        return held(tx, claim)
    except LeaseLostError:
        run = tx.run(claim.run_id)
        for attempt in tx.attempts(claim.run_id):
            is_mine = (attempt.fence, attempt.claim_id) == (claim.fence, claim.claim_id)
            if is_mine and attempt.ending == ending and run is not None:
                return run
        raise
