"""Whoever holds no claim compares the version of what it read: a stale one writes nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from duly.ledger.verbs import Verbs
from duly.model.claims import Claim
from duly.model.states import AutomationState, EffectState, Outcome, RunState
from tests.ledger.verbs import samples
from tests.ledger.verbs.samples import A, E, R, after, mark
from tests.ledger.verbs.stores import Store

BY_VERSION: dict[str, Callable[[Verbs, int], bool]] = {
    "record_automation": lambda tx, version: tx.record_automation(
        replace(tx.automation(A), version=version, told="missed")
    ),
    "record_mark": lambda tx, version: tx.record_mark(
        replace(samples.due(tx.automation(A)), version=version), mark(5), after(90)
    ),
    "record_run": lambda tx, version: tx.record_run(
        replace(tx.run(R), version=version, cancel_actor="me")
    ),
    "resolve_effect": lambda tx, version: tx.resolve_effect(
        replace(tx.run(R), version=version), replace(tx.effect(E), state=EffectState.FAILED)
    ),
    "resolve_publication": lambda tx, version: tx.resolve_publication(
        replace(tx.run(R), version=version),
        samples.publication(Claim(run_id=R, fence=1, claim_id="c_1")),
    ),
}
OF_ANOTHER_ROW = {"resolve_effect", "resolve_publication"}
VERSION_OF: dict[str, Callable[[Verbs], int]] = {
    "record_automation": lambda tx: tx.automation(A).version,
    "record_mark": lambda tx: tx.automation(A).version,
    "record_run": lambda tx: tx.run(R).version,
    "resolve_effect": lambda tx: tx.run(R).version,
    "resolve_publication": lambda tx: tx.run(R).version,
}


@pytest.fixture
def blocked(store: Store) -> Store:
    """An automation, and a blocked run of it with an effect of unknown fate."""

    def prepare(tx: Verbs) -> None:
        tx.add_automation(samples.automation())
        tx.add_revision(samples.revision())
        tx.add_run(samples.run_pin(), samples.run())

    store.write(prepare)
    (claimed,) = store.claim()

    def block(tx: Verbs) -> bool:
        tx.add_effect(claimed.claim, samples.effect(claimed.claim, state=EffectState.UNKNOWN))
        free = {"claim_id": None, "lease_owner": None, "lease_until": None}
        state = {"state": RunState.BLOCKED, "outcome": Outcome.NEEDS_REVIEW}
        return tx.record_held_run(claimed.claim, replace(tx.run(R), **free, **state))

    assert store.write(block)
    return store


@pytest.mark.parametrize("verb", sorted(BY_VERSION))
def test_the_version_that_was_read_writes(blocked: Store, verb: str):
    before = blocked.dump()
    assert blocked.write(lambda tx: BY_VERSION[verb](tx, VERSION_OF[verb](tx))) is True
    assert blocked.dump() != before


@pytest.mark.parametrize("verb", sorted(set(BY_VERSION) - OF_ANOTHER_ROW))
def test_a_write_raises_the_version_by_one(blocked: Store, verb: str):
    before = blocked.read(VERSION_OF[verb])
    blocked.write(lambda tx: BY_VERSION[verb](tx, before))
    assert blocked.read(VERSION_OF[verb]) == before + 1


@pytest.mark.parametrize("verb", sorted(BY_VERSION))
@pytest.mark.parametrize("distance", [-1, 1])
def test_another_version_writes_nothing(blocked: Store, verb: str, distance: int):
    before = blocked.dump()
    stale = blocked.read(VERSION_OF[verb]) + distance
    assert blocked.write(lambda tx: BY_VERSION[verb](tx, stale)) is False
    assert blocked.dump() == before


def test_the_fence_of_a_run_never_falls(blocked: Store):
    def lower(tx: Verbs) -> bool:
        return tx.record_run(replace(tx.run(R), fence=0))

    assert blocked.write(lower) is False
    assert blocked.read(lambda tx: tx.run(R)).fence == 1


@pytest.mark.parametrize("verb", ["record_mark", "record_automation"])
def test_the_watermark_never_falls(blocked: Store, verb: str):
    def lower(tx: Verbs) -> Any:
        found = tx.automation(A)
        if verb == "record_mark":
            return tx.record_mark(samples.due(found), mark(-1), None)
        return tx.record_automation(replace(found, mark=mark(-1)))

    before = blocked.dump()
    assert blocked.write(lower) is False
    assert blocked.dump() == before


def test_a_watermark_may_change_its_class_and_zone_at_the_same_instant(blocked: Store):
    moved = mark(0, zone="Asia/Tokyo", slot_key="other")
    assert blocked.write(lambda tx: tx.record_mark(samples.due(tx.automation(A)), moved, None))
    found = blocked.read(lambda tx: tx.automation(A))
    assert (found.mark, found.next_due, found.version) == (moved, None, 2)


@pytest.mark.parametrize("old", [{"seconds": -9}, {"slot_key": "x"}, {"zone": "Asia/Tokyo"}])
def test_a_watermark_that_somebody_moved_is_not_raised(blocked: Store, old: dict[str, Any]):
    due = replace(samples.due(samples.automation()), mark=mark(**old))
    assert blocked.write(lambda tx: tx.record_mark(due, mark(5), None)) is False


def test_an_effect_is_not_resolved_over_a_holder(blocked: Store):
    def hold(tx: Verbs) -> None:
        tx.record_run(
            replace(tx.run(R), state=RunState.QUEUED, outcome=None, claimable_at=blocked.at)
        )

    blocked.write(hold)
    blocked.claim("c_2")
    assert not blocked.write(
        lambda tx: tx.resolve_effect(tx.run(R), replace(tx.effect(E), state=EffectState.FAILED))
    )


def test_an_effect_is_not_resolved_by_the_run_of_another_automation(blocked: Store):
    def resolve(tx: Verbs) -> bool:
        tx.add_run(
            samples.run_pin(run_id="r_2", automation_id="a_2"),
            samples.run(run_id="r_2", automation_id="a_2"),
        )
        return tx.resolve_effect(tx.run("r_2"), replace(tx.effect(E), state=EffectState.FAILED))

    assert blocked.write(resolve) is False


def test_a_settled_effect_is_not_resolved_again(blocked: Store):
    def resolve(tx: Verbs) -> bool:
        happened = replace(tx.effect(E), state=EffectState.SUCCEEDED, external_id="x")
        return tx.resolve_effect(tx.run(R), happened)

    blocked.at = after(30)
    assert blocked.write(resolve) is True
    found = blocked.read(lambda tx: tx.effect(E))
    assert (found.state, found.external_id, found.since) == (
        EffectState.SUCCEEDED,
        "x",
        after(30),
    )
    assert blocked.write(resolve) is False


def test_a_paused_automation_is_never_due(blocked: Store):
    def pause(tx: Verbs) -> bool:
        return tx.record_automation(
            replace(tx.automation(A), state=AutomationState.PAUSED, next_due=None)
        )

    blocked.at = after(3600)
    assert [d.automation_id for d in blocked.read(lambda tx: tx.due_automations(9))] == [A]
    assert blocked.write(pause)
    assert blocked.read(lambda tx: tx.due_automations(9)) == []
