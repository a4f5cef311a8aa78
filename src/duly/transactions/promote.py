"""Letting waiting runs go: each as soon as what it waits for is over and its automation has room."""

from dataclasses import dataclass, field, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.model.reasons import Reason
from duly.model.run import Run, RunPin
from duly.model.states import RunEvent, RunState
from duly.policy import overlap, rerun
from duly.transactions.moves import Why, advanced, move, scope_of
from duly.transactions.plans import NO_ZONES, Zones, timing_of
from duly.transactions.standing import counts, standing

_ACTOR: Final = "scanner"
_FIRST: Final[tuple[Instant, RunId]] = (Instant(0), RunId(""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Promote:
    """Look at waiting runs behind `after`, `limit` a page, as long as the transaction has time.

    `zones` tell backfills from current work.
    """

    limit: int
    zones: Zones = field(default_factory=lambda: NO_ZONES)
    after: tuple[Instant, RunId] = _FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    """How many runs may go. `is_more`: go on with `after`."""

    count: int
    is_more: bool
    after: tuple[Instant, RunId]


def promote(tx: Tx, command: Promote) -> Promoted:
    """Move waiting runs to `queued`, oldest first; a run whose predecessor is gone waits for nobody."""
    count, after = 0, command.after
    while page := tx.created_runs(after, command.limit):
        for run in page:
            if not tx.has_time():
                return _promoted(tx, count, after, is_more=True)
            count += _look_at(tx, run, command.zones)
            after = (run.created_at, run.run_id)
        if len(page) < command.limit:
            break
    return _promoted(tx, count, after, is_more=False)


def _promoted(tx: Tx, count: int, after: tuple[Instant, RunId], *, is_more: bool) -> Promoted:
    if count:
        tx.wake("ready")
    return Promoted(count=count, is_more=is_more, after=after)


def _look_at(tx: Tx, run: Run, zones: Zones) -> bool:
    pin = tx.run_pin(run.run_id)
    assert pin is not None
    reason = _waits_for(tx, run, pin, zones)
    if reason is None:
        after = advanced(
            tx, run, RunEvent.PROMOTE, claimable_at=tx.at, wait_reason=None, wait_since=None
        )
        move(tx, run, after, RunEvent.PROMOTE, Why(actor=_ACTOR))
        return True
    if reason.value != run.wait_reason and tx.record_run(replace(run, wait_reason=reason.value)):
        body = {"from": run.wait_reason, "to": reason.value}
        tx.audit(scope_of(run.run_id), "run.waits", body, _ACTOR)
    return False


def _waits_for(tx: Tx, run: Run, pin: RunPin, zones: Zones) -> Reason | None:
    """Return why a run may not go yet."""
    before = None if run.behind_run_id is None else tx.run(RunId(run.behind_run_id))
    if before is not None and run.behind_run_id == pin.amends_run_id:
        reason = rerun.amend_waits(before.state)
        if reason is not None:
            return reason
    is_before_live = before is not None and (
        before.state is RunState.CREATED or counts(tx, before, zones)
    )
    revision = tx.revision(pin.automation_id, pin.revision)
    assert revision is not None
    live = len(standing(tx, run.automation_id, zones).live)
    rule = timing_of(revision.timing).overlap
    if overlap.may_promote(rule, live, is_predecessor_live=is_before_live):
        return None
    return Reason.CHAINED if is_before_live else Reason.WAITS_FOR_EARLIER
