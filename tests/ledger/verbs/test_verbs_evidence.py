"""Verbs about what hangs on runs: snapshots, executions, effects, artifacts, publications."""

from dataclasses import replace
from typing import Any

import pytest

from duly.model.claims import Claim
from duly.model.states import EffectState, ExecutionState, RunState
from tests.ledger.verbs import samples
from tests.ledger.verbs.samples import A, E, R, after
from tests.ledger.verbs.stores import Store


@pytest.fixture
def claim(store: Store) -> Claim:
    """The live claim of a run."""
    store.write(lambda tx: tx.add_run(samples.run_pin(), samples.run()))
    (claimed,) = store.claim()
    return claimed.claim


def _claim_again(store: Store) -> Claim:
    def rescue(tx: Any) -> None:
        run = tx.run(R)
        free = {"claim_id": None, "lease_owner": None, "lease_until": None, "fence": run.fence + 1}
        again = {"state": RunState.QUEUED, "claimable_at": store.at}
        assert tx.record_run(replace(run, **free, **again))

    store.write(rescue)
    (claimed,) = store.claim("c_2")
    return claimed.claim


def _other_run(store: Store, **given: Any) -> Claim:
    pin = samples.run_pin(run_id="r_2", **given)
    run = samples.run(run_id="r_2", automation_id=pin.automation_id)
    store.write(lambda tx: tx.add_run(pin, run))
    (claimed,) = store.claim("c_other")
    return claimed.claim


def test_the_first_snapshot_of_a_run_is_the_one_that_stays(store: Store, claim: Claim):
    assert store.read(lambda tx: tx.snapshot(R)) is None
    first = samples.snapshot(claim)
    assert store.write(lambda tx: tx.add_snapshot(claim, first))
    later = _claim_again(store)
    assert not store.write(
        lambda tx: tx.add_snapshot(later, samples.snapshot(later, base_commit="x"))
    )
    assert store.read(lambda tx: tx.snapshot(R)) == first


def test_executions_are_read_oldest_first(store: Store, claim: Claim):
    def add(tx: Any, by: Claim, part: str, at: int) -> None:
        assert tx.add_execution(by, samples.execution(by, part=part, started_at=at))

    store.write(lambda tx: add(tx, claim, "verify", after(3)))
    store.write(lambda tx: add(tx, claim, "precheck", after(1)))
    store.write(lambda tx: add(tx, claim, "agent", after(2)))
    later = _claim_again(store)
    store.write(lambda tx: add(tx, later, "agent", after(9)))
    found = store.read(lambda tx: tx.executions(R))
    assert [(e.fence, e.part) for e in found] == [
        (1, "precheck"),
        (1, "agent"),
        (1, "verify"),
        (later.fence, "agent"),
    ]


def test_recording_an_execution_keeps_what_was_intended(store: Store, claim: Claim):
    store.write(lambda tx: tx.add_execution(claim, samples.execution(claim)))
    facts = {
        "state": ExecutionState.SETTLED,
        "boot_id": "b",
        "launcher_pid": 1,
        "launcher_ticks": 2,
        "pid": 3,
        "start_ticks": 4,
        "ending": "exited",
        "exit_code": 0,
        "log_sha256": "l",
        "log_bytes": 9,
        "is_empty": True,
        "ended_at": after(8),
    }
    forged = samples.execution(claim, token="other", argv="[]", started_at=after(5), **facts)
    assert store.write(lambda tx: tx.record_execution(claim, forged))
    (found,) = store.read(lambda tx: tx.executions(R))
    assert found == samples.execution(claim, **facts)


def test_a_new_holder_records_the_death_of_an_older_execution(store: Store, claim: Claim):
    store.write(lambda tx: tx.add_execution(claim, samples.execution(claim)))
    later = _claim_again(store)
    dead = samples.execution(claim, state=ExecutionState.NOT_STARTED_PROVEN, is_empty=True)
    assert store.write(lambda tx: tx.record_execution(later, dead))
    assert store.read(lambda tx: tx.executions(R)) == [dead]


def test_an_execution_that_was_never_noted_is_not_recorded(store: Store, claim: Claim):
    assert not store.write(lambda tx: tx.record_execution(claim, samples.execution(claim)))
    assert store.read(lambda tx: tx.executions(R)) == []


def test_an_effect_is_found_by_id_run_and_window(store: Store, claim: Claim):
    first = samples.effect(claim, created_at=after(2))
    second = samples.effect(claim, effect_id="e_2", window_key="v", created_at=after(1))
    for effect in (first, second):
        store.write(lambda tx, effect=effect: tx.add_effect(claim, effect))
    assert store.read(lambda tx: tx.effect(E)) == first
    assert store.read(lambda tx: tx.effect("e_none")) is None
    assert store.read(lambda tx: tx.effects_of_run(R)) == [second, first]
    assert store.read(lambda tx: tx.effects_of_run("r_2")) == []
    assert store.read(lambda tx: tx.effects_of_window(A, "w")) == [first]


def test_recording_an_effect_keeps_what_is_fixed(store: Store, claim: Claim):
    store.write(lambda tx: tx.add_effect(claim, samples.effect(claim)))
    facts = {
        "state": EffectState.SUCCEEDED,
        "payload_sha256": "p2",
        "payload": '{"a":1}',
        "update_number": 2,
        "external_id": "x",
        "result": "{}",
        "since": after(3),
    }
    forged = samples.effect(claim, window_key="v", action="mail", created_at=after(9), **facts)
    assert store.write(lambda tx: tx.record_effect(claim, forged))
    assert store.read(lambda tx: tx.effect(E)) == samples.effect(claim, **facts)


