"""Acceptance cases of edits, pauses and deletions: nothing is re-armed or back-dated, every span is accounted for."""

import pytest

from duly.model.errors import ConflictError, VersionConflictError
from duly.model.instant import MINUTE_US
from duly.model.plan import CatchUpLatest
from duly.model.states import AutomationState, RunState
from duly.model.timing import Covers, CronRule, OnceLocal, Period, RruleRule, WindowRule
from duly.transactions import admit, change_state
from duly.transactions.admit import AdmitDue
from duly.transactions.change_state import ChangeState
from duly.transactions.execute import run_facts
from tests.transactions.world import ZONES, moment, timing

LATEST = CatchUpLatest(age_us_max=None)
NEW_YORK = "America/New_York"


def slots(world, automation):
    return [item.occurrence_key for item in world.occurrences(automation)]


def test_case_a14_an_edit_of_the_prompt_fires_nothing_before_the_next_slot(world):
    automation = world.create(timing(catch_up=LATEST))
    world.at("2026-09-16T09:00").scan()
    world.work_off()
    edited = world.at("2026-09-16T09:01").edit(
        automation, timing(catch_up=LATEST), prompt="other words"
    )
    assert edited.number == 2
    assert world.scan().automations == 0
    assert world.automation(automation).next_due == moment("2026-09-17T09:00")
    world.at("2026-09-17T09:00").scan()
    assert slots(world, automation) == [
        "slot:2026-09-16T09:00:00[UTC]",
        "slot:2026-09-17T09:00:00[UTC]",
    ]


def test_case_a15_a_monthly_rule_moved_to_the_day_before_today_waits_for_next_month(world):
    monthly = WindowRule(period=Period.MONTH, covers=Covers.CURRENT)
    world.at("2026-09-01T00:00")
    automation = world.create(timing(CronRule(text="0 9 10 * *"), window=monthly, catch_up=LATEST))
    world.at("2026-09-10T09:00").scan()
    world.work_off()
    world.at("2026-09-12T12:00").edit(
        automation, timing(CronRule(text="0 9 11 * *"), window=monthly, catch_up=LATEST)
    )
    assert world.scan().automations == 0
    assert world.automation(automation).next_due == moment("2026-10-11T09:00")


def test_case_a16_an_edit_of_the_zone_alone_runs_no_instant_twice(world):
    automation = world.create(timing(CronRule(text="0 9 * * *")))
    world.at("2026-09-16T09:00").scan()
    world.work_off()
    world.edit(automation, timing(CronRule(text="0 17 * * *"), zone="Asia/Shanghai"))
    assert world.scan().automations == 0
    assert world.automation(automation).next_due == moment("2026-09-17T09:00")
    world.at("2026-09-17T09:00").scan()
    assert [item.due_at for item in world.occurrences(automation)] == [
        moment("2026-09-16T09:00"),
        moment("2026-09-17T09:00"),
    ]


def test_case_d07_an_edit_that_names_only_the_prompt_leaves_zone_and_rule_alone(world):
    given = timing(CronRule(text="30 1 * * *"), zone=NEW_YORK)
    automation = world.create(given)
    before = world.read("revision", automation, 1)
    world.edit(automation, given, prompt="other words")
    after = world.read("revision", automation, 2)
    assert after.timing == before.timing
    assert world.automation(automation).next_due == moment("2026-09-16T01:30", NEW_YORK)


def test_case_d11_an_edit_in_the_repeated_hour_back_dates_nothing(world):
    world.at("2026-10-31T12:00")
    automation = world.create(timing(CronRule(text="0 1 * * *"), zone=NEW_YORK, catch_up=LATEST))
    # The second 01:10 of that night: 01:30 was over half an hour ago.
    world.at("2026-11-01T05:00").scan()
    world.work_off()
    world.at("2026-11-01T06:10").edit(
        automation, timing(CronRule(text="30 1 * * *"), zone=NEW_YORK, catch_up=LATEST)
    )
    assert world.scan().automations == 0
    assert world.automation(automation).next_due == moment("2026-11-02T01:30", NEW_YORK)


