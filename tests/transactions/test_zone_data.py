"""Zone data that changes: wall slots move with it, elapsed ones stay, and older data answers nothing by wall time."""

from dataclasses import replace

import pytest

from duly.model.ids import AutomationId
from duly.model.states import AutomationState
from duly.model.timing import CronRule
from duly.transactions import zone_data
from duly.transactions.admit import AdmitDue, admit_due
from duly.transactions.retime import Retime, retime
from duly.transactions.zone_data import Adopt, ZoneDataOlderError
from tests.transactions.world import ZONES, World, moment, timing

NINE = CronRule(text="0 9 * * *")
HALF_HOURS = CronRule(text="*/30 * * * *")
OLD, NEW = "2025a", "2025b"
TAIPEI = "Asia/Taipei"


def release(version: str, clocks_of: str = TAIPEI, without: str | None = None):
    """Return the zones of a release in which Taipei keeps the clocks of another place."""
    zones = {name: replace(ZONES[name], version=version) for name in ("UTC", TAIPEI)}
    zones[TAIPEI] = replace(zones[TAIPEI], info=ZONES[clocks_of].info, blocks={})
    return {name: zone for name, zone in zones.items() if name != without}


def adopt(world: World, version: str, zones) -> int:
    """Let a node with a release start; return how many automations had to be changed."""
    if not world.write(zone_data.adopt, Adopt(version=version, actor="node:n")):
        return 0
    command = Retime(version=version, zones=zones, actor="node:n", after=AutomationId(""))
    changed = 0
    while True:
        retimed = world.write(retime, command)
        changed += retimed.changed
        if not retimed.is_more:
            return changed
        command = replace(command, after=retimed.after)


def kinds(world: World, automation: str) -> list[str]:
    """Return what the audit says of an automation."""
    events = world.ledger.read(
        lambda tx, _: tx.audit_events(f"automation:{automation}", 0, 99), None
    )
    return [event.kind for event in events]


@pytest.fixture
def old(world: World) -> World:
    """A world whose ledger goes by the older release."""
    assert adopt(world, OLD, release(OLD)) == 0
    return world


def test_wall_slots_move_to_where_newer_data_puts_them_and_elapsed_ones_stay(old: World):
    wall = old.create(timing(NINE, TAIPEI), job_key="wall")
    elapsed = old.create(timing(HALF_HOURS, TAIPEI), job_key="elapsed")
    before = old.automation(elapsed)
    assert old.automation(wall).next_due == moment("2026-09-16T09:00", TAIPEI)
    assert adopt(old, NEW, release(NEW, "UTC")) == 1
    assert old.automation(wall).next_due == moment("2026-09-16T09:00")
    assert old.automation(elapsed) == before
    assert kinds(old, wall)[-1] == "automation.retimed"
    assert adopt(old, NEW, release(NEW, "UTC")) == 0


def test_what_did_not_move_is_not_written(old: World):
    wall = old.create(timing(NINE, TAIPEI))
    before = old.automation(wall)
    assert adopt(old, NEW, release(NEW)) == 0
    assert old.automation(wall) == before


def test_an_answered_wall_slot_is_not_answered_again_at_its_new_instant(old: World):
    wall = old.create(timing(NINE, TAIPEI))
    old.at("2026-09-16T09:00", TAIPEI).write(
        admit_due, AdmitDue(limit=9, zones=release(OLD), tzdata=OLD)
    )
    assert old.answers(wall) == [("started", "on_time", 1)]
    adopt(old, NEW, release(NEW, "UTC"))
    assert old.automation(wall).next_due == moment("2026-09-17T09:00")


def test_many_are_looked_at_in_several_transactions_and_a_crash_between_them_loses_nothing(
    old: World,
):
    names = [old.create(timing(NINE, TAIPEI), job_key=f"a{number}") for number in range(205)]
    newer = release(NEW, "UTC")
    assert old.write(zone_data.adopt, Adopt(version=NEW, actor="node:n"))
    first = Retime(version=NEW, zones=newer, actor="node:n", after=AutomationId(""))
    done = old.write(retime, first)
    assert done.is_more and 0 < done.changed < len(names)
    old.restart()
    assert adopt(old, NEW, newer) == len(names) - done.changed
    assert {old.automation(name).next_due for name in names} == {moment("2026-09-16T09:00")}
    assert all(kinds(old, name).count("automation.retimed") == 1 for name in names)


def test_a_node_with_older_data_answers_elapsed_slots_only(old: World):
    wall = old.create(timing(NINE, TAIPEI), job_key="wall")
    elapsed = old.create(timing(HALF_HOURS, TAIPEI), job_key="elapsed")
    adopt(old, NEW, release(NEW))
    assert adopt(old, OLD, release(OLD)) == 0
    old.at("2026-09-16T09:00", TAIPEI)
    done = old.write(admit_due, AdmitDue(limit=9, zones=release(OLD), tzdata=OLD))
    assert done.next_due is not None and done.next_due > old.now
    assert old.answers(wall) == [] and old.answers(elapsed) != []
    old.write(admit_due, AdmitDue(limit=9, zones=release(NEW), tzdata=NEW))
    assert old.answers(wall) == [("started", "on_time", 1)]


def test_people_are_told_where_older_data_would_read_wall_times(old: World):
    wall = old.create(timing(NINE, TAIPEI))
    old.write(zone_data.adopt, Adopt(version="9999z", actor="node:n"))
    for ask in (
        lambda: old.run_now(wall, "k"),
        lambda: old.edit(wall, timing(CronRule(text="0 10 * * *"), TAIPEI)),
        lambda: old.create(timing(NINE, TAIPEI), job_key="another"),
        lambda: old.at("2026-09-17T10:00").change("pause", wall),
    ):
        with pytest.raises(ZoneDataOlderError, match="9999z"):
            ask()
    assert old.answers(wall) == []


def test_a_zone_that_disappears_stops_its_automation_alone_until_it_is_back(old: World):
    gone = old.create(timing(NINE, TAIPEI), job_key="gone")
    other = old.create(timing(NINE, "UTC"), job_key="other")
    assert adopt(old, NEW, release(NEW, without=TAIPEI)) == 1
    assert old.automation(gone).state is AutomationState.SUSPENDED
    assert old.automation(gone).state_reason == "zone_unknown"
    assert old.automation(other).state is AutomationState.ACTIVE
    old.at("2026-09-18T12:00", TAIPEI)
    assert adopt(old, "2025c", release("2025c")) == 1
    back = old.automation(gone)
    assert (back.state, back.next_due) == (
        AutomationState.ACTIVE,
        moment("2026-09-19T09:00", TAIPEI),
    )
    assert ("missed", "suspended", 3) in old.answers(gone)
