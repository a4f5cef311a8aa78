"""Admission: slots, windows, watermarks."""

from duly.model.states import Disposition, RunState
from tests.transactions.world import World, moment


def test_a_slot_on_time_makes_one_claimable_run(world: World):
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