def test_an_edit_answers_the_old_rules_due_slots_first(world):
    automation = world.create()
    edited = world.at("2026-09-16T09:02").edit(automation, timing(CronRule(text="0 12 * * *")))
    (occurrence,) = world.occurrences(automation)
    assert (occurrence.revision, occurrence.disposition.value) == (1, "started")
    assert edited.automation.next_due == moment("2026-09-16T12:00")
    assert world.pin(occurrence.run_id).revision == 1


def test_an_edit_with_the_same_definition_writes_nothing(world):
    automation = world.create()
    before = world.automation(automation)
    assert world.edit(automation).is_unchanged
    assert world.automation(automation) == before


def test_an_edit_of_a_version_that_has_passed_is_refused(world):
    automation = world.create()
    world.edit(automation, text="first")
    with pytest.raises(VersionConflictError):
        world.edit(automation, text="second", expected_version=1)


def test_case_c03_a_paused_span_is_on_the_ledger_and_nothing_fires_before_the_next_slot(world):
    automation = world.create(timing(CronRule(text="0 23 * * *"), catch_up=LATEST))
    world.at("2026-09-16T10:00").scan()
    world.work_off()
    paused = world.change("pause", automation)
    assert (paused.state, paused.next_due) == (AutomationState.PAUSED, None)
    assert world.at("2026-09-16T23:00").scan().automations == 0
    world.at("2026-09-17T19:26").change("resume", automation)
    assert world.scan().automations == 0
    assert world.automation(automation).next_due == moment("2026-09-17T23:00")
    span = world.occurrences(automation)[-1]
    assert (span.disposition.value, span.reason, span.slot_count) == ("missed", "paused", 1)
    assert span.due_at == moment("2026-09-16T23:00")


def test_a_short_pause_leaves_a_row_without_slots(world):
    automation = world.create()
    world.change("pause", automation)
    world.after(MINUTE_US).change("resume", automation)
    assert world.answers(automation) == [("missed", "paused", 0)]
    span = world.read("occurrence_covering", automation, world.now)
    assert span.reason == "paused"


def test_pausing_twice_and_resuming_twice_change_nothing_more(world):
    automation = world.create()
    assert world.change("pause", automation) == world.change("pause", automation)
    resumed = world.change("resume", automation)
    assert world.change("resume", automation) == resumed
    scope = f"automation:{automation}"
    assert world.audit_kinds(scope).count("automation.pause") == 1


def test_case_c04_a_disabled_once_whose_time_has_passed_is_missed_and_offered(world):
    window = WindowRule(period=Period.SLOT, covers=Covers.CURRENT)
    given = timing(OnceLocal(local="2026-09-16T08:00:00"), window=window, catch_up=LATEST)
    automation = world.create(given, is_enabled=False)
    world.at("2026-09-17T10:00").edit(automation, given, is_enabled=False, text="edited")
    world.edit(automation, given, text="edited")
    assert world.automation(automation).state is AutomationState.ACTIVE
    assert world.scan().runs == 0
    missed = world.occurrences(automation)[0]
    assert (missed.disposition.value, missed.reason, missed.slot_count) == ("missed", "paused", 1)
    (notice,) = world.read("notices", 10)
    assert (notice.kind, '"offer":"run_now"' in notice.body) == ("missed", True)
    answered = world.run_now(automation, "by hand")
    assert world.run(answered.run_id).state is RunState.QUEUED


def test_a_once_created_after_its_time_is_missed_beyond_tolerance_and_runs_within_it(world):
    window = WindowRule(period=Period.SLOT, covers=Covers.CURRENT)
    late = world.create(
        timing(OnceLocal(local="2026-09-15T11:50:00"), window=window), job_key="late"
    )
    on_time = world.create(
        timing(OnceLocal(local="2026-09-15T11:58:00"), window=window), job_key="on-time"
    )
    world.scan()
    assert world.answers(late) == [("missed", "late", 1)]
    assert world.answers(on_time) == [("started", "on_time", 1)]
    assert world.automation(late).next_due is None


def test_case_c08_a_deleted_and_restored_automation_fires_nothing_at_once(world):
    automation = world.create(timing(catch_up=LATEST))
    world.at("2026-09-16T10:00").scan()
    world.work_off()
    world.change("delete", automation)
    with pytest.raises(ConflictError, match="deleted"):
        world.define()
    with pytest.raises(ConflictError):
        world.run_now(automation, "by hand")
    world.at("2026-09-18T10:00").change("restore", automation)
    assert world.scan().automations == 0
    assert world.automation(automation).next_due == moment("2026-09-19T09:00")
    assert world.answers(automation)[-1] == ("missed", "deleted", 2)


