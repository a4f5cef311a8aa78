"""What people do to runs, and what becomes of runs that are asked for again."""

from dataclasses import replace

import pytest

from duly.model.errors import ConflictError, NotFoundError, ValidationError
from duly.model.ids import RunId
from duly.model.instant import DAY_US, HOUR_US
from duly.model.plan import CatchUpBounded, OverlapAllow, OverlapQueueOne, Restart
from duly.model.reasons import Reason
from duly.model.states import Disposition, Outcome, RunState, Verdict
from duly.model.timing import Covers, CronRule, Period, WindowRule
from duly.transactions import operate
from duly.transactions.operate import CancelRun, ResolveRun, ResumeRun
from tests.transactions.test_execute import begin, dispatch, end
from tests.transactions.world import moment, timing, work

BY_SLOT = WindowRule(period=Period.SLOT, covers=Covers.CURRENT)
HOURLY = CronRule(text="0 * * * *")


def cancel(world, run_id):
    command = CancelRun(run_id=run_id, actor="ann", reason="stop")
    return world.write(operate.cancel_run, command)


@pytest.fixture
def automation(world):
    made = world.create()
    world.at("2026-09-16T09:00").scan()
    return made


def run_of(world, automation):
    return world.occurrences(automation)[-1].run_id


def test_a_waiting_run_is_cancelled_at_once(world, automation):
    answered = cancel(world, run_of(world, automation))
    assert answered.is_done
    assert (answered.run.state, answered.run.reason) == (
        RunState.CANCELLED,
        Reason.CANCELLED_BEFORE_WRITE.value,
    )
    assert world.claim() == []
    assert cancel(world, answered.run.run_id).is_done
    assert world.read("notices", 10) == []


def test_a_held_run_is_ended_by_its_holder(world, automation):
    claimed = world.claim_one()
    assert not cancel(world, claimed.claim.run_id).is_done
    assert not cancel(world, claimed.claim.run_id).is_done
    assert world.settle(claimed, Outcome.CANCELLED).state is RunState.CANCELLED


def test_a_run_that_has_ended_is_not_cancelled(world, automation):
    world.work_off()
    with pytest.raises(ConflictError, match="ended"):
        cancel(world, run_of(world, automation))
    with pytest.raises(NotFoundError):
        cancel(world, RunId("r_none"))


def test_only_a_blocked_run_is_resolved_and_only_to_what_settles(world, automation):
    claimed = world.claim_one()
    run_id = claimed.claim.run_id

    def resolve(outcome):
        command = ResolveRun(run_id=run_id, outcome=outcome, note="looked", actor="ann")
        return world.write(operate.resolve_run, command)

    with pytest.raises(ConflictError, match="not blocked"):
        resolve(Outcome.COMPLETED)
    world.settle(claimed, Outcome.NEEDS_REVIEW)
    with pytest.raises(ConflictError, match="settles nothing"):
        resolve(Outcome.NEEDS_REVIEW)
    assert resolve(Outcome.FAILED_BEFORE_WRITE).state is RunState.FAILED


def test_a_failed_run_is_resumed_by_a_person(world, automation):
    world.settle(world.claim_one(), Outcome.FAILED_BEFORE_WRITE)
    run_id = run_of(world, automation)
    command = ResumeRun(run_id=run_id, actor="ann", reason="repaired")
    assert world.write(operate.resume_run, command).state is RunState.QUEUED
    assert world.settle(world.claim_one()).state is RunState.COMPLETED


def test_a_window_of_the_future_is_refused_and_one_of_the_past_is_run(world, automation):
    with pytest.raises(ValidationError):
        world.run_now(automation, "future", window="2026-09-17")
    world.work_off()
    past = world.run_now(automation, "past", window="2026-09-10")
    pin = world.pin(past.run_id)
    assert pin.window_key == "2026-09-10"
    assert pin.span_end == moment("2026-09-11T00:00")


def test_a_backfill_does_not_stand_before_todays_slot(world, automation):
    world.work_off()
    world.run_now(automation, "past", window="2026-09-10")
    world.claim_one()
    world.at("2026-09-17T09:00").scan()
    assert world.occurrences(automation)[-2].disposition is Disposition.STARTED


def test_a_wish_while_a_run_lives_waits_and_goes_when_it_ends(world):
    automation = world.create(timing(HOURLY, window=BY_SLOT))
    world.after(HOUR_US).scan()
    live = world.claim_one()
    asked = world.run_now(automation, "extra")
    assert asked.occurrence.disposition is Disposition.QUEUED
    assert asked.occurrence.window_key == "manual:extra"
    assert world.run(asked.run_id).state is RunState.CREATED
    assert world.promote() == 0
    world.settle(live)
    assert world.promote() == 1
    assert world.claim_one().claim.run_id == asked.run_id


def test_a_paused_automation_runs_by_hand_and_says_that_it_is_paused(world, automation):
    world.work_off()
    world.change("pause", automation)
    asked = world.run_now(automation, "by hand", window="2026-09-10")
    assert (asked.is_paused, asked.occurrence.disposition) == (True, Disposition.STARTED)


def test_a_manual_automation_has_no_slots_and_runs_by_hand(world):
    automation = world.create(timing(None, window=BY_SLOT), job_key="by-hand")
    assert world.automation(automation).next_due is None
    first = world.run_now(automation, "one")
    assert world.pin(first.run_id).window_key == "manual:one"


def test_after_an_edit_of_the_zone_a_span_that_was_worked_on_needs_a_redo(world, automation):
    world.work_off()
    world.at("2026-09-17T03:00").edit(automation, timing(zone="America/New_York"))
    with pytest.raises(ConflictError, match="2026-09-16"):
        world.run_now(automation, "again", window="2026-09-15")
    redone = world.run_now(automation, "redo", window="2026-09-15", redo="wrong", effects="update")
    assert world.pin(redone.run_id).input_version == "0+redo.1"


