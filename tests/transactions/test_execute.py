"""What a claim's holder records: phases, snapshot, executions; each once, and nothing after the claim is lost."""

import pytest

from duly.model.errors import IllegalMoveError, LeaseLostError
from duly.model.instant import MINUTE_US, SECOND_US
from duly.model.run import Execution, Snapshot
from duly.model.states import ExecutionEvent, ExecutionState, Outcome, RunEvent, RunState
from duly.transactions import claim, execute, operate
from duly.transactions.claim import Renewal
from duly.transactions.execute import (
    Attach,
    BeginExecution,
    DispatchExecution,
    EndExecution,
    EnterPhase,
    Freeze,
)
from duly.transactions.operate import CancelRun
from duly.transactions.rescue import rescue_orphans
from tests.transactions.world import LEASE_US, timing


@pytest.fixture
def claimed(world):
    world.create(timing(queue_us_max=60 * MINUTE_US))
    world.at("2026-09-16T09:00").scan()
    return world.claim_one()


def snapshot(claimed, commit="abc"):
    return Snapshot(
        run_id=claimed.claim.run_id,
        fence=claimed.claim.fence,
        claim_id=claimed.claim.claim_id,
        source_set=("src/**",),
        base_commit=commit,
        base_tree=None,
        observed_at=0,
        content="{}",
        at=0,
    )


def execution(claimed, part="agent"):
    return Execution(
        run_id=claimed.claim.run_id,
        fence=claimed.claim.fence,
        part=part,
        claim_id=claimed.claim.claim_id,
        state=ExecutionState.INTENT,
        token="t",
        argv="[]",
        prompt_sha256=None,
        boot_id=None,
        launcher_pid=None,
        launcher_ticks=None,
        pid=None,
        start_ticks=None,
        ending=None,
        exit_code=None,
        log_sha256=None,
        log_bytes=None,
        is_empty=False,
        started_at=0,
        ended_at=None,
    )


def begin(world, claimed, part="agent"):
    command = BeginExecution(claim=claimed.claim, execution=execution(claimed, part))
    return world.write(execute.begin_execution, command)


def dispatch(world, claimed, part="agent"):
    command = DispatchExecution(claim=claimed.claim, part=part)
    return world.write(execute.dispatch_execution, command)


def attach(world, claimed, part="agent"):
    command = Attach(
        claim=claimed.claim,
        part=part,
        boot_id="boot",
        launcher_pid=10,
        launcher_ticks=100,
        pid=11,
        start_ticks=101,
    )
    return world.write(execute.attach_execution, command)


def end(world, claimed, event=ExecutionEvent.SETTLE, **changes):
    command = EndExecution(
        claim=claimed.claim,
        fence=changes.get("fence", claimed.claim.fence),
        part=changes.get("part", "agent"),
        event=event,
        ending=changes.get("ending", "exited"),
        exit_code=0,
        log_sha256="ff",
        log_bytes=2,
        is_empty=changes.get("is_empty", True),
    )
    return world.write(execute.end_execution, command)


def test_phases_are_entered_in_order_and_an_entry_may_be_repeated(world, claimed):
    for event, state in (
        (RunEvent.ANALYZE, RunState.ANALYZING),
        (RunEvent.ANALYZE, RunState.ANALYZING),
        (RunEvent.REVIEW, RunState.REVIEWING),
        (RunEvent.EXECUTE, RunState.EXECUTING),
    ):
        command = EnterPhase(claim=claimed.claim, event=event)
        assert world.write(execute.enter_phase, command).state is state
    kinds = world.audit_kinds(f"run:{claimed.claim.run_id}")
    assert kinds == ["run.created", "run.claim", "run.analyze", "run.review", "run.execute"]
    with pytest.raises(IllegalMoveError):
        world.write(execute.enter_phase, EnterPhase(claim=claimed.claim, event=RunEvent.ANALYZE))


def test_the_snapshot_frozen_first_wins(world, claimed):
    first = Freeze(claim=claimed.claim, snapshot=snapshot(claimed))
    assert world.write(execute.freeze_snapshot, first) == first.snapshot
    second = Freeze(claim=claimed.claim, snapshot=snapshot(claimed, "def"))
    assert world.write(execute.freeze_snapshot, second) == first.snapshot


