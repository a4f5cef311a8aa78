"""Taking runs back: from holders that fell silent, and from waits that lasted too long."""

from dataclasses import dataclass, replace

from duly.ledger.api.tx import Tx
from duly.model.claims import Claim
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.model.reasons import Reason
from duly.model.run import Run
from duly.model.states import ErrorClass, Outcome, RunEvent
from duly.policy import lifecycle
from duly.policy.ending import NOT_STARTED, Ending
from duly.transactions import alarm
from duly.transactions.moves import Why, ended, move, requeued


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Held runs whose lease is over, and when the next one will be."""

    runs: tuple[Run, ...]
    next_expiry_at: Instant | None


def expired(tx: Tx, limit: int) -> Expired:
    """Read the runs to rescue."""
    return Expired(runs=tuple(tx.expired_runs(limit)), next_expiry_at=tx.next_expiry_at())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescue:
    """A run as the rescuer saw it."""

    run_id: RunId
    version: int
    actor: str


def rescue(tx: Tx, command: Rescue) -> bool:
    """Take the run from a holder whose lease is over and make it claimable. False: it moved on by itself."""
    run = tx.run(command.run_id)
    if run is None or run.version != command.version or run.lease_until is None:
        return False
    if run.lease_until > tx.at:
        return False
    _take_back(tx, run, Why(actor=command.actor, reason=Reason.LEASE_EXPIRED.value))
    return True


def rescue_orphans(tx: Tx, owner: str) -> int:
    """Take every run from other owners, for the one process that holds the data directory's lock: they are dead.

    Says nothing of their children; `may_live` stays.
    """
    orphans = tx.held_runs(owner)
    for run in orphans:
        _take_back(tx, run, Why(actor=f"owner:{owner}", reason=Reason.OWNER_DEAD.value))
    return len(orphans)


def _take_back(tx: Tx, run: Run, why: Why) -> None:
    """End the attempt, raise the fence, give the run back to the workers."""
    assert run.claim_id is not None and why.reason is not None
    claim = Claim(run_id=run.run_id, fence=run.fence, claim_id=run.claim_id)
    tx.end_attempt(claim, why.reason)
    after = requeued(tx, run, fence=run.fence + 1)
    detail = {"owner": run.lease_owner, "may_live": run.may_live}
    move(tx, run, after, RunEvent.REQUEUE, replace(why, detail=detail))
    tx.wake(f"lost:{run.run_id}")
    tx.wake("ready")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overdue:
    """Runs that waited past their start deadline, and when the next one will have."""

    runs: tuple[Run, ...]
    next_start_by: Instant | None


def overdue(tx: Tx, limit: int) -> Overdue:
    """Read the runs to give up."""
    return Overdue(runs=tuple(tx.overdue_runs(limit)), next_start_by=tx.next_start_by())


@dataclass(frozen=True, slots=True, kw_only=True)
class FailOverdue:
    """A run as it was seen, past its start deadline."""

    run_id: RunId
    version: int
    actor: str


def fail_overdue(tx: Tx, command: FailOverdue) -> bool:
    """Give a run up that could not start in time. False: it moved on by itself.

    Where nothing was ever started, nothing was changed; where something was, a person has to look.
    """
    run = tx.run(command.run_id)
    if run is None or run.version != command.version or run.claim_id is not None:
        return False
    if run.start_by is None or run.start_by > tx.at:
        return False
    was_started = run.may_live or bool(tx.executions(run.run_id))
    cause = Reason(run.wait_reason) if run.wait_reason else None
    reason = Reason.START_DEADLINE if cause in NOT_STARTED else Reason.QUEUE_DEADLINE
    ending = Ending(
        outcome=Outcome.NEEDS_REVIEW if was_started else Outcome.FAILED_BEFORE_WRITE,
        grade=None,
        reason=reason,
        error_class=ErrorClass.PERMANENT,
    )
    after = ended(tx, run, ending, may_live=run.may_live)
    why = Why(actor=command.actor, reason=reason.value, detail={"waited_for": run.wait_reason})
    settled = move(tx, run, after, lifecycle.event_of(ending.outcome), why)
    alarm.raise_for_run(tx, settled, cause)
    tx.wake("settled")
    return True
