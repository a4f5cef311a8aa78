"""Acceptance cases A: one run for each work, whoever asks and however often."""

import pytest

from duly.model.errors import (
    ConflictError,
    IdempotencyConflictError,
    LeaseLostError,
    VersionConflictError,
)
from duly.model.instant import MINUTE_US, SECOND_US
from duly.model.plan import CatchUpLatest
from duly.model.reasons import Reason
from duly.model.states import Disposition, Outcome, RunState, Verdict
from duly.model.timing import Covers, CronRule, OnceLocal, Period, WindowRule
from duly.transactions import admit, rescue
from duly.transactions.admit import AdmitDue
from duly.transactions.admit_manual import run_now
from duly.transactions.late import report_late
from duly.transactions.rescue import Rescue
from duly.transactions.settle import late_report_of
from tests.transactions.world import (
    LEASE_US,
    ZONES,
    moment,
    settle_command,
    timing,
)

LATEST = CatchUpLatest(age_us_max=None)


def test_case_a01_a_night_of_restarts_leaves_one_run_for_each_slot(world):
    made = [
        world.create(timing(CronRule(text=f"0 {hour} * * *"), catch_up=LATEST), job_key=f"j{hour}")
        for hour in range(1, 9)
    ]
    world.at("2026-09-16T10:00")
    for _ in range(4):
        world.restart()
        world.after(7 * MINUTE_US).scan()
        world.claim(f"node-{world.now}", limit=2)
    world.ledger.write(rescue.rescue_orphans, "the last one")
    world.work_off()
    for automation in made:
        assert world.answers(automation) == [("started", "caught_up", 1)]
        (run,) = world.read("newest_runs", [automation])
        assert run.state is RunState.COMPLETED


def test_case_a02_a_second_dispatch_meets_the_same_run_and_a_final_state_never_changes(world):
    automation = world.create()
    world.at("2026-09-16T09:00").scan()
    first = world.claim_one()
    assert world.claim("node-2") == []
    world.after(LEASE_US + SECOND_US)
    (silent,) = world.ledger.read(rescue.expired, 10).runs
    command = Rescue(run_id=silent.run_id, version=silent.version, actor="rescuer")
    assert world.write(rescue.rescue, command)
    second = world.claim_one("node-2")
    assert second.claim.run_id == first.claim.run_id
    assert second.claim.fence > first.claim.fence
    world.settle(second)
    with pytest.raises(LeaseLostError):
        world.settle(first, Outcome.FAILED_BEFORE_WRITE)
    assert world.run(first.claim.run_id).state is RunState.COMPLETED
    assert world.scan().runs == 0
    assert world.answers(automation) == [("started", "on_time", 1)]


def test_case_a03_a_restart_half_an_hour_later_runs_nothing_again(world):
    automation = world.create()
    world.at("2026-09-16T09:00").scan()
    world.work_off()
    world.at("2026-09-16T09:30").restart()
    assert world.scan().automations == 0
    assert world.answers(automation) == [("started", "on_time", 1)]


def test_case_a05_the_losing_scan_writes_nothing_and_is_counted(world):
    automation = world.create()
    world.at("2026-09-16T09:00")
    (due,) = world.read("due_automations", 10)
    assert world.scan().runs == 1
    world.after(600_000)
    with pytest.raises(VersionConflictError):
        world.write(lambda tx, _: admit.answer_due(tx, due, ZONES.known), None)
    lost = world.write(_admit_stale, due)
    assert (lost.lost, lost.runs, lost.failed) == (1, 0, 0)
    assert world.answers(automation) == [("started", "on_time", 1)]
    assert world.automation(automation).state.value == "active"


def _admit_stale(tx, due):
    """Admit with the list of due automations that an earlier scan has read."""

    class Stale:
        def __getattr__(self, name):
            return getattr(tx, name)

        def due_automations(self, _limit, **_kind):
            return [due]

    return admit.admit_due(Stale(), AdmitDue(limit=10, zones=ZONES.known, tzdata=ZONES.version))


def test_case_a06_a_run_admitted_before_a_crash_is_claimed_once_after_it(world):
    world.create()
    world.at("2026-09-16T09:00").scan()
    world.restart()
    assert len(world.claim()) == 1
    assert world.claim() == []


