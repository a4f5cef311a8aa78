"""Retry: an attempt failed. Is there another, when, and where does the run rest if not?"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, assert_never

from duly.model import canonical
from duly.model.plan import Retry
from duly.model.reasons import Reason
from duly.model.states import ErrorClass, Outcome
from duly.policy.ending import Ending

# 2^30 times any delay is beyond every limit; a larger shift would only make large numbers.
_DOUBLINGS_MAX: Final = 30
_HASH_DIGITS: Final = 12


class Wrote(Enum):
    """What is known about writes of a failed run."""

    NOTHING = "nothing"  # proven
    VOUCHED = "vouched"  # the definition's word: `restart: safe`, and nothing was seen
    MAYBE = "maybe"
    SOMETHING = "something"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed attempt; `attempts` counts it. `retry_after_us`: what the other side asked for, from now."""

    error_class: ErrorClass
    attempts: int
    wrote: Wrote
    retry_after_us: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryAt:
    """Another attempt, `delay_us` from now."""

    delay_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """The run rests in `failed`; nothing was written."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The run waits for a person."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconcile:
    """What happened has to be found out first."""


def decide(failure: Failure, retry: Retry, seed: str) -> RetryAt | Fail | Block | Reconcile:
    """Say what follows a failed attempt; the same `seed` (the run's id) gives the same delays on every node."""
    is_clean = failure.wrote in (Wrote.NOTHING, Wrote.VOUCHED)
    match failure.error_class:
        case ErrorClass.UNKNOWN_OUTCOME:
            return Reconcile()
        case ErrorClass.POLICY:
            return Block(reason=Reason.POLICY)
        case ErrorClass.TRANSIENT | ErrorClass.PERMANENT if not is_clean:
            return Block(reason=Reason.MAY_HAVE_WRITTEN)
        case ErrorClass.PERMANENT:
            return Fail(reason=Reason.PERMANENT)
        case ErrorClass.TRANSIENT if failure.attempts < retry.attempts_max:
            return RetryAt(delay_us=_delay(failure, retry, seed))
        case ErrorClass.TRANSIENT:
            return Fail(reason=Reason.RETRIES_EXHAUSTED)
        case _:
            assert_never(failure.error_class)


def wrote_of(ending: Ending) -> Wrote:
    """Return what an ending says about writes."""
    match ending.outcome:
        case Outcome.FAILED_BEFORE_WRITE:
            return Wrote.VOUCHED if ending.is_vouched else Wrote.NOTHING
        case Outcome.NO_CHANGE:
            return Wrote.NOTHING
        case Outcome.NEEDS_REVIEW | Outcome.CANCELLED:
            return Wrote.MAYBE
        case Outcome.COMPLETED | Outcome.FAILED_AFTER_WRITE:
            return Wrote.SOMETHING
        case _:
            assert_never(ending.outcome)


def _delay(failure: Failure, retry: Retry, seed: str) -> int:
    """Half of the backoff is fixed, half jitter from a hash: nodes spread out, and a replay waits as long as before."""
    doublings = min(failure.attempts - 1, _DOUBLINGS_MAX)
    backoff = min(retry.delay_us << doublings, retry.delay_us_max)
    digits = canonical.hash_text(f"{seed}:{failure.attempts}")[:_HASH_DIGITS]
    jitter = (backoff - backoff // 2) * int(digits, 16) // 16**_HASH_DIGITS
    return max(backoff // 2 + jitter, failure.retry_after_us or 0)
