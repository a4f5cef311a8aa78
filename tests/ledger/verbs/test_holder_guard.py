"""No claim holder's verb writes a row unless the run carries its claim: asked of every verb there is."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from duly.ledger.api.holder import HolderVerbs
from duly.ledger.verbs import Verbs
from duly.model.claims import Claim
from duly.model.ids import RunId
from duly.model.states import EffectState, ExecutionState, RunState
from tests.ledger.verbs import samples
from tests.ledger.verbs.samples import R, after
from tests.ledger.verbs.stores import STORES, Store

VERBS = sorted(
    name
    for name, verb in inspect.getmembers(HolderVerbs, inspect.isfunction)
    if "claim" in inspect.signature(verb).parameters
)
UNGUARDED = {"add_late_report"}
GUARDED = [name for name in VERBS if name not in UNGUARDED]


# What each verb is called with. `tx.run(R)` is what any holder would have read.
ARGUMENTS: dict[str, Callable[[Verbs, Claim], tuple[Any, ...]]] = {
    "is_held": lambda _tx, _claim: (),
    "renew_lease": lambda _tx, _claim: (after(999),),
    "record_held_run": lambda tx, _claim: (replace(tx.run(R), reason="mine", may_live=True),),
    "end_attempt": lambda _tx, _claim: ("done",),
    "add_snapshot": lambda _tx, claim: (samples.snapshot(claim),),
    "add_execution": lambda _tx, claim: (samples.execution(claim, part="verify"),),
    "record_execution": lambda _tx, claim: (
        samples.execution(claim, fence=1, state=ExecutionState.ATTACHED, pid=7),
    ),
    "add_effect": lambda _tx, claim: (samples.effect(claim, effect_id="e_2"),),
    "record_effect": lambda _tx, claim: (
        samples.effect(claim, state=EffectState.SUCCEEDED, external_id="x"),
    ),
    "add_effect_call": lambda _tx, claim: (samples.effect_call(claim),),
    "add_artifact": lambda _tx, claim: (samples.artifact(claim),),
    "add_publication": lambda _tx, claim: (samples.publication(claim),),
}


def _prepare(store: Store) -> Claim:
    """Leave a run under claim c_1 with an execution and a pending effect; return the claim."""
    store.write(lambda tx: tx.add_run(samples.run_pin(), samples.run()))
    (claimed,) = store.claim("c_1")
    store.write(lambda tx: tx.add_execution(claimed.claim, samples.execution(claimed.claim)))
    store.write(lambda tx: tx.add_effect(claimed.claim, samples.effect(claimed.claim)))
    return claimed.claim


def _take_away(store: Store, *, fence: int) -> None:
    """Take the claim from its holder as a rescuer does; the run waits again."""

    def rescue(tx: Verbs) -> bool:
        free = {"claim_id": None, "lease_owner": None, "lease_until": None}
        waiting = {"state": RunState.QUEUED, "claimable_at": store.at}
        return tx.record_run(replace(tx.run(R), fence=fence, **free, **waiting))

    assert store.write(rescue)


def _older_fence(store: Store) -> Claim:
    first = _prepare(store)
    _take_away(store, fence=2)
    store.claim("c_2")
    return first


def _older_fence_same_claim_id(store: Store) -> Claim:
    first = _prepare(store)
    _take_away(store, fence=2)
    store.claim(first.claim_id)
    return first


def _same_fence_other_claim_id(store: Store) -> Claim:
    # An asynchronous fail-over hands out one fence twice.
    return replace(_prepare(store), claim_id="c_twin")


def _newer_fence(store: Store) -> Claim:
    return replace(_prepare(store), fence=9)


def _after_the_release(store: Store) -> Claim:
    claim = _prepare(store)

    def release(tx: Verbs) -> bool:
        free = {"claim_id": None, "lease_owner": None, "lease_until": None}
        return tx.record_held_run(claim, replace(tx.run(R), state=RunState.BLOCKED, **free))

    assert store.write(release)
    return claim


def _taken_away_and_unclaimed(store: Store) -> Claim:
    claim = _prepare(store)
    _take_away(store, fence=2)
    return claim


STALE = {
    "older fence": _older_fence,
    "older fence, same claim id": _older_fence_same_claim_id,
    "same fence, other claim id": _same_fence_other_claim_id,
    "newer fence": _newer_fence,
    "released": _after_the_release,
    "taken away": _taken_away_and_unclaimed,
}


@pytest.fixture(scope="module", params=STORES)
def one_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    with STORES[request.param](tmp_path_factory.mktemp("one")) as opened:
        yield opened


@pytest.fixture(scope="module")
def held(one_store: Store) -> Claim:
    """A live claim, for calls that shall write nothing."""
    return _prepare(one_store)


@pytest.fixture(scope="module", params=[(name, stale) for name in STORES for stale in STALE])
def stale(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A ledger and a claim that does not hold its run any more; one for all verbs, since nothing may be written."""
    name, kind = request.param
    with STORES[name](tmp_path_factory.mktemp("stale")) as opened:
        yield opened, STALE[kind](opened)


