"""Verbs about claiming runs and about claims that ran out."""

from collections.abc import Iterator
from typing import Any, Final

from duly.ledger.api.runs import ClaimBatch
from duly.ledger.verbs.base import OnSession
from duly.ledger.verbs.runs import RUN
from duly.ledger.verbs.shapes import Shape
from duly.model.claims import Claim
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.model.run import Attempt, ClaimedRun, Run
from duly.model.states import RunState

ATTEMPT: Final = Shape(Attempt)

# Above every priority: where the steps down through the priorities begin.
_TOP: Final = 2**63 - 1


class Claims(OnSession):
    """Claims as workers take them and rescuers find them."""

    __slots__ = ()

    def claim_runs(self, batch: ClaimBatch) -> list[ClaimedRun]:
        """Claim ready runs, highest priority first, then those that wait longest; adds their attempts."""
        return [
            *self._claim(batch, batch.on_time, is_caught_up=False),
            *self._claim(batch, batch.caught_up, is_caught_up=True),
        ]

    def next_claimable_at(self) -> Instant | None:
        """Return from when the first run may be claimed, on time or caught up."""
        found: list[Instant] = [
            self._fact("next_claimable_at", is_caught_up=int(is_caught_up), priority=priority)
            for is_caught_up in (False, True)
            for priority in self._priorities(is_caught_up=is_caught_up)
        ]
        return min(found, default=None)

    def expired_runs(self, limit: int) -> list[Run]:
        """Return held runs whose lease is over at this transaction's instant, longest over first."""
        return RUN.records(self._session.rows("expired_runs", limit=limit))

    def held_runs(self, except_owner: str) -> list[Run]:
        """Return runs held by any other owner, whatever their lease."""
        return RUN.records(self._session.rows("held_runs", except_owner=except_owner))

    def next_expiry_at(self) -> Instant | None:
        """Return the earliest end of a lease."""
        found: Instant | None = self._fact("next_expiry_at")
        return found

    def attempts(self, run_id: RunId) -> list[Attempt]:
        """Return the attempts of a run, oldest first."""
        return ATTEMPT.records(self._session.rows("attempts", run_id=run_id))

    def _claim(self, batch: ClaimBatch, wanted: int, *, is_caught_up: bool) -> list[ClaimedRun]:
        claimed: list[ClaimedRun] = []
        if wanted <= 0:
            return claimed
        for priority in self._priorities(is_caught_up=is_caught_up):
            ready = self._session.rows(
                "claim_runs",
                is_caught_up=int(is_caught_up),
                priority=priority,
                limit=wanted - len(claimed),
                collecting=RunState.COLLECTING.value,
                owner=batch.owner,
                until=batch.until,
                claim_id=batch.claim_id,
            )
            # A store returns updated rows in any order; the oldest run starts first.
            ready.sort(key=_age)
            claimed += [self._claimed(batch, row) for row in ready]
            if len(claimed) >= wanted:
                break
        return claimed

    def _claimed(self, batch: ClaimBatch, row: tuple[Any, ...]) -> ClaimedRun:
        run_id, fence, automation_id, attempts, _ = row
        claim = Claim(run_id=run_id, fence=fence, claim_id=batch.claim_id)
        self._session.rows(
            "add_attempt", run_id=run_id, fence=fence, claim_id=batch.claim_id, owner=batch.owner
        )
        return ClaimedRun(
            claim=claim, automation_id=automation_id, attempts=attempts, lease_until=batch.until
        )

    def _priorities(self, *, is_caught_up: bool) -> Iterator[int]:
        """Step down through the priorities that waiting runs have: one seek each, however many runs wait."""
        below = _TOP
        while True:
            found = self._fact("next_priority", is_caught_up=int(is_caught_up), below=below)
            if found is None:
                return
            yield found
            below = found


def _age(row: tuple[Any, ...]) -> tuple[int, str]:
    run_id, _, _, _, created_at = row
    return created_at, run_id
