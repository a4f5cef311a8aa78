"""The end of an attempt: outcomes, doubts of the ledger, alarms, parks."""

import json

import pytest

from duly.model.errors import LeaseLostError
from duly.model.instant import HOUR_US, MINUTE_US
from duly.model.reasons import Reason
from duly.model.run import Artifact
from duly.model.states import AutomationState, ErrorClass, Outcome, RunState
from duly.transactions import operate, rescue, settle
from duly.transactions.operate import CancelRun
from duly.transactions.rescue import FailOverdue, Rescue, rescue_orphans
from duly.transactions.settle import Park
from tests.transactions.test_execute import begin, dispatch
from tests.transactions.world import World, moment, settle_command, timing


def claimed_of(world: World, day: int = 16, **changes):
    world.create(timing(**changes))
    world.at(f"2026-09-{day}T09:00").scan()
    return world.claim_one()


ENDINGS = {
    Outcome.COMPLETED: RunState.COMPLETED,
    Outcome.FAILED_BEFORE_WRITE: RunState.FAILED,
    Outcome.FAILED_AFTER_WRITE: RunState.BLOCKED,
    Outcome.NEEDS_REVIEW: RunState.BLOCKED,
    Outcome.CANCELLED: RunState.CANCELLED,
}


@pytest.mark.parametrize("outcome", ENDINGS)
def test_an_outcome_settles_the_run_and_frees_it(world, outcome):
    claimed = claimed_of(world)
    run = world.settle(claimed, outcome)
    assert (run.state, run.outcome) == (ENDINGS[outcome], outcome)
    assert (run.claim_id, run.claimable_at, run.settled_at) == (None, None, world.now)
    assert world.run(run.run_id) == run
    (attempt,) = world.read("attempts", run.run_id)
    assert (attempt.ending, attempt.ended_at) == ("settled", world.now)
    assert "settled" in world.wakes


def test_artifacts_are_kept_with_the_settlement(world):
    claimed = claimed_of(world)
    made = Artifact(
        run_id=claimed.claim.run_id,
        fence=claimed.claim.fence,
        path="reports/a.md",
        sha256="aa",
        bytes=3,
        difference_sha256=None,
        at=world.now,
    )
    world.settle(claimed, artifacts=(made,))
    assert world.read("artifacts", claimed.claim.run_id) == [made]


def test_a_run_settled_over_an_execution_without_an_end_may_still_live(world):
    claimed = claimed_of(world)
    begin(world, claimed)
    dispatch(world, claimed)
    blocked = world.settle(claimed, Outcome.NEEDS_REVIEW)
    assert blocked.may_live
    world.at("2026-09-17T09:00").scan()
    assert world.answers(blocked.automation_id)[-1] == ("skipped", "overlap", 1)


def test_a_settlement_whose_commit_was_in_doubt_may_be_repeated(world):
    claimed = claimed_of(world)
    once = world.settle(claimed)
    assert world.settle(claimed) == once
    assert world.audit_kinds(f"run:{once.run_id}").count("run.complete") == 1


def test_a_repeated_settlement_leaves_a_later_attempt_alone(world):
    claimed = claimed_of(world)
    world.write(settle.park, park_command(world, claimed))
    again = world.after(HOUR_US).claim_one()
    before = world.run(again.claim.run_id)
    world.write(settle.park, park_command(world, claimed))
    assert world.run(again.claim.run_id) == before
    with pytest.raises(LeaseLostError):
        world.settle(claimed)


def park_command(world, claimed, **changes):
    return Park(
        claim=claimed.claim,
        wait_reason=changes.get("reason", Reason.RETRY_DELAY),
        claimable_at=world.now + MINUTE_US,
        error_class=ErrorClass.TRANSIENT,
        start_by=changes.get("start_by"),
    )


def test_a_parked_run_is_claimable_later_and_says_why_it_waits(world):
    claimed = claimed_of(world)
    run = world.write(settle.park, park_command(world, claimed))
    assert (run.state, run.wait_reason) == (RunState.QUEUED, "retry_delay")
    assert world.claim() == []
    again = world.after(MINUTE_US).claim_one()
    assert (again.claim.fence, again.attempts) == (claimed.claim.fence + 1, 2)
    assert world.run(run.run_id).wait_reason is None


def test_a_wait_that_goes_on_keeps_its_first_deadline(world):
    claimed = claimed_of(world)
    first = world.now + 10 * MINUTE_US
    missing = {"reason": Reason.CWD_MISSING}
    world.write(settle.park, park_command(world, claimed, start_by=first, **missing))
    again = world.after(MINUTE_US).claim_one()
    later = world.now + 10 * MINUTE_US
    run = world.write(settle.park, park_command(world, again, start_by=later, **missing))
    assert run.start_by == first


def test_a_run_whose_start_deadline_passed_has_failed_before_any_write(world):
    claimed = claimed_of(world)
    deadline = world.now + 10 * MINUTE_US
    command = park_command(world, claimed, start_by=deadline, reason=Reason.CWD_MISSING)
    parked = world.write(settle.park, command)
    assert world.ledger.read(rescue.overdue, 10).next_start_by == deadline
    give_up = FailOverdue(run_id=parked.run_id, version=parked.version, actor="rescuer")
    assert not world.write(rescue.fail_overdue, give_up)
    world.after(11 * MINUTE_US)
    (seen,) = world.ledger.read(rescue.overdue, 10).runs
    assert world.write(rescue.fail_overdue, give_up)
    run = world.run(seen.run_id)
    assert (run.state, run.outcome) == (RunState.FAILED, Outcome.FAILED_BEFORE_WRITE)
    assert run.reason == Reason.START_DEADLINE.value
    assert world.ledger.read(rescue.overdue, 10).runs == ()


