"""Acceptance cases of outages: what was missed, what is caught up, and that every slot has its answer."""

import json
from dataclasses import replace

import pytest

from duly.model.instant import DAY_US, HOUR_US, MINUTE_US
from duly.model.plan import (
    CatchUpBounded,
    CatchUpLatest,
    CatchUpNone,
    OverlapAllow,
    OverlapQueueOne,
    OverlapSkip,
)
from duly.model.states import Outcome, RunState
from duly.model.timing import Covers, CronRule, Period, WindowRule
from duly.transactions import define
from duly.transactions.define import Edit
from duly.transactions.rescue import rescue_orphans
from tests.transactions.world import ZONES, moment, timing

LATEST = CatchUpLatest(age_us_max=None)
BY_SLOT = WindowRule(period=Period.SLOT, covers=Covers.CURRENT)
HOURLY = CronRule(text="0 * * * *")
HOURLY_BY_WALL = CronRule(text="0 0-23 * * *")


def test_case_b01_listing_changes_nothing_and_the_next_scan_answers(world):
    automation = world.create()
    world.at("2026-09-16T09:03")
    before = world.automation(automation)
    assert world.read("automations", "default", "", 10) == [before]
    assert world.occurrences(automation) == []
    world.scan()
    assert world.answers(automation) == [("started", "on_time", 1)]


def test_case_b02_an_outage_is_one_range_row_and_no_run(world):
    world.at("2026-09-15T07:30")
    automation = world.create(timing(HOURLY, window=BY_SLOT))
    world.scan()
    world.at("2026-09-15T20:30").scan()
    (span,) = world.occurrences(automation)
    assert (span.disposition.value, span.reason, span.slot_count) == ("missed", "late", 13)
    assert span.occurrence_key == "slot:2026-09-15T08:00:00Z"
    assert (span.due_at, span.last_due_at) == (
        moment("2026-09-15T08:00"),
        moment("2026-09-15T20:00"),
    )
    assert world.read("newest_runs", [automation]) == []
    assert [notice.kind for notice in world.read("notices", 10)] == ["missed"]


def test_case_b03_a_caught_up_run_whose_start_failed_is_dispatched_again(world):
    automation = world.create(timing(catch_up=LATEST))
    world.at("2026-09-16T10:00").scan()
    assert world.answers(automation) == [("started", "caught_up", 1)]
    first = world.claim_one("node-1")
    world.restart()
    assert world.write(rescue_orphans, "node-2") == 1
    again = world.claim_one("node-2")
    assert (again.claim.run_id, again.attempts) == (first.claim.run_id, 2)
    assert world.run(first.claim.run_id).state is RunState.COLLECTING


def test_case_c01_an_outage_over_three_rules_makes_one_caught_up_run_each(world):
    keys = {"a": "0 9 * * *", "b": "0 13 * * *", "c": "0 18 * * *"}
    made = [
        world.create(timing(CronRule(text=rule), catch_up=LATEST), job_key=key)
        for key, rule in keys.items()
    ]
    world.at("2026-09-17T06:26").scan()
    for automation in made:
        assert world.answers(automation)[-1] == ("started", "caught_up", 1)
    claimed = world.claim()
    assert len(claimed) == 3
    assert all(world.run(item.claim.run_id).is_caught_up for item in claimed)


def test_case_c02_only_real_slots_are_proposed(world):
    automation = world.create(timing(CronRule(text="0 9 * * 1-5"), catch_up=LATEST))
    world.at("2026-09-19T00:15").scan()  # a Saturday
    caught_up = world.occurrences(automation)[-1]
    assert caught_up.occurrence_key == "slot:2026-09-18T09:00:00[UTC]"
    assert world.automation(automation).next_due == moment("2026-09-21T09:00")