def test_case_a07_a_late_scan_and_a_punctual_one_name_the_same_slot(world):
    punctual = world.create(job_key="punctual")
    world.at("2026-09-16T09:00").scan()
    late = world.create(timing(), job_key="late")
    world.at("2026-09-17T09:00")
    world.write(admit.admit_due, AdmitDue(limit=1, zones=ZONES.known, tzdata=ZONES.version))
    world.after(57_001_000)
    world.scan()
    slots = {world.occurrences(item)[-1].occurrence_key for item in (punctual, late)}
    assert slots == {"slot:2026-09-17T09:00:00[UTC]"}
    windows = {world.occurrences(item)[-1].window_key for item in (punctual, late)}
    assert windows == {"2026-09-17"}


def once(local: str) -> object:
    return timing(
        OnceLocal(local=local), window=WindowRule(period=Period.SLOT, covers=Covers.CURRENT)
    )


def test_case_a08_a_run_by_hand_consumes_the_once_in_the_same_transaction(world):
    automation = world.create(once("2026-09-18T23:00:00"))
    answer_ = world.run_now(automation, "now")
    assert answer_.occurrence.disposition is Disposition.STARTED
    assert world.automation(automation).next_due is None
    assert [item.disposition.value for item in world.occurrences(automation)] == [
        "joined",
        "started",
    ]
    world.work_off()
    for step in ("pause", "resume"):
        world.change(step, automation)
    assert world.automation(automation).next_due is None
    world.at("2026-09-18T23:00")
    assert world.scan().runs == 0
    assert world.read("newest_runs", [automation])[0].run_id == answer_.run_id


def test_a_once_whose_recording_fails_keeps_its_slot(world):
    automation = world.create(once("2026-09-18T23:00:00"))

    def failing(tx, _):
        world_command = world.run_command(automation, "now")

        run_now(tx, world_command)
        raise LookupError("the recording fails")

    with pytest.raises(LookupError):
        world.write(failing, None)
    assert world.occurrences(automation) == []
    world.at("2026-09-18T23:00")
    assert world.scan().runs == 1


def test_an_edit_behind_a_consumed_once_may_name_an_earlier_rule(world):
    automation = world.create(once("2026-12-18T23:00:00"))
    world.run_now(automation, "now")
    world.edit(automation, timing(), text="daily now")
    assert world.automation(automation).next_due == moment("2026-09-16T09:00")


def test_case_a11_a_skip_leaves_the_active_run_alone(world):
    automation = world.create()
    world.at("2026-09-16T09:00").scan()
    active = world.claim_one()
    before = world.run(active.claim.run_id)
    world.at("2026-09-17T09:00").scan()
    assert world.answers(automation)[-1] == ("skipped", "overlap", 1)
    assert world.run(active.claim.run_id) == before
    world.settle(active)
    world.at("2026-09-18T09:00").scan()
    assert world.answers(automation)[-1] == ("started", "on_time", 1)


def test_case_a13_a_stale_result_changes_nothing_and_asks_for_review(world):
    automation = world.create()
    world.at("2026-09-16T09:00").scan()
    stale = world.claim_one()
    world.after(LEASE_US + SECOND_US)
    (silent,) = world.ledger.read(rescue.expired, 10).runs
    world.write(
        rescue.rescue, Rescue(run_id=silent.run_id, version=silent.version, actor="rescuer")
    )
    fresh = world.claim_one("node-2")
    before = world.run(stale.claim.run_id)
    with pytest.raises(LeaseLostError):
        world.settle(stale)
    assert world.run(stale.claim.run_id) == before
    world.write(report_late, late_report_of(settle_command(stale)))
    assert world.run(stale.claim.run_id) == before
    (report,) = world.read("late_reports", stale.claim.run_id)
    assert report.fence == stale.claim.fence
    run = world.settle(fresh)
    assert (run.state, run.outcome) == (RunState.BLOCKED, Outcome.NEEDS_REVIEW)
    assert run.reason == Reason.LATE_REPORT.value
    assert [notice.kind for notice in world.read("notices", 10)] == ["needs_review"]
    assert automation == run.automation_id


def test_a_late_report_of_a_failure_before_any_write_is_kept_and_asks_nobody(world):
    world.create()
    world.at("2026-09-16T09:00").scan()
    stale = world.claim_one()
    world.after(LEASE_US + SECOND_US)
    (silent,) = world.ledger.read(rescue.expired, 10).runs
    world.write(
        rescue.rescue, Rescue(run_id=silent.run_id, version=silent.version, actor="rescuer")
    )
    fresh = world.claim_one("node-2")
    command = settle_command(stale, Outcome.FAILED_BEFORE_WRITE)
    world.write(report_late, late_report_of(command))
    assert world.settle(fresh).state is RunState.COMPLETED
    assert world.read("notices", 10) == []


