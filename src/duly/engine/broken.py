"""What becomes of a run whose runner ended by a bug of ours: tried again a few times, then a person has to look."""

from typing import Final

from duly.engine.node import Node
from duly.engine.requests import Steps, Write, now, surely
from duly.ledger.api.core import MUST_LAND
from duly.model.errors import LeaseLostError
from duly.model.instant import SECOND_US, Instant
from duly.model.reasons import Reason
from duly.model.run import ClaimedRun
from duly.model.states import ErrorClass, Outcome
from duly.transactions.settle import BROKEN, Park, Settle, park, settle

ATTEMPTS_MAX: Final = 3
DELAY_US: Final = 10 * SECOND_US


def give_back(node: Node, claimed: ClaimedRun, error: Exception) -> Steps[None]:
    """Give up the claim. The next attempt finds the ledger as after a crash, and proves first that nothing lives."""
    try:
        if claimed.attempts < ATTEMPTS_MAX:
            yield from surely(Write(park, (yield from _again(claimed))))
        else:
            yield from surely(Write(settle, _for_person(node, claimed, error), MUST_LAND))
    except LeaseLostError:
        return  # whoever has the run now decides


def _again(claimed: ClaimedRun) -> Steps[Park]:
    woke = yield from now()
    return Park(
        claim=claimed.claim,
        wait_reason=Reason.RETRY_DELAY,
        claimable_at=Instant(woke.at + DELAY_US * claimed.attempts),
        error_class=ErrorClass.TRANSIENT,
        ending=BROKEN,
    )


def _for_person(node: Node, claimed: ClaimedRun, error: Exception) -> Settle:
    return Settle(
        claim=claimed.claim,
        outcome=Outcome.NEEDS_REVIEW,
        grade=None,
        reason=Reason.RETRIES_EXHAUSTED,
        error_class=ErrorClass.UNKNOWN_OUTCOME,
        detail={"bug": repr(error)},
        may_live=True,
        actor=node.actor,
    )