def test_a_friday_that_was_answered_is_not_proposed_on_saturday(world):
    automation = world.create(timing(CronRule(text="0 9 * * 1-5"), catch_up=LATEST))
    for day in (16, 17, 18):
        world.at(f"2026-09-{day}T09:00").scan()
        world.work_off()
    assert world.at("2026-09-19T00:15").scan().automations == 0
    assert world.answers(automation)[-1] == ("started", "on_time", 1)


def test_case_c05_bounded_catch_up_is_a_chain_oldest_first_behind_a_range(world):
    rule = CatchUpBounded(count=3, age_us_max=30 * DAY_US)
    automation = world.create(timing(HOURLY, window=BY_SLOT, catch_up=rule))
    world.after(10 * HOUR_US + 30 * MINUTE_US).scan()
    assert world.answers(automation) == [
        ("missed", "catch_up_count", 7),
        ("started", "caught_up", 1),
        ("queued", "chained", 1),
        ("queued", "chained", 1),
    ]
    order = [item.run_id for item in world.occurrences(automation)[1:]]
    done = []
    for number in range(3):
        claimed = world.claim_one()
        done.append(claimed.claim.run_id)
        # Each takes longer than a period; slots on time are skipped meanwhile.
        world.after(HOUR_US)
        world.scan()
        assert world.claim() == []
        world.settle(claimed)
        assert world.promote() == (number < 2)
    assert done == order
    later = [answer for answer in world.answers(automation)[4:] if answer[0] == "skipped"]
    assert later == [("skipped", "overlap", 1)] * len(later)


def test_case_c06_catch_up_cannot_be_unbounded():
    with pytest.raises(TypeError):
        CatchUpBounded(count=3)


def test_case_c07_only_slots_inside_the_bounds_count(world):
    automation = world.create(
        timing(
            catch_up=LATEST,
            valid_from=moment("2026-09-17T00:00"),
            valid_until=moment("2026-09-18T23:00"),
        )
    )
    assert world.automation(automation).next_due == moment("2026-09-17T09:00")
    world.at("2026-09-25T12:00").scan()
    assert world.answers(automation) == [
        ("missed", "catch_up_count", 1),
        ("started", "caught_up", 1),
    ]
    last = world.occurrences(automation)[-1]
    assert last.occurrence_key == "slot:2026-09-18T09:00:00[UTC]"
    assert world.automation(automation).next_due is None


def test_case_e09_a_run_that_needs_review_does_not_stop_the_next_slot(world):
    automation = world.create()
    world.at("2026-09-16T09:00").scan()
    world.settle(world.claim_one(), Outcome.NEEDS_REVIEW)
    world.at("2026-09-17T09:00").scan()
    assert world.answers(automation)[-1] == ("started", "on_time", 1)


def test_lateness_is_recorded_with_the_answer(world):
    automation = world.create()
    world.at("2026-09-16T09:00").after(57_001_000).scan()
    scope = f"automation:{automation}"
    events = world.read("audit_events", scope, 0, 100)
    (answered,) = [event for event in events if event.kind == "slots.answered"]
    assert json.loads(answered.body)["answers"][0]["late_us"] == 57_001_000


def test_a_zone_that_is_gone_suspends_its_automation_alone(world):
    lost = world.create(timing(zone="Asia/Taipei"), job_key="lost")
    kept = world.create(timing(), job_key="kept")
    world.at("2026-09-16T09:00")
    zones = {"UTC": ZONES["UTC"]}
    admitted = world.scan(known=zones)
    assert (admitted.failed, admitted.runs) == (1, 1)
    suspended = world.automation(lost)
    assert (suspended.state.value, suspended.state_reason) == ("suspended", "zone_unknown")
    assert world.answers(kept) == [("started", "on_time", 1)]
    assert [notice.kind for notice in world.read("notices", 10)] == ["suspended"]
    resumed = world.change("resume", lost)
    assert resumed.next_due == moment("2026-09-17T01:00")
    assert world.answers(lost) == [("missed", "suspended", 1)]


