"""Verbs about runs: adding, listing, claiming, and what became of claims."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from duly.ledger.api.runs import RunFilter
from duly.model.run import Run
from duly.model.states import Outcome, RunState
from tests.ledger.verbs import samples
from tests.ledger.verbs.samples import A, R, after
from tests.ledger.verbs.stores import Store

CANCELLED = {"state": RunState.CANCELLED, "claimable_at": None, "outcome": Outcome.CANCELLED}
BLOCKED = {"state": RunState.BLOCKED, "claimable_at": None}
CREATED = {"state": RunState.CREATED, "claimable_at": None}
FREE = {"claim_id": None, "lease_owner": None, "lease_until": None}


def _add(store: Store, *runs: dict[str, Any]) -> None:
    def add(tx: Any) -> None:
        for given in runs:
            run = samples.run(**given)
            pin = samples.run_pin(run_id=run.run_id, automation_id=run.automation_id)
            assert tx.add_run(pin, run)

    store.write(add)


def _ids(runs: Sequence[Any]) -> list[str]:
    return [run.run_id for run in runs]


def test_a_run_and_its_pin_are_read_back(store: Store):
    _add(store, {})
    assert store.read(lambda tx: (tx.run(R), tx.run_pin(R))) == (samples.run(), samples.run_pin())
    assert store.read(lambda tx: (tx.run("r_0"), tx.run_pin("r_0"))) == (None, None)


def test_runs_are_found_by_how_their_ids_begin(store: Store):
    ids = ["r_0a", "r_1b0", "r_1b1", "r_1bf", "r_2c"]
    _add(store, *({"run_id": run_id} for run_id in ids))
    assert store.read(lambda tx: tx.run_ids_like("r_1b", 9)) == ids[1:4]
    assert store.read(lambda tx: tx.run_ids_like("r_1b", 2)) == ids[1:3]
    assert store.read(lambda tx: tx.run_ids_like("r_2c", 9)) == ids[4:]
    assert store.read(lambda tx: tx.run_ids_like("r_3", 9)) == []


def test_one_work_identity_has_one_run(store: Store):
    def add(run_id: str, **given: Any) -> bool:
        pin = samples.run_pin(run_id=run_id, **{"window_key": "w"} | given)
        return store.write(lambda tx: tx.add_run(pin, samples.run(run_id=run_id)))

    assert add("r_1")
    assert not add("r_2")
    assert store.read(lambda tx: tx.run("r_2")) is None
    assert add("r_2", input_version="1")
    assert add("r_3", window_key="v")


def test_a_run_is_added_with_its_own_pin_only(store: Store):
    with pytest.raises(AssertionError):
        store.write(lambda tx: tx.add_run(samples.run_pin(), samples.run(run_id="r_2")))


def test_the_runs_of_a_window_are_found_newest_first(store: Store):
    def add(tx: Any) -> None:
        for number in range(3):
            name = f"r_{number}"
            pin = samples.run_pin(
                run_id=name,
                window_key="w",
                input_version=str(9 - number),
                created_at=after(number),
            )
            tx.add_run(pin, samples.run(run_id=name))

    store.write(add)
    assert _ids(store.read(lambda tx: tx.runs_of_window(A, "w"))) == ["r_2", "r_1", "r_0"]
    assert store.read(lambda tx: tx.runs_of_window(A, "v")) == []


def test_runs_are_chosen_by_automation_state_and_age(store: Store):
    _add(
        store,
        {"run_id": "r_1", "created_at": after(1)},
        {"run_id": "r_2", "created_at": after(2), **CANCELLED},
        {"run_id": "r_3", "created_at": after(3), "automation_id": "a_2"},
        {"run_id": "r_4", "created_at": after(3), **BLOCKED},
    )

    def chosen(**given: Any) -> list[str]:
        return _ids(store.read(lambda tx: tx.runs(RunFilter(**given))))

    assert chosen() == ["r_4", "r_3", "r_2", "r_1"]
    assert chosen(limit=2) == ["r_4", "r_3"]
    assert chosen(automation_id=A) == ["r_4", "r_2", "r_1"]
    assert chosen(states=(RunState.CANCELLED,)) == ["r_2"]
    assert chosen(states=(RunState.CANCELLED, RunState.BLOCKED)) == ["r_4", "r_2"]
    assert chosen(states=(RunState.BLOCKED, RunState.QUEUED)) == ["r_4", "r_3", "r_1"]
    assert chosen(automation_id=A, states=(RunState.QUEUED,)) == ["r_1"]
    assert chosen(states=(RunState.FAILED,)) == []
    assert chosen(states=tuple(RunState)) == ["r_4", "r_3", "r_2", "r_1"]
    assert chosen(created_before=after(3)) == ["r_2", "r_1"]
    assert chosen(created_since=after(3)) == ["r_4", "r_3"]
    assert chosen(created_before=after(3), before_run_id="r_4") == ["r_3", "r_2", "r_1"]
    assert chosen(created_before=after(3), states=(RunState.BLOCKED,)) == []


def test_paging_through_runs_of_one_instant_meets_each_once(store: Store):
    _add(store, *({"run_id": f"r_{number}"} for number in range(7)))
    seen: list[str] = []
    page: list[Run] = store.read(lambda tx: tx.runs(RunFilter(limit=3)))
    while page:
        seen += _ids(page)
        last = page[-1]
        rest = RunFilter(limit=3, created_before=last.created_at, before_run_id=last.run_id)
        page = store.read(lambda tx, rest=rest: tx.runs(rest))
    assert seen == [f"r_{number}" for number in range(6, -1, -1)]


def test_open_runs_are_those_not_over_oldest_first(store: Store):
    _add(
        store,
        {"run_id": "r_1", "created_at": after(5)},
        {"run_id": "r_2", "created_at": after(4), **BLOCKED},
        {"run_id": "r_3", "created_at": after(3), **CANCELLED},
        {"run_id": "r_4", "created_at": after(3), "automation_id": "a_2"},
    )
    assert _ids(store.read(lambda tx: tx.open_runs(A))) == ["r_2", "r_1"]


def test_created_runs_are_paged_oldest_first(store: Store):
    _add(
        store,
        {"run_id": "r_2", "created_at": after(1), **CREATED},
        {"run_id": "r_1", "created_at": after(1), **CREATED},
        {"run_id": "r_3", "created_at": after(0), **CREATED},
        {"run_id": "r_4", "created_at": after(0)},
    )
    first = store.read(lambda tx: tx.created_runs((0, ""), 2))
    assert _ids(first) == ["r_3", "r_1"]
    rest = store.read(lambda tx: tx.created_runs((first[-1].created_at, first[-1].run_id), 2))
    assert _ids(rest) == ["r_2"]


def test_the_newest_run_of_each_automation_is_found(store: Store):
    _add(
        store,
        {"run_id": "r_1", "created_at": after(1)},
        {"run_id": "r_2", "created_at": after(2), **CANCELLED},
        {"run_id": "r_3", "created_at": after(0), "automation_id": "a_2"},
    )
    assert _ids(store.read(lambda tx: tx.newest_runs([A, "a_none", "a_2"]))) == ["r_2", "r_3"]


def test_recording_a_run_keeps_what_is_fixed(store: Store):
    _add(store, {})
    changed = samples.run(
        automation_id="a_2",
        created_at=after(9),
        **BLOCKED,
        state_since=after(1),
        priority=4,
        behind_run_id="r_0",
        fence=3,
        attempts=2,
        cancel_actor="me",
        wait_reason="queued",
        wait_since=after(1),
        start_by=after(2),
        outcome=Outcome.NEEDS_REVIEW,
        reason="why",
        may_live=True,
        settled_at=after(3),
    )
    assert store.write(lambda tx: tx.record_run(changed))
    assert store.read(lambda tx: tx.run(R)) == replace(
        changed, version=2, automation_id=A, created_at=samples.START
    )


def test_a_claim_gives_the_run_its_next_fence_and_adds_the_attempt(store: Store):
    waiting = {"wait_reason": "no_directory", "wait_since": after(-5), "start_by": after(60)}
    _add(store, {"fence": 4, "attempts": 2, **waiting})
    store.at = after(7)
    (claimed,) = store.claim("c_9", owner="node-1", until=after(99))
    assert claimed.claim == samples.claim(5, "c_9")
    assert (claimed.automation_id, claimed.attempts, claimed.lease_until) == (A, 3, after(99))
    assert store.read(lambda tx: tx.run(R)) == samples.run(
        state=RunState.COLLECTING,
        state_since=after(7),
        version=2,
        claimable_at=None,
        lease_owner="node-1",
        lease_until=after(99),
        claim_id="c_9",
        fence=5,
        attempts=3,
        start_by=after(60),
    )
    (attempt,) = store.read(lambda tx: tx.attempts(R))
    assert (attempt.owner, attempt.revision, attempt.claimed_at) == ("node-1", 7, after(7))
    assert (attempt.run_id, attempt.fence, attempt.claim_id) == (R, 5, "c_9")
    assert (attempt.ended_at, attempt.ending) == (None, None)


def test_only_ready_runs_are_claimed(store: Store):
    _add(
        store,
        {"run_id": "r_later", "claimable_at": after(1)},
        {"run_id": "r_parked", "claimable_at": None},
        {"run_id": "r_blocked", **BLOCKED},
    )
    assert store.claim() == []
    assert store.read(lambda tx: tx.next_claimable_at()) == after(1)
    store.at = after(1)
    assert [c.claim.run_id for c in store.claim()] == ["r_later"]
    assert store.claim() == []
    assert store.read(lambda tx: tx.next_claimable_at()) is None


def test_claims_go_to_the_highest_priority_then_to_the_longest_waiting(store: Store):
    _add(
        store,
        {"run_id": "r_1", "priority": 0, "claimable_at": after(-3)},
        {"run_id": "r_2", "priority": 5, "claimable_at": after(-1)},
        {"run_id": "r_3", "priority": 5, "claimable_at": after(-2)},
        {"run_id": "r_4", "priority": 9, "claimable_at": after(1)},
        {"run_id": "r_5", "priority": -2, "claimable_at": after(-9)},
    )
    claimed = [store.claim(f"c_{n}", on_time=1)[0].claim.run_id for n in range(4)]
    assert claimed == ["r_3", "r_2", "r_1", "r_5"]


def test_a_batch_spans_priorities_and_stops_at_its_size(store: Store):
    _add(
        store,
        *({"run_id": f"r_{n}", "priority": n % 3, "created_at": after(-n)} for n in range(9)),
    )
    claimed = [c.claim.run_id for c in store.claim(on_time=5)]
    # Highest priority first, within it the oldest first.
    assert claimed[:3] == ["r_8", "r_5", "r_2"]
    assert len(claimed) == 5
    assert {int(name[2:]) % 3 for name in claimed[3:]} == {1}


def test_caught_up_runs_are_claimed_by_their_own_number(store: Store):
    _add(
        store,
        {"run_id": "r_1"},
        {"run_id": "r_2", "is_caught_up": True, "claimable_at": after(-9)},
        {"run_id": "r_3", "is_caught_up": True},
    )
    assert store.claim(on_time=0, caught_up=0) == []
    claimed = store.claim(on_time=5, caught_up=1)
    assert [c.claim.run_id for c in claimed] == ["r_1", "r_2"]
    assert store.read(lambda tx: tx.next_claimable_at()) == samples.START


def test_the_next_claimable_instant_is_the_earliest_of_all_priorities_and_kinds(store: Store):
    _add(
        store,
        {"run_id": "r_1", "priority": 9, "claimable_at": after(30)},
        {"run_id": "r_2", "priority": 1, "claimable_at": after(20)},
        {"run_id": "r_3", "is_caught_up": True, "claimable_at": after(10)},
    )
    assert store.read(lambda tx: tx.next_claimable_at()) == after(10)


def test_a_run_is_claimed_once_whoever_asks(store: Store):
    _add(store, *({"run_id": f"r_{number}"} for number in range(6)))
    mine, others = store.claim("c_1", owner="a", on_time=4), store.claim("c_2", owner="b")
    assert (len(mine), len(others)) == (4, 2)
    assert len({c.claim.run_id for c in [*mine, *others]}) == 6


def test_leases_that_are_over_are_found_longest_over_first(store: Store):
    _add(store, {"run_id": "r_1"}, {"run_id": "r_2"}, {"run_id": "r_3"})
    for number, seconds in ((1, 30), (2, 20), (3, 10)):
        store.claim(f"c_{number}", on_time=1, owner=f"o_{number}", until=after(seconds))
    by_owner = {run.lease_owner: run.run_id for run in store.read(lambda tx: tx.runs(RunFilter()))}
    assert store.read(lambda tx: tx.next_expiry_at()) == after(10)
    assert store.read(lambda tx: tx.expired_runs(9)) == []
    store.at = after(20)
    assert _ids(store.read(lambda tx: tx.expired_runs(9))) == [by_owner["o_3"], by_owner["o_2"]]
    assert _ids(store.read(lambda tx: tx.expired_runs(1))) == [by_owner["o_3"]]
    held = store.read(lambda tx: tx.held_runs("o_2"))
    assert _ids(held) == [by_owner["o_3"], by_owner["o_1"]]


def test_a_renewed_lease_expires_later_and_the_version_stays(store: Store):
    _add(store, {})
    (claimed,) = store.claim(until=after(10))
    version = store.read(lambda tx: tx.run(R)).version
    assert store.write(lambda tx: tx.renew_lease(claimed.claim, after(50)))
    assert store.read(lambda tx: tx.next_expiry_at()) == after(50)
    assert store.read(lambda tx: tx.run(R)).version == version
    assert store.write(lambda tx: tx.is_held(claimed.claim))


def test_a_run_that_waits_beyond_its_start_is_overdue(store: Store):
    _add(
        store,
        {"run_id": "r_1", "start_by": after(20)},
        {"run_id": "r_2", "start_by": after(10)},
        {"run_id": "r_3", "start_by": after(5), **BLOCKED},
        {"run_id": "r_4", "start_by": after(5), **CANCELLED},
        {"run_id": "r_5"},
        {"run_id": "r_6", "start_by": after(15), **CREATED},
    )
    assert store.read(lambda tx: tx.next_start_by()) == after(10)
    assert store.read(lambda tx: tx.overdue_runs(9)) == []
    store.at = after(20)
    assert _ids(store.read(lambda tx: tx.overdue_runs(9))) == ["r_2", "r_6", "r_1"]
    assert _ids(store.read(lambda tx: tx.overdue_runs(1))) == ["r_2"]
    store.claim()
    assert _ids(store.read(lambda tx: tx.overdue_runs(9))) == ["r_6"]


def test_an_attempt_ends_once(store: Store):
    _add(store, {})
    (claimed,) = store.claim()
    store.at = after(4)
    assert store.write(lambda tx: tx.end_attempt(claimed.claim, "completed"))
    assert not store.write(lambda tx: tx.end_attempt(claimed.claim, "failed"))
    (attempt,) = store.read(lambda tx: tx.attempts(R))
    assert (attempt.ended_at, attempt.ending) == (after(4), "completed")


def test_a_holder_gives_up_its_claim_by_recording_none(store: Store):
    _add(store, {})
    (claimed,) = store.claim()
    done = {"state": RunState.COMPLETED, "outcome": Outcome.NO_CHANGE, "settled_at": after(1)}
    assert store.write(
        lambda tx: tx.record_held_run(claimed.claim, replace(tx.run(R), **FREE, **done))
    )
    found = store.read(lambda tx: tx.run(R))
    assert found == samples.run(
        **done,
        **FREE,
        version=3,
        claimable_at=None,
        state_since=store.at,
        fence=1,
        attempts=1,
    )
    assert store.read(lambda tx: tx.held_runs("nobody")) == []


def test_a_holder_records_whatever_version_it_read(store: Store):
    """A cancel that came in between must not look like a lost lease."""
    _add(store, {})
    (claimed,) = store.claim()
    read = store.read(lambda tx: tx.run(R))
    assert store.write(lambda tx: tx.record_run(replace(read, cancel_actor="me")))
    assert store.write(lambda tx: tx.record_held_run(claimed.claim, replace(read, reason="x")))
    assert store.read(lambda tx: tx.run(R)).version == read.version + 2
