"""Claiming runs that are ready, and keeping the claims of one node alive."""

from dataclasses import dataclass

from duly.ledger.api.runs import ClaimBatch
from duly.ledger.api.tx import Tx
from duly.model.claims import Claim
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.model.run import ClaimedRun
from duly.model.states import RunEvent, RunState
from duly.transactions.moves import scope_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What a worker got, and the instant from which another run can be claimed."""

    runs: tuple[ClaimedRun, ...]
    next_claimable_at: Instant | None


def claim_runs(tx: Tx, batch: ClaimBatch) -> Claimed:
    """Claim ready runs, each as a new attempt under a new fence."""
    runs = tx.claim_runs(batch)
    for run in runs:
        body = {
            "from": RunState.QUEUED.value,
            "to": RunState.COLLECTING.value,
            "reason": None,
            "fence": run.claim.fence,
            "attempt": run.attempts,
        }
        kind = f"run.{RunEvent.CLAIM.value}"
        tx.audit(scope_of(run.claim.run_id), kind, body, f"worker:{batch.owner}")
    return Claimed(runs=tuple(runs), next_claimable_at=tx.next_claimable_at())


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """The claims of one node whose runners live, and until when it wants to keep them."""

    owner: str
    claims: tuple[Claim, ...]
    until: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """The runs of a renewal that another claim has taken, and those that a person wants cancelled."""

    lost: frozenset[RunId]
    cancelled: frozenset[RunId]


def renew_leases(tx: Tx, renewal: Renewal) -> Renewed:
    """Renew what is still held, in one transaction; wakes `lost:` and `cancel:` keys of the rest."""
    lost, cancelled = set(), set()
    for claim in renewal.claims:
        if not tx.renew_lease(claim, renewal.until):
            lost.add(claim.run_id)
            tx.wake(f"lost:{claim.run_id}")
            continue
        run = tx.run(claim.run_id)
        if run is not None and run.cancel_actor is not None:
            cancelled.add(claim.run_id)
            tx.wake(f"cancel:{claim.run_id}")
    return Renewed(lost=frozenset(lost), cancelled=frozenset(cancelled))
