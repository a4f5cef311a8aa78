"""One node at work: slots admitted, runs claimed and settled, by the production driver on a real ledger."""

from duly.model.instant import MINUTE_US
from duly.model.states import Disposition, Outcome
from tests.engine.parts import Bench, define, idle


def test_a_due_slot_becomes_a_settled_run(bench: Bench):
    automation_id = define(bench.ledger, "each-five")
    with bench.running(bench.node()) as engine:
        bench.clock.jump(5 * MINUTE_US)
        engine.poke()
        idle(engine)
    (run,) = bench.runs()
    assert run.outcome is Outcome.COMPLETED
    (occurrence,) = bench.occurrences(automation_id)
    assert occurrence.disposition is Disposition.STARTED
    assert occurrence.occurrence_key == "slot:2026-01-01T00:05:00Z"
    assert not bench.deaths