def test_an_automation_deleted_while_paused_comes_back_paused(world):
    automation = world.create()
    world.change("pause", automation)
    world.at("2026-09-16T10:00").change("delete", automation)
    world.at("2026-09-17T10:00")
    restored = world.change("restore", automation)
    assert (restored.state, restored.next_due) == (AutomationState.PAUSED, None)
    assert world.answers(automation) == [("missed", "paused", 1), ("missed", "deleted", 1)]


def test_case_h04_a_pause_during_a_tick_holds(world):
    automation = world.create()
    world.at("2026-09-16T09:00")

    def tick_and_pause(tx, _):
        change_state.pause(
            tx,
            ChangeState(
                automation_id=automation,
                actor="ann",
                reason=None,
                zones=ZONES.known,
            ),
        )
        return admit.admit_due(tx, AdmitDue(limit=10, zones=ZONES.known, tzdata=ZONES.version))

    assert world.write(tick_and_pause, None).automations == 0
    paused = world.automation(automation)
    assert (paused.state, paused.next_due) == (AutomationState.PAUSED, None)
    world.at("2026-09-17T09:00").scan()
    assert world.answers(automation) == [("started", "on_time", 1)]
    assert world.automation(automation) == paused


def test_case_h05_a_run_that_edits_and_deletes_its_definition_lives_on_under_the_old_one(world):
    automation = world.create(prompt="first")
    world.at("2026-09-16T09:00").scan()
    claimed = world.claim_one()
    world.edit(automation, prompt="second")
    world.change("delete", automation)

    facts = world.ledger.read(run_facts, claimed.claim.run_id)
    assert (facts.revision.number, facts.work.prompt) == (1, "first")
    assert world.settle(claimed).state is RunState.COMPLETED
    assert len(world.occurrences(automation)) == 1


def test_case_d06_a_local_once_created_in_summer_fires_at_its_local_time_in_winter(world):
    window = WindowRule(period=Period.SLOT, covers=Covers.CURRENT)
    given = timing(OnceLocal(local="2026-12-25T08:00:00"), zone=NEW_YORK, window=window)
    automation = world.create(given)
    assert world.automation(automation).next_due == moment("2026-12-25T13:00")
    world.at("2026-12-25T08:00", NEW_YORK).scan()
    assert world.answers(automation) == [("started", "on_time", 1)]


def test_case_d05_a_day_of_25_hours_has_one_slot(world):
    world.at("2026-10-31T12:00")
    automation = world.create(timing(CronRule(text="10 0 * * *"), zone=NEW_YORK))
    for hour in range(60):
        world.at("2026-10-31T12:10").after(hour * 60 * MINUTE_US).scan()
        world.work_off()
    assert world.started(automation) == ["2026-11-01", "2026-11-02"]


@pytest.mark.parametrize("rule", ["30 1 * * *", "30 2 * * *"])
@pytest.mark.parametrize("start", ["2026-03-07T12:00", "2026-10-31T12:00"])
def test_case_d02_one_run_each_local_day_across_both_transitions(world, rule, start):
    world.at(start)
    automation = world.create(timing(CronRule(text=rule), zone=NEW_YORK))
    for half_hour in range(96):
        world.at(start).after(half_hour * 30 * MINUTE_US).scan()
        world.work_off()
    assert [item.disposition.value for item in world.occurrences(automation)] == ["started"] * 2
    assert len(set(world.started(automation))) == 2


def test_case_d09_a_rule_for_nine_stays_at_nine_though_every_run_starts_late(world):
    world.at("2026-09-15T14:37:22")
    rule = RruleRule(text="FREQ=DAILY;BYHOUR=9", dtstart="2026-09-15T09:00:00")
    automation = world.create(timing(rule))
    for _ in range(365):
        due = world.automation(automation).next_due
        world.now = due
        world.after(30_000_000).scan()
        world.work_off()
    keys = {key[16:] for key in slots(world, automation)}
    assert keys == {"09:00:00[UTC]"}
    assert len(slots(world, automation)) == 365
