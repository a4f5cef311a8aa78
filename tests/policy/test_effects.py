"""Effects: what is recorded is not done twice, and only evidence settles what is unknown."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.instant import Instant
from duly.model.reasons import Reason
from duly.model.states import EffectEvent, EffectState
from duly.policy import effects, lifecycle
from duly.policy.effects import (
    Existing,
    Known,
    LookAgain,
    NoIdempotency,
    OnChange,
    ProviderKey,
    ReadBack,
    ReadBackFacts,
    Reconcile,
    Review,
)

AT = Instant(1_000)
HASHES = st.none() | st.sampled_from("abc")


def existing(state, *, same=False, on_change=OnChange.RECORDED, approved=False):
    return effects.decide_existing(state, same_payload=same, on_change=on_change, approved=approved)


@pytest.mark.parametrize(
    ("same", "on_change", "approved"), list(product([False, True], OnChange, [False, True]))
)
def test_an_effect_of_unknown_fate_is_never_sent_before_it_is_settled(same, on_change, approved):
    for state in (EffectState.PENDING, EffectState.UNKNOWN):
        verdict = existing(state, same=same, on_change=on_change, approved=approved)
        assert verdict is Existing.RECONCILE
    failed = existing(EffectState.FAILED, same=same, on_change=on_change, approved=approved)
    assert failed is Existing.SEND


@pytest.mark.parametrize("on_change", OnChange)
@pytest.mark.parametrize("approved", [False, True])
def test_an_applied_effect_with_the_same_payload_answers_with_its_record(on_change, approved):
    verdict = existing(EffectState.SUCCEEDED, same=True, on_change=on_change, approved=approved)
    assert verdict is Existing.RECORDED


@pytest.mark.parametrize(
    ("on_change", "verdict"),
    [
        (OnChange.RECORDED, Existing.RECORDED),
        (OnChange.UPDATE, Existing.UPDATE),
        (OnChange.REVIEW, Existing.REVIEW),
    ],
)
def test_a_changed_payload_follows_the_definition_unless_newly_approved(on_change, verdict):
    assert existing(EffectState.SUCCEEDED, on_change=on_change) is verdict
    assert existing(EffectState.SUCCEEDED, on_change=on_change, approved=True) is Existing.REVIEW


@pytest.mark.parametrize(
    ("idempotency", "verdict"),
    [
        (ProviderKey(until=Instant(1_001)), Reconcile.SEND_AGAIN_WITH_SAME_KEY),
        (ProviderKey(until=AT), Reconcile.STOP_FOR_PERSON),
        (ReadBack(settle_us=0), Reconcile.READ_BACK),
        (NoIdempotency(), Reconcile.STOP_FOR_PERSON),
    ],
)
def test_an_open_effect_is_settled_only_by_a_live_key_or_by_looking(idempotency, verdict):
    assert effects.decide_open(idempotency, AT) is verdict


@pytest.mark.parametrize(
    ("found", "before", "after", "settled_at", "verdict"),
    [
        ("new", "old", "new", AT, Known(event=EffectEvent.APPLY)),
        ("new", None, "new", Instant(2_000), Known(event=EffectEvent.APPLY)),
        ("same", "same", "same", AT, Known(event=EffectEvent.APPLY)),
        ("old", "old", "new", AT, Known(event=EffectEvent.REFUSE)),
        (None, None, "new", AT, Known(event=EffectEvent.REFUSE)),
        ("old", "old", "new", Instant(2_000), LookAgain(at=Instant(2_000))),
        ("third", "old", "new", AT, Review(reason=Reason.EFFECT_ALTERED)),
        (None, "old", "new", AT, Review(reason=Reason.EFFECT_ALTERED)),
        ("old", None, "new", AT, Review(reason=Reason.EFFECT_ALTERED)),
    ],
)
def test_reading_back_proves_what_it_can(found, before, after, settled_at, verdict):
    facts = ReadBackFacts(found=found, before=before, after=after, settled_at=settled_at)
    assert effects.decide_readback(facts, AT) == verdict


@given(HASHES, HASHES, st.sampled_from("abc"), st.integers(0, 2_000))
def test_what_reading_back_proves_may_be_recorded(found, before, after, settled_at):
    facts = ReadBackFacts(found=found, before=before, after=after, settled_at=Instant(settled_at))
    verdict = effects.decide_readback(facts, AT)
    if isinstance(verdict, Known):
        for state in (EffectState.PENDING, EffectState.UNKNOWN):
            lifecycle.advance_effect(state, verdict.event)
    if verdict == Known(event=EffectEvent.REFUSE):
        assert settled_at <= AT
