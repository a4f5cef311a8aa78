"""Admission and promotion, beyond the acceptance cases."""

import json

import pytest

from duly.model.errors import ConflictError, LedgerFullError, NotFoundError
from duly.model.ids import AutomationId
from duly.model.instant import HOUR_US
from duly.model.states import AutomationState, Disposition, RunState
from duly.model.timing import Covers, CronRule, Period, WindowRule
from duly.transactions import admit
from duly.transactions.admit import AdmitDue
from tests.transactions.world import ZONES, moment, timing

BY_SLOT = WindowRule(period=Period.SLOT, covers=Covers.CURRENT)


def test_a_slot_on_time_makes_one_claimable_run(world):
    automation = world.create()
    assert world.automation(automation).next_due == moment("2026-09-16T09:00")
    world.at("2026-09-16T08:59")
    assert world.scan().automations == 0
    world.at("2026-09-16T09:00")
    admitted = world.scan()
    assert (admitted.automations, admitted.runs, admitted.failed) == (1, 1, 0)
    assert admitted.next_due == moment("2026-09-17T09:00")
    (occurrence,) = world.occurrences(automation)
    assert occurrence.disposition is Disposition.STARTED
    run = world.run(occurrence.run_id)
    assert (run.state, run.claimable_at) == (RunState.QUEUED, world.now)
    assert "ready" in world.wakes


def test_a_run_is_pinned_to_its_window_and_span(world):
    previous = WindowRule(period=Period.DAY, covers=Covers.PREVIOUS)
    automation = world.create(timing(window=previous))
    world.at("2026-09-16T09:00").scan()
    pin = world.pin(world.occurrences(automation)[0].run_id)
    assert pin.window_key == "2026-09-16"
    assert (pin.span_start, pin.span_end) == (
        moment("2026-09-15T00:00"),
        moment("2026-09-16T00:00"),
    )
    assert (pin.slot_key, pin.due_at) == ("2026-09-16T09:00:00[UTC]", world.now)


def test_an_admission_is_audited_with_its_answers_and_both_watermarks(world):
    automation = world.create()
    world.at("2026-09-16T09:00").scan()
    events = world.read("audit_events", f"automation:{automation}", 0, 10)
    assert [event.kind for event in events] == ["automation.created", "slots.answered"]
    body = json.loads(events[-1].body)
    assert (body["from"], body["to"]) == (
        "2026-09-15T12:00:00[UTC]",
        "2026-09-16T09:00:00[UTC]",
    )
    assert [item["disposition"] for item in body["answers"]] == ["started"]


def test_a_scan_stops_at_its_limit_and_says_that_there_is_more(world):
    for number in range(5):
        world.create(timing(), job_key=f"job-{number}")
    world.at("2026-09-16T09:00")
    first = world.admit(limit=3)
    assert 1 <= first.automations <= 3
    assert first.is_more
    assert first.automations + world.scan(limit=3).automations == 5


def test_a_disabled_definition_makes_a_paused_automation_that_an_edit_enables(world):
    automation = world.create(is_enabled=False)
    assert world.automation(automation).state is AutomationState.PAUSED
    world.edit(automation)
    enabled = world.automation(automation)
    assert (enabled.state, enabled.next_due) == (AutomationState.ACTIVE, moment("2026-09-16T09:00"))
    world.edit(automation, is_enabled=False)
    assert world.automation(automation).state is AutomationState.PAUSED


def test_a_persons_pause_outlasts_an_edit(world):
    automation = world.create()
    world.change("pause", automation)
    world.edit(automation, text="edited")
    assert world.automation(automation).state is AutomationState.PAUSED


def test_a_job_key_is_unique_and_never_changes(world):
    automation = world.create()
    with pytest.raises(ConflictError, match="already"):
        world.define(text="another")
    with pytest.raises(ConflictError, match="already"):
        world.define(key="other key")
    with pytest.raises(ConflictError, match="never changes"):
        world.edit(automation, job_key="renamed")
    with pytest.raises(NotFoundError):
        world.edit(AutomationId("a_none"))
    assert world.define().is_replay
    world.edit(automation, text="edited")
    with pytest.raises(ConflictError, match="already"):
        world.define()


def test_a_deleted_automation_is_not_edited(world):
    automation = world.create()
    world.change("delete", automation)
    with pytest.raises(ConflictError, match="deleted"):
        world.edit(automation, text="edited")


def test_only_an_active_automation_is_suspended(world):
    automation = world.create()
    assert world.change("suspend", automation).state is AutomationState.SUSPENDED
    assert world.change("pause", automation).state is AutomationState.PAUSED
    assert world.change("suspend", automation).state is AutomationState.PAUSED


def test_promotion_looks_at_every_waiting_run_whatever_the_page(world):
    made = [
        world.create(timing(CronRule(text="0 * * * *"), window=BY_SLOT), job_key=f"job-{number}")
        for number in range(3)
    ]
    world.after(HOUR_US).scan()
    held = world.claim()
    waiting = [world.run_now(automation, "extra") for automation in made]
    world.settle(held[-1])
    assert world.promote(page=1) == 1
    states = sorted(world.run(item.run_id).state.value for item in waiting)
    assert states == ["created", "created", "queued"]


def test_a_failure_of_the_store_is_no_automations_fault(world):
    automation = world.create()
    world.at("2026-09-16T09:00")

    class Full:
        def __init__(self, tx):
            self.tx = tx

        def __getattr__(self, name):
            return getattr(self.tx, name)

        def record_mark(self, *_):
            raise LedgerFullError("the disk is full")

    with pytest.raises(LedgerFullError):
        world.write(
            lambda tx, command: admit.admit_due(Full(tx), command),
            AdmitDue(limit=10, zones=ZONES.known, tzdata=ZONES.version),
        )
    assert world.automation(automation).state is AutomationState.ACTIVE
    assert world.scan().runs == 1
