"""The right to act for a run, and what guards every write made under it."""

from dataclasses import dataclass

from duly.model.ids import ClaimId, RunId
from duly.model.instant import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One attempt's right to record: the ledger refuses the pair (fence, claim id) once another claim was made."""

    run_id: RunId
    fence: int
    claim_id: ClaimId


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A claim, held by one worker until a moment; expiry is liveness, the fence is safety."""

    claim: Claim
    owner: str
    until: Instant