def test_an_execution_is_recorded_before_anything_can_live(world, claimed):
    assert world.run(claimed.claim.run_id).start_by is not None
    assert begin(world, claimed).state is ExecutionState.INTENT
    run = world.run(claimed.claim.run_id)
    assert (run.may_live, run.start_by) == (False, None)
    assert dispatch(world, claimed).state is ExecutionState.DISPATCH_STARTED
    assert world.run(claimed.claim.run_id).may_live
    attached = attach(world, claimed)
    assert (attached.state, attached.pid) == (ExecutionState.ATTACHED, 11)
    ended = end(world, claimed)
    assert (ended.state, ended.exit_code) == (ExecutionState.SETTLED, 0)
    assert not world.run(claimed.claim.run_id).may_live


def test_every_step_of_an_execution_may_be_repeated(world, claimed):
    for step in (begin, dispatch, attach, end):
        once = step(world, claimed)
        assert step(world, claimed) == once


def test_a_tree_that_is_not_empty_may_live_until_it_is_proven_dead(world, claimed):
    begin(world, claimed)
    dispatch(world, claimed)
    end(world, claimed, ExecutionEvent.LOSE, is_empty=False, ending="lost")
    assert world.run(claimed.claim.run_id).may_live
    proven = end(world, claimed, ExecutionEvent.PROVE_DEAD, ending="proven dead")
    assert proven.state is ExecutionState.SETTLED
    assert not world.run(claimed.claim.run_id).may_live


def test_the_next_holder_proves_an_older_execution_dead(world, claimed):
    begin(world, claimed)
    dispatch(world, claimed)
    world.write(rescue_orphans, "node-2")
    assert world.run(claimed.claim.run_id).may_live
    again = world.claim_one("node-2")
    proven = end(
        world,
        again,
        ExecutionEvent.PROVE_DEAD,
        fence=claimed.claim.fence,
        ending="proven dead",
    )
    assert proven.fence == claimed.claim.fence
    assert not world.run(claimed.claim.run_id).may_live


def test_a_lost_claim_writes_nothing_through_any_of_them(world, claimed):
    begin(world, claimed)
    world.write(rescue_orphans, "node-2")
    before = (world.run(claimed.claim.run_id), world.read("executions", claimed.claim.run_id))
    attempts = (
        lambda: begin(world, claimed, "verify"),
        lambda: dispatch(world, claimed),
        lambda: attach(world, claimed),
        lambda: end(world, claimed),
        lambda: world.settle(claimed, Outcome.NEEDS_REVIEW),
        lambda: world.write(
            execute.freeze_snapshot, Freeze(claim=claimed.claim, snapshot=snapshot(claimed))
        ),
        lambda: world.write(
            execute.enter_phase, EnterPhase(claim=claimed.claim, event=RunEvent.ANALYZE)
        ),
    )
    for attempt in attempts:
        with pytest.raises(LeaseLostError):
            attempt()
    after = (world.run(claimed.claim.run_id), world.read("executions", claimed.claim.run_id))
    assert after == before


def test_run_facts_say_all_that_a_runner_needs(world, claimed):
    begin(world, claimed)
    facts = world.ledger.read(execute.run_facts, claimed.claim.run_id)
    assert facts.pin.window_key == "2026-09-16"
    assert facts.automation.job_key == facts.work.job_key == "report"
    assert [item.part for item in facts.executions] == ["agent"]
    assert (facts.snapshot, facts.is_vouched) == (None, False)


def test_a_renewal_names_what_was_lost_and_what_is_to_be_cancelled(world, claimed):
    renewal = Renewal(owner="node-1", claims=(claimed.claim,), until=world.now + LEASE_US * 2)
    kept = world.write(claim.renew_leases, renewal)
    assert (kept.lost, kept.cancelled) == (frozenset(), frozenset())
    assert world.run(claimed.claim.run_id).lease_until == world.now + LEASE_US * 2
    asked = CancelRun(run_id=claimed.claim.run_id, actor="ann", reason="wrong window")
    assert not world.write(operate.cancel_run, asked).is_done
    assert f"cancel:{claimed.claim.run_id}" in world.wakes
    renewed = world.write(claim.renew_leases, renewal)
    assert renewed.cancelled == {claimed.claim.run_id}
    world.after(SECOND_US)
    world.write(rescue_orphans, "node-2")
    lost = world.write(claim.renew_leases, renewal)
    assert lost.lost == {claimed.claim.run_id}
    assert f"lost:{claimed.claim.run_id}" in world.wakes
