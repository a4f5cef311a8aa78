"""How an attempt leaves its run: settled with an ending, or parked for a while."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from duly.adapters.work.requests import RemoveStage
from duly.engine.requests import Steps, Write, now, outside, surely
from duly.engine.runner.attempt import Attempt
from duly.model.errors import LeaseLostError
from duly.model.instant import Instant
from duly.model.reasons import Reason
from duly.model.run import Artifact
from duly.model.states import Outcome
from duly.policy import retry
from duly.policy.ending import Ending
from duly.transactions.late import report_late
from duly.transactions.settle import Park, Settle, late_report_of, park, settle

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_NOTHING_TO_LOOK_AT: Final = frozenset(
    {Outcome.COMPLETED, Outcome.NO_CHANGE, Outcome.FAILED_BEFORE_WRITE}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkFor:
    """Give up the claim and look again later; `start_us_max`: how long such waits may last in all."""

    reason: Reason
    delay_us: int
    start_us_max: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleAs:
    """End the run with this ending."""

    ending: Ending
    may_live: bool = False
    artifacts: tuple[Artifact, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


Leave = ParkFor | SettleAs


def leave(attempt: Attempt, how: Leave) -> Steps[None]:
    """Record how the attempt leaves. A transient failure that may be tried again parks instead of settling."""
    match how:
        case ParkFor(reason=reason, delay_us=delay_us, start_us_max=start_us_max):
            yield from _park(attempt, reason, delay_us, start_us_max)
        case SettleAs(ending=ending):
            yield from _settle_or_retry(attempt, how, ending)


def _settle_or_retry(attempt: Attempt, how: SettleAs, ending: Ending) -> Steps[None]:
    if ending.outcome is Outcome.FAILED_BEFORE_WRITE and ending.error_class is not None:
        failure = retry.Failure(
            error_class=ending.error_class, attempts=attempt.number, wrote=retry.wrote_of(ending)
        )
        answer = retry.decide(failure, attempt.facts.work.retry, attempt.claim.run_id)
        if isinstance(answer, retry.RetryAt):
            yield from _park(attempt, Reason.RETRY_DELAY, answer.delay_us, None)
            return
    command = _settlement(attempt, how)
    try:
        yield from surely(Write(settle, command))
    except LeaseLostError:
        yield from surely(Write(report_late, late_report_of(command)))
        raise
    if ending.outcome in _NOTHING_TO_LOOK_AT:
        # A run that failed may be asked for again, and then reads what its first attempt froze.
        may_go_on = ending.outcome is Outcome.FAILED_BEFORE_WRITE
        yield from outside(RemoveStage(run_id=attempt.claim.run_id, keeps_base=may_go_on))


def _settlement(attempt: Attempt, how: SettleAs) -> Settle:
    return Settle(
        claim=attempt.claim,
        outcome=how.ending.outcome,
        grade=how.ending.grade,
        reason=how.ending.reason,
        error_class=how.ending.error_class,
        detail=how.detail,
        artifacts=how.artifacts,
        may_live=how.may_live,
        actor=attempt.actor,
    )


def _park(attempt: Attempt, reason: Reason, delay_us: int, start_us_max: int | None) -> Steps[None]:
    woke = yield from now()
    start_by = None if start_us_max is None else Instant(woke.at + start_us_max)
    command = Park(
        claim=attempt.claim,
        wait_reason=reason,
        claimable_at=Instant(woke.at + delay_us),
        start_by=start_by,
    )
    yield from surely(Write(park, command))