def test_another_input_version_amends_once_the_earlier_run_is_final(world, automation):
    claimed = world.claim_one()
    asked = world.run_now(automation, "v2", input_version="v2")
    assert asked.occurrence.disposition is Disposition.QUEUED
    run = world.run(asked.run_id)
    assert (run.state, run.behind_run_id) == (RunState.CREATED, claimed.claim.run_id)
    assert world.promote() == 0
    world.settle(claimed, Outcome.NEEDS_REVIEW)
    assert world.promote() == 0
    assert world.run(asked.run_id).wait_reason == Reason.WAITS_FOR_REVIEW.value
    done = ResolveRun(
        run_id=claimed.claim.run_id, outcome=Outcome.COMPLETED, note="fine", actor="ann"
    )
    world.write(operate.resolve_run, done)
    assert world.promote() == 1
    assert world.pin(asked.run_id).amends_run_id == claimed.claim.run_id
    later = world.run_now(automation, "later")
    assert (later.run_id, later.occurrence.disposition) == (asked.run_id, Disposition.JOINED)


def test_a_redo_says_what_becomes_of_earlier_effects(world, automation):
    world.work_off()
    with pytest.raises(ValidationError, match="effects"):
        world.run_now(automation, "redo", redo="wrong")


def test_each_redo_has_its_own_number(world, automation):
    world.work_off()
    for number in (1, 2, 3):
        redone = world.run_now(automation, f"redo {number}", redo="wrong", effects="update")
        assert world.pin(redone.run_id).input_version == f"0+redo.{number}"
        world.work_off()


VERDICTS = {
    Outcome.FAILED_BEFORE_WRITE: Verdict.RESTART,
    Outcome.NEEDS_REVIEW: Verdict.STOPPED,
    Outcome.CANCELLED: Verdict.STOPPED,
    Outcome.COMPLETED: Verdict.REUSE,
    Outcome.NO_CHANGE: Verdict.REUSE,
}


@pytest.mark.parametrize("outcome", VERDICTS)
def test_a_run_asked_for_again_gets_its_verdict(world, automation, outcome):
    reason = Reason.PRECHECK_DECLINED if outcome is Outcome.NO_CHANGE else None
    run = world.settle(world.claim_one(), outcome, reason)
    asked = world.run_now(automation, "again")
    assert world.read("unanswered_joins", 10) == [asked.occurrence]
    assert world.verdict(asked.occurrence) is VERDICTS[outcome]
    state = RunState.QUEUED if outcome is Outcome.FAILED_BEFORE_WRITE else run.state
    assert world.run(run.run_id).state is state


def test_a_live_run_asked_for_again_is_busy_and_a_waiting_one_joined(world, automation):
    waiting = world.run_now(automation, "one")
    assert world.verdict(waiting.occurrence) is Verdict.JOINED
    world.claim_one()
    live = world.run_now(automation, "two")
    assert world.verdict(live.occurrence) is Verdict.BUSY


def test_a_failed_run_whose_program_ran_restarts_only_where_it_is_vouched_for(world):
    base = work().agent
    for restart, verdict in ((Restart.PROVEN, Verdict.REVIEW), (Restart.SAFE, Verdict.RESTART)):
        agent = replace(base, restart=restart)
        automation = world.create(timing(), job_key=restart.value, agent=agent)
        asked = world.run_now(automation, "first")
        claimed = world.claim_one()
        for step in (begin, dispatch, end):
            step(world, claimed)
        world.settle(claimed, Outcome.FAILED_BEFORE_WRITE)
        again = world.run_now(automation, "again")
        assert world.verdict(again.occurrence) is verdict
        assert world.run(asked.run_id).state is (
            RunState.QUEUED if restart is Restart.SAFE else RunState.FAILED
        )
        world.work_off()


def test_one_queued_run_goes_when_the_earlier_one_ends(world):
    automation = world.create(timing(HOURLY, window=BY_SLOT, overlap=OverlapQueueOne()))
    world.after(HOUR_US).scan()
    first = world.claim_one()
    for expected in (("queued", "waits_for_earlier", 1), ("skipped", "queue_full", 1)):
        world.after(HOUR_US).scan()
        assert world.answers(automation)[-1] == expected
    world.settle(first)
    world.after(HOUR_US).scan()
    # The waiting run went; this slot's run waits in its place.
    assert world.answers(automation)[-1] == ("queued", "waits_for_earlier", 1)
    assert len(world.claim()) == 1


def test_allowed_runs_go_side_by_side_up_to_their_number(world):
    automation = world.create(timing(HOURLY, window=BY_SLOT, overlap=OverlapAllow(count=2)))
    for expected in (
        ("started", "on_time", 1),
        ("started", "on_time", 1),
        ("refused", "count_limit", 1),
    ):
        world.after(HOUR_US).scan()
        assert world.answers(automation)[-1] == expected
        world.claim()


def test_a_cancelled_predecessor_wedges_nobody(world):
    rule = CatchUpBounded(count=3, age_us_max=30 * DAY_US)
    automation = world.create(timing(HOURLY, window=BY_SLOT, catch_up=rule))
    world.after(3 * HOUR_US + HOUR_US // 2).scan()
    first, second, third = (item.run_id for item in world.occurrences(automation)[-3:])
    cancel(world, second)
    assert world.claim_one().claim.run_id == first
    assert world.promote() == 0
    cancel(world, first)
    world.settle_if_held(first)
    assert world.promote() == 1
    assert world.claim_one().claim.run_id == third
