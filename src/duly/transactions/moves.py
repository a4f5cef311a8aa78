"""Moves of a run: by the lifecycle table, guarded by claim or version, with one audit event each."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from duly.ledger.api.tx import Tx
from duly.model.claims import Claim
from duly.model.errors import LeaseLostError, NotFoundError, VersionConflictError
from duly.model.ids import RunId
from duly.model.run import Run
from duly.model.states import RunEvent
from duly.policy import lifecycle
from duly.policy.ending import Ending

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Who moves a run, for which reason (a code), with which plain facts for the audit."""

    actor: str
    reason: str | None = None
    detail: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


def scope_of(run_id: str) -> str:
    """Return the audit scope of a run."""
    return f"run:{run_id}"


def known(tx: Tx, run_id: RunId) -> Run:
    """Return a run. Raises NotFoundError."""
    run = tx.run(run_id)
    if run is None:
        raise NotFoundError(f"there is no run {run_id}", fix="list runs with `duly runs list`")
    return run


def held(tx: Tx, claim: Claim) -> Run:
    """Return the run that a claim holds. Raises LeaseLostError."""
    run = tx.run(claim.run_id)
    if run is None or not is_holding(run, claim):
        raise LeaseLostError(f"another claim on {claim.run_id} was made")
    return run


def is_holding(run: Run, claim: Claim) -> bool:
    """Say whether a run, as read, carries the claim."""
    return (run.fence, run.claim_id) == (claim.fence, claim.claim_id)


def holder_of(run: Run) -> str:
    """Return the actor that a holder's changes are audited under."""
    return f"worker:{run.lease_owner}"


def advanced(tx: Tx, run: Run, event: RunEvent, **changes: Any) -> Run:
    """Return the run after an event, with further changes. Raises IllegalMoveError."""
    state = lifecycle.advance_run(run.state, event)
    return replace(run, state=state, state_since=tx.at, **changes)


def released(run: Run) -> Run:
    """Return the run as nobody holds it."""
    return replace(run, lease_owner=None, lease_until=None, claim_id=None)


def move_held(tx: Tx, claim: Claim, move: tuple[Run, Run], event: RunEvent, why: Why) -> Run:
    """Record a holder's move (before, after). Raises LeaseLostError, having written nothing."""
    before, after = move
    if not tx.record_held_run(claim, after):
        raise LeaseLostError(f"another claim on {claim.run_id} was made")
    audit_move(tx, before, after, event, why)
    return replace(after, version=before.version + 1)


def move(tx: Tx, before: Run, after: Run, event: RunEvent, why: Why) -> Run:
    """Record a move of a run that the caller does not hold. Raises VersionConflictError, having written nothing."""
    if not tx.record_run(after):
        raise VersionConflictError(f"run {before.run_id} changed in between", fix="try again")
    audit_move(tx, before, after, event, why)
    return replace(after, version=before.version + 1)


def requeued(tx: Tx, run: Run, **changes: Any) -> Run:
    """Return a held run as its attempt is over and another may follow: free, and claimable from now on."""
    retrying = advanced(tx, run, RunEvent.RETRY)
    free = {"claimable_at": tx.at, "reason": None, **changes}
    return released(advanced(tx, retrying, RunEvent.REQUEUE, **free))


def ended(tx: Tx, run: Run, ending: Ending, *, may_live: bool) -> Run:
    """Return the run settled with an outcome, and free. Raises IllegalMoveError."""
    after = advanced(
        tx,
        run,
        lifecycle.event_of(ending.outcome),
        claimable_at=None,
        start_by=None,
        wait_reason=None,
        wait_since=None,
        outcome=ending.outcome,
        grade=ending.grade,
        reason=ending.reason.value,
        error_class=ending.error_class,
        settled_at=tx.at,
        may_live=may_live,
    )
    return released(after)


def audit_move(tx: Tx, before: Run, after: Run, event: RunEvent, why: Why) -> None:
    """Write the audit event of a move."""
    body = {
        "from": before.state.value,
        "to": after.state.value,
        "reason": why.reason,
        "fence": after.fence,
        **why.detail,
    }
    tx.audit(scope_of(before.run_id), f"run.{event.value}", body, why.actor)