def test_a_queue_deadline_gives_a_waiting_run_up(world):
    world.create(timing(queue_us_max=30 * MINUTE_US))
    world.at("2026-09-16T09:00").scan()
    world.after(31 * MINUTE_US)
    (seen,) = world.ledger.read(rescue.overdue, 10).runs
    give_up = FailOverdue(run_id=seen.run_id, version=seen.version, actor="rescuer")
    assert world.write(rescue.fail_overdue, give_up)
    assert world.run(seen.run_id).reason == Reason.QUEUE_DEADLINE.value
    assert not world.write(rescue.fail_overdue, give_up)


def daily(world, outcome, reason, days):
    for day in days:
        world.at(f"2026-09-{day}T09:00").scan()
        for claimed in world.claim():
            world.settle(claimed, outcome, reason)


def test_a_failure_is_told_once_until_the_automation_is_well_again(world):
    automation = world.create()
    daily(world, Outcome.FAILED_BEFORE_WRITE, Reason.EXIT_UNEXPECTED, (16, 17, 18, 19))
    assert len(world.read("notices", 10)) == 1
    assert world.automation(automation).state is AutomationState.ACTIVE
    daily(world, Outcome.COMPLETED, None, (20,))
    assert world.automation(automation).told is None
    daily(world, Outcome.FAILED_BEFORE_WRITE, Reason.EXIT_UNEXPECTED, (21, 22))
    assert len(world.read("notices", 10)) == 2


def test_the_same_fault_of_the_setup_three_times_suspends_once(world):
    automation = world.create()
    daily(world, Outcome.FAILED_BEFORE_WRITE, Reason.PROGRAM_MISSING, (16, 17))
    assert world.automation(automation).fault_count == 2
    daily(world, Outcome.FAILED_BEFORE_WRITE, Reason.PROGRAM_MISSING, (18,))
    suspended = world.automation(automation)
    assert (suspended.state, suspended.next_due) == (AutomationState.SUSPENDED, None)
    assert suspended.state_reason == Reason.CONFIGURATION_FAULT.value
    assert sorted(item.kind for item in world.read("notices", 10)) == ["failed", "suspended"]
    assert world.at("2026-09-19T09:00").scan().automations == 0
    resumed = world.change("resume", automation)
    assert (resumed.state, resumed.fault_count) == (AutomationState.ACTIVE, 0)


def test_another_ending_between_faults_breaks_the_row(world):
    automation = world.create()
    daily(world, Outcome.FAILED_BEFORE_WRITE, Reason.PROGRAM_MISSING, (16, 17))
    daily(world, Outcome.COMPLETED, None, (18,))
    daily(world, Outcome.FAILED_BEFORE_WRITE, Reason.PROGRAM_MISSING, (19, 20))
    assert world.automation(automation).state is AutomationState.ACTIVE


def test_waiting_for_a_directory_to_the_deadline_counts_as_a_fault_of_the_setup(world):
    claimed = claimed_of(world)
    deadline = world.now + MINUTE_US
    command = park_command(world, claimed, start_by=deadline, reason=Reason.CWD_MISSING)
    parked = world.write(settle.park, command)
    world.after(2 * MINUTE_US)
    give_up = FailOverdue(run_id=parked.run_id, version=parked.version, actor="rescuer")
    world.write(rescue.fail_overdue, give_up)
    assert world.automation(parked.automation_id).fault_kind == "configuration"


def test_a_rescued_orphan_keeps_its_cancel_wish_and_its_doubt(world):
    claimed = claimed_of(world)
    asked = CancelRun(run_id=claimed.claim.run_id, actor="ann", reason="stop")
    world.write(operate.cancel_run, asked)
    assert world.write(rescue_orphans, "node-1") == 0
    assert world.write(rescue_orphans, "node-2") == 1
    run = world.run(claimed.claim.run_id)
    assert (run.state, run.cancel_actor) == (RunState.QUEUED, "ann")
    assert run.fence == claimed.claim.fence + 1
    (attempt,) = world.read("attempts", run.run_id)
    assert attempt.ending == Reason.OWNER_DEAD.value


def test_only_a_lease_that_is_over_is_rescued(world):
    claimed = claimed_of(world)
    run = world.run(claimed.claim.run_id)
    assert world.ledger.read(rescue.expired, 10).next_expiry_at == run.lease_until
    command = Rescue(run_id=run.run_id, version=run.version, actor="rescuer")
    assert not world.write(rescue.rescue, command)
    world.now = moment("2026-09-16T09:10")
    stale = Rescue(run_id=run.run_id, version=run.version - 1, actor="rescuer")
    assert not world.write(rescue.rescue, stale)
    assert world.write(rescue.rescue, command)
    assert not world.write(rescue.rescue, command)


def test_a_settlement_says_in_the_audit_what_it_rests_on(world):
    claimed = claimed_of(world)
    run = world.settle(claimed)
    event = world.read("audit_events", f"run:{run.run_id}", 0, 10)[-1]
    body = json.loads(event.body)
    assert (event.kind, event.actor) == ("run.complete", "worker:node-1")
    assert (body["from"], body["to"]) == ("collecting", "completed")
    assert (body["outcome"], body["grade"], body["reason"]) == (
        "completed",
        "exit",
        "exit_declared",
    )
    assert settle_command(claimed).grade is not None
