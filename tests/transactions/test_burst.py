"""A burst writes what its automations would have written one by one."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from duly.model.instant import MINUTE_US
from duly.model.states import AutomationState, Disposition
from duly.model.timing import CronRule, OnceLocal, RruleRule
from duly.transactions.burst import alike
from duly.transactions.due import Foresee, foresee
from tests.transactions.world import ZONES, World, moment, timing

NAMES = [f"report-{number}" for number in range(7)]
ONE, MANY = 1, 200


def dump(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table of a ledger."""
    db = apsw.Connection(str(path))
    try:
        names = [
            name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")
        ]
        return {name: sorted(db.execute(f"select * from {name}"), key=repr) for name in names}
    finally:
        db.close()


def mixed(world: World) -> None:
    """Define automations that share a rule and some that do not, with runs of days before in different states."""
    for name in NAMES:
        world.create(job_key=name)
    world.create(timing(window=timing().window, priority=3), job_key="first")
    world.create(timing(queue_us_max=MINUTE_US), job_key="impatient")
    world.create(timing(OnceLocal(local="2026-09-16T09:00:00")), job_key="once")
    edited = world.create(job_key="edited")
    world.edit(edited, text="anew", job_key="edited")
    paused = world.create(job_key="paused")
    world.change("pause", paused)


def answered(path: Path, limit: int, days: list[str]) -> dict[str, list[tuple[Any, ...]]]:
    """Answer days by admissions of at most `limit` automations each, and return the ledger."""
    world = World(path)
    mixed(world)
    busy = world.automation_named(NAMES[3])
    world.run_now(world.automation_named(NAMES[5]), "by hand")
    for day in days:
        world.at(day)
        world.scan(limit)
        world.promote()
        # All but one get their work done; that one stands in its own way from the second day on.
        for claimed in world.claim(limit=100):
            if claimed.automation_id != busy:
                world.settle(claimed)
    world.ledger.close()
    return dump(path)


@pytest.mark.parametrize(
    "days",
    [
        ["2026-09-15T12:30", "2026-09-16T09:00", "2026-09-17T09:00", "2026-09-18T09:04"],
        ["2026-09-16T09:00", "2026-09-20T09:01", "2026-09-20T12:00", "2026-09-22T08:00"],
    ],
)
def test_a_burst_leaves_what_one_admission_each_leaves(tmp_path, days):
    apart = answered(tmp_path / "apart.db", ONE, days)
    together = answered(tmp_path / "together.db", MANY, days)
    assert len(apart["occurrence"]) > 20
    for table, rows in apart.items():
        assert together[table] == rows, table


def test_a_window_that_has_a_run_is_joined_and_the_others_of_the_burst_start(world):
    automations = [world.create(job_key=name) for name in NAMES]
    world.at("2026-09-16T08:00").run_now(automations[4], "early", input_version="2")
    world.work_off()
    world.at("2026-09-16T09:00")
    admitted = world.scan()
    assert (admitted.automations, admitted.runs) == (7, 6)
    kinds = {a: o.disposition for a in automations for o in world.occurrences(a) if o.due_at}
    joined = {automations[4]: Disposition.JOINED}
    assert kinds == dict.fromkeys(automations, Disposition.STARTED) | joined


def test_one_that_fails_in_a_burst_is_suspended_alone(world):
    automations = [world.create(job_key=name) for name in NAMES]
    lost = world.create(timing(zone="Asia/Taipei", rule=CronRule(text="0 17 * * *")), job_key="x")
    known = {name: zone for name, zone in ZONES.known.items() if name != "Asia/Taipei"}
    world.at("2026-09-16T09:00")
    admitted = world.scan(known=known)
    assert (admitted.automations, admitted.runs, admitted.failed) == (8, 7, 1)
    assert world.automation(lost).state is AutomationState.SUSPENDED
    assert all(world.answers(one) == [("started", "on_time", 1)] for one in automations)


def test_what_is_alike_shares_rule_slot_revision_and_workspace(world):
    for name in NAMES:
        world.create(job_key=name)
    world.after(MINUTE_US).create(job_key="later")
    world.create(timing(priority=1), job_key="other")
    world.at("2026-09-16T09:00")
    page = world.read("due_automations", 50)
    groups = [len(dues) for _, dues in alike(page, ZONES.known, world.now)]
    assert sorted(groups) == [1, 8]


def test_timings_that_write_the_same_are_alike_whatever_else_they_say(world):
    for day in range(1, 8):
        began = timing(RruleRule(text="FREQ=DAILY;BYHOUR=9", dtstart=f"2026-09-0{day}T09:00:00"))
        world.create(began, job_key=f"since-{day}")
    world.create(timing(priority=1), job_key="urgent")
    world.at("2026-09-16T09:00")
    groups = alike(world.read("due_automations", 50), ZONES.known, world.now)
    assert sorted(len(dues) for _, dues in groups) == [1, 7]
    assert world.scan().runs == 8


def test_a_look_ahead_goes_through_what_will_be_due_page_by_page_and_changes_nothing(world):
    names = sorted(world.create(job_key=name) for name in NAMES)
    world.create(timing(zone="Asia/Taipei", rule=CronRule(text="0 17 * * *")), job_key="unknown")
    world.create(timing(CronRule(text="0 10 * * *")), job_key="later")
    known = {"UTC": ZONES["UTC"]}
    before, after, seen = dump(world.path), (world.now, ""), []
    while True:
        command = Foresee(by=moment("2026-09-16T09:00"), after=after, limit=3, zones=known)
        found = world.ledger.read(foresee, command)
        if not found.is_more:
            break
        after = found.after
        seen.append(after)
    assert len(seen) == 2 and seen[0][1] in names
    assert found.after[0] == moment("2026-09-16T09:00")
    assert dump(world.path) == before