def test_case_a17_a_create_retried_after_a_crash_finds_its_automation(world):
    first = world.define(key="k1")
    world.restart()
    again = world.define(key="k1")
    assert again.automation == first.automation
    assert (first.is_replay, again.is_replay) == (False, True)
    with pytest.raises(IdempotencyConflictError):
        world.define(key="k1", text="another body")
    assert len(world.read("automations", "default", "", 10)) == 1


def test_case_a18_a_manual_run_for_a_window_that_ran_resolves_to_the_same_run(world):
    automation = world.create()
    world.at("2026-09-16T09:00").scan()
    world.work_off()
    answered = world.at("2026-09-16T10:00").run_now(automation, "again")
    assert answered.occurrence.disposition is Disposition.JOINED
    assert answered.run_id == world.occurrences(automation)[0].run_id
    assert world.verdict(answered.occurrence) is Verdict.REUSE
    assert world.claim() == []


def test_case_a19_two_keys_for_one_window_at_once_point_to_one_run(world):
    automation = world.create()
    first = world.run_now(automation, "one")
    second = world.run_now(automation, "two")
    assert first.run_id == second.run_id
    assert (first.occurrence.disposition, second.occurrence.disposition) == (
        Disposition.STARTED,
        Disposition.JOINED,
    )
    assert len(world.claim()) == 1


def test_the_same_key_gets_the_same_answer_for_ever(world):
    automation = world.create()
    first = world.run_now(automation, "one")
    world.work_off()
    again = world.at("2026-10-16T10:00").run_now(automation, "one")
    assert again.is_replay
    assert (again.occurrence, again.run_id) == (first.occurrence, first.run_id)


def test_case_a23_a_once_of_friday_run_by_hand_on_saturday_is_the_same_work(world):
    automation = world.create(once("2026-09-18T23:00:00"))
    world.at("2026-09-18T23:00").scan()
    world.work_off()
    answered = world.at("2026-09-19T00:05").run_now(automation, "again")
    assert answered.occurrence.disposition is Disposition.JOINED
    assert world.verdict(answered.occurrence) is Verdict.REUSE
    assert len(world.read("runs_of_window", automation, answered.occurrence.window_key)) == 1


def test_case_a24_a_path_that_another_automation_publishes_is_refused(world):
    world.create(job_key="one", paths=("/srv/latest.md",))
    with pytest.raises(ConflictError, match="'one'"):
        world.create(job_key="two", paths=("/srv/other.md", "/srv/latest.md"))
    assert world.read("automation_named", "default", "two") is None
    two = world.create(job_key="two", paths=("/srv/other.md",))
    with pytest.raises(ConflictError):
        world.edit(two, job_key="two", text="edited", paths=("/srv/latest.md",))
    assert world.automation(two).revision == 1


def test_a_deleted_automation_frees_its_paths_and_wants_them_back(world):
    one = world.create(job_key="one", paths=("/srv/latest.md",))
    world.change("delete", one)
    two = world.create(job_key="two", paths=("/srv/latest.md",))
    with pytest.raises(ConflictError, match="'two'"):
        world.change("restore", one, paths=("/srv/latest.md",))
    world.change("delete", two)
    assert world.change("restore", one, paths=("/srv/latest.md",)).state.value == "active"


def test_case_a26_a_second_slot_a_day_keeps_the_window_and_yesterday_stays_done(world):
    automation = world.create()
    world.at("2026-09-16T09:00").scan()
    world.work_off()
    world.at("2026-09-16T12:00").edit(automation, timing(CronRule(text="0 9,18 * * *")))
    world.at("2026-09-17T10:00")
    answered = world.run_now(automation, "yesterday", window="2026-09-16")
    assert answered.occurrence.disposition is Disposition.JOINED
    assert world.pin(answered.run_id).slot_key == "2026-09-16T09:00:00[UTC]"


def test_a_second_slot_of_the_same_window_joins_the_first_ones_run(world):
    world.at("2026-09-15T20:00")
    automation = world.create(timing(CronRule(text="0 9,18 * * *")))
    world.at("2026-09-16T09:00").scan()
    world.work_off()
    world.at("2026-09-16T18:00").scan()
    assert world.answers(automation) == [("started", "on_time", 1), ("joined", "same_work", 1)]
