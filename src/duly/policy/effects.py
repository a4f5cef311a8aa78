"""Effects: what to do with an intended change that is on the ledger already, and how an unknown fate is settled."""

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from duly.model.instant import Instant
from duly.model.reasons import Reason
from duly.model.states import EffectEvent, EffectState


class OnChange(Enum):
    """What a definition wants when an applied effect is asked for with another payload."""

    RECORDED = "recorded"
    UPDATE = "update"
    REVIEW = "review"


class Existing(Enum):
    """What happens to an effect that is on the ledger already."""

    SEND = "send"  # provably not applied
    RECORDED = "recorded"  # the recorded result is the answer
    UPDATE = "update"  # send the new payload under the next update number
    SUPERSEDED = "superseded"  # not sent: what a later window put there stays
    REVIEW = "review"
    RECONCILE = "reconcile"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderKey:
    """The other side drops a second request with the same key until `until`."""

    until: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """The change can be looked up; "absent" proves nothing until `settle_us` after the latest possible send."""

    settle_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoIdempotency:
    """Neither a key nor a way to look."""


Idempotency = ProviderKey | ReadBack | NoIdempotency


class Reconcile(Enum):
    """How an effect of unknown fate may be settled."""

    SEND_AGAIN_WITH_SAME_KEY = "send_again_with_same_key"
    READ_BACK = "read_back"
    STOP_FOR_PERSON = "stop_for_person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The evidence settles it."""

    event: EffectEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAgain:
    """Nothing is proven before `at`."""

    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What was found fits neither; a person decides."""

    reason: Reason


def decide_existing(
    state: EffectState, *, same_payload: bool, on_change: OnChange, approved: bool
) -> Existing:
    """Say what a request for an existing effect means; `approved`: its payload is newly approved by a person."""
    match state:
        case EffectState.PENDING | EffectState.UNKNOWN:
            return Existing.RECONCILE
        case EffectState.FAILED:
            return Existing.SEND
        case EffectState.SUCCEEDED if same_payload:
            return Existing.RECORDED
        case EffectState.SUCCEEDED if approved:
            # An approval of other bytes must never be answered with the old result, nor spent unseen.
            return Existing.REVIEW
        case EffectState.SUCCEEDED:
            return _changed(on_change)
        case _:
            assert_never(state)


def decide_open(idempotency: Idempotency, at: Instant) -> Reconcile:
    """Say how an effect of unknown fate may be settled at `at`."""
    match idempotency:
        case ProviderKey(until=until) if at < until:
            return Reconcile.SEND_AGAIN_WITH_SAME_KEY
        case ReadBack():
            return Reconcile.READ_BACK
        case ProviderKey() | NoIdempotency():
            return Reconcile.STOP_FOR_PERSON
        case _:
            assert_never(idempotency)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBackFacts:
    """What a file publication left: SHA-256 found now, before it, and intended; None: no file.

    `settled_at`: from when on "not applied" is proven. That is the latest possible send plus the action's settle time;
    for a file, whose writer is proven dead, any instant that has passed.
    """

    found: str | None
    before: str | None
    after: str
    settled_at: Instant


def decide_readback(facts: ReadBackFacts, at: Instant) -> Known | LookAgain | Review:
    """Say what reading back proves."""
    if facts.found == facts.after:
        return Known(event=EffectEvent.APPLY)
    if facts.found != facts.before:
        return Review(reason=Reason.EFFECT_ALTERED)
    if at < facts.settled_at:
        return LookAgain(at=facts.settled_at)
    return Known(event=EffectEvent.REFUSE)


def _changed(on_change: OnChange) -> Existing:
    match on_change:
        case OnChange.RECORDED:
            return Existing.RECORDED
        case OnChange.UPDATE:
            return Existing.UPDATE
        case OnChange.REVIEW:
            return Existing.REVIEW
        case _:
            assert_never(on_change)