def test_a_suspended_automation_is_repaired_by_an_edit_though_its_old_zone_is_gone(world):
    automation = world.create(timing(zone="Asia/Taipei"))
    world.at("2026-09-16T09:00")
    zones = {"UTC": ZONES["UTC"]}
    world.scan(known=zones)

    definition = replace(world.definition(timing(), text="repaired"), zones=zones)
    world.write(
        define.edit, Edit(automation_id=automation, expected_version=None, definition=definition)
    )
    assert world.change("resume", automation).next_due == moment("2026-09-17T09:00")


OVERLAPS = {
    "skip": OverlapSkip(),
    "queue_one": OverlapQueueOne(),
    "allow": OverlapAllow(count=2),
}
CATCH_UPS = {
    "none": CatchUpNone(),
    "latest": LATEST,
    "bounded": CatchUpBounded(count=2, age_us_max=30 * DAY_US),
}
MISSED_4 = [("missed", "late", 4)]
MISSED_3 = [("missed", "catch_up_count", 3)]
MISSED_2 = [("missed", "catch_up_count", 2)]
SKIPPED = ("skipped", "overlap", 1)
STARTED = ("started", "on_time", 1)
CAUGHT_UP = ("started", "caught_up", 1)
WAITING = ("queued", "waits_for_earlier", 1)
CHAINED = ("queued", "chained", 1)
FULL = ("skipped", "queue_full", 1)
REFUSED = ("refused", "count_limit", 1)

# Nobody works for four slots, then a fifth is on time: with nothing live before, and with one live run before.
MATRIX = {
    ("skip", "none", False): [*MISSED_4, STARTED],
    ("skip", "none", True): [*MISSED_4, SKIPPED],
    ("skip", "latest", False): [*MISSED_3, CAUGHT_UP, SKIPPED],
    ("skip", "latest", True): [*MISSED_3, SKIPPED, SKIPPED],
    ("skip", "bounded", False): [*MISSED_2, CAUGHT_UP, CHAINED, SKIPPED],
    ("skip", "bounded", True): [*MISSED_2, SKIPPED, SKIPPED, SKIPPED],
    ("queue_one", "none", False): [*MISSED_4, STARTED],
    ("queue_one", "none", True): [*MISSED_4, WAITING],
    ("queue_one", "latest", False): [*MISSED_3, CAUGHT_UP, WAITING],
    ("queue_one", "latest", True): [*MISSED_3, WAITING, FULL],
    ("queue_one", "bounded", False): [*MISSED_2, CAUGHT_UP, CHAINED, FULL],
    ("queue_one", "bounded", True): [*MISSED_2, WAITING, CHAINED, FULL],
    ("allow", "none", False): [*MISSED_4, STARTED],
    ("allow", "none", True): [*MISSED_4, STARTED],
    ("allow", "latest", False): [*MISSED_3, CAUGHT_UP, STARTED],
    ("allow", "latest", True): [*MISSED_3, CAUGHT_UP, REFUSED],
    ("allow", "bounded", False): [*MISSED_2, CAUGHT_UP, CHAINED, STARTED],
    ("allow", "bounded", True): [*MISSED_2, CAUGHT_UP, CHAINED, REFUSED],
}


@pytest.mark.parametrize(("overlap", "catch_up", "is_busy"), MATRIX)
def test_overlap_and_catch_up_answer_missed_and_overlapping_slots(
    world, overlap, catch_up, is_busy
):
    given = timing(HOURLY, window=BY_SLOT, overlap=OVERLAPS[overlap], catch_up=CATCH_UPS[catch_up])
    automation = world.create(given)
    before = 0
    if is_busy:
        world.after(HOUR_US).scan()
        world.claim_one()
        before = 1
    world.after(5 * HOUR_US).scan()
    assert world.answers(automation)[before:] == MATRIX[overlap, catch_up, is_busy]
    made = [answer for answer in MATRIX[overlap, catch_up, is_busy] if answer[0] in MAKING]
    assert len(world.started(automation)) == before + len(made)


MAKING = ("started", "queued")