def _call(tx: Verbs, verb: str, claim: Claim) -> Any:
    return getattr(tx, verb)(claim, *ARGUMENTS[verb](tx, claim))


def test_every_verb_with_a_claim_has_sample_arguments():
    assert set(ARGUMENTS) == set(GUARDED)


def test_every_verb_with_a_claim_takes_it_first():
    for verb in VERBS:
        assert list(inspect.signature(getattr(HolderVerbs, verb)).parameters)[:2] == [
            "self",
            "claim",
        ]


@pytest.mark.parametrize("verb", GUARDED)
def test_a_live_claim_writes(store: Store, verb: str):
    claim = _prepare(store)
    before = store.dump()
    assert store.write(lambda tx: _call(tx, verb, claim)) is True
    assert (store.dump() != before) is (verb != "is_held")


@pytest.mark.parametrize("verb", GUARDED)
def test_a_stale_claim_writes_nothing(stale: tuple[Store, Claim], verb: str):
    store, claim = stale
    before = store.dump()
    assert store.write(lambda tx: _call(tx, verb, claim)) is False
    assert store.dump() == before


@pytest.mark.parametrize("verb", GUARDED)
def test_a_claim_of_an_unknown_run_writes_nothing(one_store: Store, held: Claim, verb: str):
    store, claim = one_store, held
    elsewhere = replace(claim, run_id=RunId("r_unknown"))
    before = store.dump()

    def call(tx: Verbs) -> Any:
        (*given,) = ARGUMENTS[verb](tx, claim)
        moved = [replace(g, run_id="r_unknown") if hasattr(g, "run_id") else g for g in given]
        return getattr(tx, verb)(elsewhere, *moved)

    assert store.write(call) is False
    assert store.dump() == before


@pytest.mark.parametrize(
    "verb", [verb for verb in GUARDED if verb not in {"is_held", "renew_lease", "end_attempt"}]
)
def test_a_record_of_another_run_is_a_bug(one_store: Store, held: Claim, verb: str):
    store, claim = one_store, held
    before = store.dump()

    def call(tx: Verbs) -> None:
        (record,) = ARGUMENTS[verb](tx, claim)
        getattr(tx, verb)(claim, replace(record, run_id=RunId("r_other")))

    with pytest.raises(AssertionError, match="its own run"):
        store.write(call)
    assert store.dump() == before


@pytest.mark.parametrize(
    "verb", ["add_snapshot", "add_execution", "add_effect", "add_effect_call", "add_artifact"]
)
def test_an_added_record_of_another_attempt_is_a_bug(one_store: Store, held: Claim, verb: str):
    store, claim = one_store, held

    def call(tx: Verbs) -> None:
        (record,) = ARGUMENTS[verb](tx, claim)
        getattr(tx, verb)(claim, replace(record, fence=5))

    with pytest.raises(AssertionError, match="the attempt's fence"):
        store.write(call)


@pytest.mark.parametrize("kind", STALE)
def test_a_late_report_is_kept_beside_the_run_and_changes_nothing_else(store: Store, kind: str):
    claim = STALE[kind](store)
    before = store.dump()
    for number in (1, 2):
        store.write(lambda tx: tx.add_late_report(claim, "complete", {"exit": number}))  # noqa: B023
    after_it = store.dump()
    reports = store.read(lambda tx: tx.late_reports(R))
    assert [(r.fence, r.claim_id, r.number, r.body) for r in reports] == [
        (claim.fence, claim.claim_id, 1, '{"exit":1}'),
        (claim.fence, claim.claim_id, 2, '{"exit":2}'),
    ]
    assert after_it | {"late_report": []} == before


def test_a_fence_of_the_record_does_not_move_the_run_of_a_holder(store: Store):
    claim = _prepare(store)
    moved = store.write(lambda tx: tx.record_held_run(claim, replace(tx.run(R), fence=4)))
    assert moved is False
    assert store.read(lambda tx: tx.run(R)).fence == 1