def test_a_success_gives_way_to_a_higher_update_number_only(store: Store, claim: Claim):
    done = samples.effect(claim, state=EffectState.SUCCEEDED, external_id="x", update_number=3)
    store.write(lambda tx: tx.add_effect(claim, done))

    def record(**given: Any) -> bool:
        effect = samples.effect(claim, **given)
        return store.write(lambda tx: tx.record_effect(claim, effect))

    assert not record(update_number=3, state=EffectState.UNKNOWN)
    assert not record(update_number=2)
    assert not record(update_number=3, state=EffectState.SUCCEEDED, external_id="y")
    assert store.read(lambda tx: tx.effect(E)) == done
    assert record(update_number=4)


def test_an_update_number_never_falls(store: Store, claim: Claim):
    open_effect = samples.effect(claim, update_number=3)
    store.write(lambda tx: tx.add_effect(claim, open_effect))
    older = samples.effect(claim, update_number=2, state=EffectState.FAILED)
    assert not store.write(lambda tx: tx.record_effect(claim, older))
    assert store.read(lambda tx: tx.effect(E)) == open_effect


def test_a_later_run_of_the_automation_takes_the_effect_over(store: Store, claim: Claim):
    store.write(lambda tx: tx.add_effect(claim, samples.effect(claim)))
    store.write(lambda tx: tx.add_effect_call(claim, samples.effect_call(claim)))
    other = _other_run(store)
    taken = samples.effect(other, state=EffectState.UNKNOWN)
    assert store.write(lambda tx: tx.record_effect(other, taken))
    # Both tried it, so both are asked about it.
    assert store.read(lambda tx: tx.effects_of_run(R)) == [taken]
    assert store.read(lambda tx: tx.effects_of_run("r_2")) == [taken]


@pytest.mark.parametrize("verb", ["add_effect", "record_effect", "add_effect_call"])
def test_an_effect_belongs_to_one_automation(store: Store, claim: Claim, verb: str):
    if verb != "add_effect":
        store.write(lambda tx: tx.add_effect(claim, samples.effect(claim)))
    other = _other_run(store, automation_id="a_2")
    record = samples.effect_call if verb == "add_effect_call" else samples.effect
    before = store.dump()
    assert not store.write(lambda tx: getattr(tx, verb)(other, record(other)))
    assert store.dump() == before


def test_calls_are_noted_for_pending_effects_at_their_update_number(store: Store, claim: Claim):
    def call(**given: Any) -> bool:
        record = samples.effect_call(claim, **given)
        return store.write(lambda tx: tx.add_effect_call(claim, record))

    assert not call()
    store.write(lambda tx: tx.add_effect(claim, samples.effect(claim)))
    assert not call(update_number=2)
    assert call()
    unknown = samples.effect(claim, state=EffectState.UNKNOWN)
    store.write(lambda tx: tx.record_effect(claim, unknown))
    assert not call(at=after(1))
    pending = samples.effect(claim, update_number=2)
    store.write(lambda tx: tx.record_effect(claim, pending))
    assert call(update_number=2, at=after(2))
    assert store.read(lambda tx: tx.effect_calls(E)) == [
        samples.effect_call(claim),
        samples.effect_call(claim, update_number=2, at=after(2)),
    ]


def test_artifacts_are_read_back(store: Store, claim: Claim):
    second = samples.artifact(claim, path="a.md", difference_sha256="d")
    store.write(lambda tx: tx.add_artifact(claim, samples.artifact(claim)))
    store.write(lambda tx: tx.add_artifact(claim, second))
    assert store.read(lambda tx: tx.artifacts(R)) == [second, samples.artifact(claim)]


def test_a_path_has_one_line_of_publications(store: Store, claim: Claim):
    path = samples.publication(claim).path

    def publish(by: Claim, number: int, **given: Any) -> bool:
        record = samples.publication(by, number=number, **given)
        return store.write(lambda tx: tx.add_publication(by, record))

    assert store.read(lambda tx: tx.newest_publication("default", path)) is None
    assert not publish(claim, 2)
    assert publish(claim, 1)
    assert not publish(claim, 1, sha256="s2")
    assert not publish(claim, 3)
    other = _other_run(store)
    assert publish(other, 2, sha256="s2", previous_sha256="s")
    newest = store.read(lambda tx: tx.newest_publication("default", path))
    assert (newest.number, newest.sha256, newest.run_id) == (2, "s2", "r_2")
    assert store.read(lambda tx: tx.newest_publication("other", path)) is None
    assert store.read(lambda tx: tx.publications_of_run(R)) == [samples.publication(claim)]


def test_a_publication_is_of_the_automation_of_the_run(store: Store, claim: Claim):
    foreign = samples.publication(claim, automation_id="a_2")
    assert not store.write(lambda tx: tx.add_publication(claim, foreign))


def test_late_reports_are_kept_in_order(store: Store, claim: Claim):
    later = _claim_again(store)
    store.write(lambda tx: tx.add_late_report(claim, "settle", {"b": 1, "a": "ü"}))
    store.at = after(1)
    store.write(lambda tx: tx.add_late_report(later, "settle", {}))
    found = store.read(lambda tx: tx.late_reports(R))
    assert [(r.claim_id, r.number, r.verb, r.body, r.at) for r in found] == [
        ("c_1", 1, "settle", '{"a":"ü","b":1}', samples.START),
        ("c_2", 1, "settle", "{}", after(1)),
    ]
