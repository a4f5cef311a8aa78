"""Acceptance cases about slots, outages and clocks, told by a whole node on a real ledger."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

from duly.adapters.zones import Zones
from duly.engine.node import Node
from duly.engine.requests import Write, now, surely
from duly.engine.service import SERVICES
from duly.model.instant import HOUR_US, MINUTE_US, SECOND_US
from duly.model.plan import CatchUpLatest
from duly.model.run import ClaimedRun
from duly.model.states import Disposition, Outcome
from duly.model.timing import AnchorClass, CronRule
from duly.transactions.change_state import ChangeState, pause
from duly.transactions.settle import settle
from tests.engine.parts import TIMING, Away, Bench, completed, define, gated, idle, soon


def audit_kinds(bench: Bench, scope: str) -> list[str]:
    return [event.kind for event in bench.read(lambda tx: tx.audit_events(scope, 0, 1000))]


def dispositions(bench: Bench, automation_id: str) -> list[tuple[Disposition, int]]:
    return [(one.disposition, one.slot_count) for one in bench.occurrences(automation_id)]


def test_case_a05_two_scanners_answer_a_slot_once_and_the_loser_is_counted(bench: Bench):
    automation_id = define(bench.ledger, "each-five")
    scanners = [replace(SERVICES[1], name=name) for name in ("scanner one", "scanner two")]
    assert SERVICES[1].name == "scanner"
    with bench.running(bench.node(), services=(*scanners, SERVICES[2])) as engine:
        for _ in range(4):
            bench.clock.jump(5 * MINUTE_US)
            engine.poke()
            idle(engine)
        health = engine.health()
    assert dispositions(bench, automation_id) == [(Disposition.STARTED, 1)] * 4
    assert len(bench.runs()) == 4
    # One writer at a time: on SQLite the second scanner reads what the first committed, and loses nothing.
    assert health.lost_admissions == 0


def test_case_b08_a_slot_that_is_due_while_draining_waits_for_the_restart(bench: Bench):
    automation_id = define(bench.ledger, "each-five")
    with bench.running(bench.node()) as engine:
        idle(engine)
        assert engine.drain(5 * SECOND_US)
        bench.clock.jump(5 * MINUTE_US)
        engine.poke()
    assert bench.occurrences(automation_id) == []
    bench.clock.jump(MINUTE_US)
    with bench.running(bench.node()) as engine:
        idle(engine)
    assert dispositions(bench, automation_id) == [(Disposition.STARTED, 1)]
    assert [run.outcome for run in bench.runs()] == [Outcome.COMPLETED]


def test_case_b05_a_slot_fires_late_after_the_ledger_was_away(bench: Bench):
    automation_id = define(bench.ledger, "each-five")
    ledger = Away(bench.ledger)
    bench.settings = replace(bench.settings, scan_wake_us_max=MINUTE_US)
    with bench.running(bench.node(), ledger=ledger) as engine:
        idle(engine)
        ledger.go_away()
        bench.clock.jump(5 * MINUTE_US)
        engine.poke()
        ledger.refused_twice.wait(20)
        assert bench.occurrences(automation_id) == []
        bench.clock.jump(MINUTE_US)
        ledger.is_away = False
        engine.poke()
        idle(engine)
    (occurrence,) = bench.occurrences(automation_id)
    assert occurrence.disposition is Disposition.STARTED
    assert MINUTE_US <= occurrence.at - occurrence.due_at < 5 * MINUTE_US
    assert not bench.deaths
    assert not bench.verdicts


def test_case_b09_a_suspend_is_an_outage_and_expires_no_lease(bench: Bench):
    hourly = define(bench.ledger, "hourly", replace(TIMING, rule=CronRule(text="0 * * * *")))
    define(bench.ledger, "each-five")
    with bench.running(bench.node(gated())) as engine:
        bench.clock.jump(5 * MINUTE_US)
        engine.poke()
        soon(engine, lambda tx: tx.next_expiry_at() is not None)
        bench.clock.suspend(3 * HOUR_US - 4 * MINUTE_US)
        engine.poke()
        soon(engine, lambda tx: "clock.suspend" in kinds(tx, "node"))
        soon(engine, lambda tx: tx.next_expiry_at() > tx.at)
        soon(engine, lambda tx: bool(tx.occurrences(hourly, tx.at, 9)))
        (run, *_) = bench.runs()
        assert (run.attempts, run.outcome) == (1, None)
        bench.gate().set()
        idle(engine)
    assert dispositions(bench, hourly) == [(Disposition.MISSED, 2), (Disposition.STARTED, 1)]
    assert bench.runs()[0].outcome is Outcome.COMPLETED
    assert all(run.attempts == 1 for run in bench.runs())


def kinds(tx: Any, scope: str) -> list[str]:
    return [event.kind for event in tx.audit_events(scope, 0, 1000)]


def test_case_b10_a_clock_set_back_and_forward_fires_nothing_twice(bench: Bench):
    automation_id = define(bench.ledger, "each-five")
    with bench.running(bench.node()) as engine:
        bench.clock.jump(5 * MINUTE_US)
        engine.poke()
        idle(engine)
        bench.clock.step(-HOUR_US)
        engine.poke()
        soon(engine, lambda tx: kinds(tx, "node").count("clock.step") == 1)
        idle(engine)
        assert len(bench.runs()) == 1
        bench.clock.step(HOUR_US)
        engine.poke()
        soon(engine, lambda tx: kinds(tx, "node").count("clock.step") == 2)
        idle(engine)
        assert len(bench.runs()) == 1
        bench.clock.jump(5 * MINUTE_US)
        engine.poke()
        idle(engine)
    keys = [one.occurrence_key for one in bench.occurrences(automation_id)]
    assert keys == ["slot:2026-01-01T00:05:00Z", "slot:2026-01-01T00:10:00Z"]
    (step, back) = [
        json.loads(event.body)
        for event in bench.read(lambda tx: tx.audit_events("node", 0, 1000))
        if event.kind == "clock.step"
    ]
    assert abs(step["wall_us"] - step["elapsed_us"] + HOUR_US) < SECOND_US
    assert abs(back["wall_us"] - back["elapsed_us"] - HOUR_US) < SECOND_US


def test_case_c01_caught_up_runs_start_at_the_start_rate(bench: Bench):
    every_us = 150_000
    bench.settings = replace(bench.settings, start_every_us=every_us, limit=8)
    for hour in (9, 13, 18):
        rule = CronRule(text=f"0 {hour} * * *")
        define(
            bench.ledger,
            f"at-{hour}",
            replace(
                TIMING,
                rule=rule,
                anchor=AnchorClass.WALL,
                catch_up=CatchUpLatest(age_us_max=None),
            ),
        )
    bench.clock.jump(30 * HOUR_US + 26 * MINUTE_US)
    started: list[int] = []

    def runner(node: Node, claimed: ClaimedRun) -> Any:
        started.append((yield from now()).awake_us)
        yield from surely(Write(settle, completed(claimed)))

    with bench.running(bench.node(runner)) as engine:
        idle(engine)
    assert len(bench.runs()) == 3
    assert all(run.is_caught_up for run in bench.runs())
    # A runner begins a moment after its claim, so two may begin a moment closer than they were claimed.
    assert all(later - earlier >= every_us * 0.9 for earlier, later in pairwise(started))


def test_on_time_runs_do_not_wait_for_the_start_rate(bench: Bench):
    bench.settings = replace(bench.settings, start_every_us=HOUR_US, limit=8)
    for name in ("one", "two", "three"):
        define(bench.ledger, name)
    with bench.running(bench.node()) as engine:
        bench.clock.jump(5 * MINUTE_US)
        engine.poke()
        idle(engine)
    assert [run.outcome for run in bench.runs()] == [Outcome.COMPLETED] * 3


def test_case_h04_a_pause_in_the_middle_of_a_scan_holds(bench: Bench):
    automation_id = define(bench.ledger, "each-five")
    command = ChangeState(automation_id=automation_id, actor="ann", reason="holiday", zones=Zones())
    with bench.running(bench.node()) as engine:
        bench.clock.jump(5 * MINUTE_US)
        engine.poke()
        bench.ledger.write(pause, command)
        idle(engine)
        bench.clock.jump(15 * MINUTE_US)
        engine.poke()
        idle(engine)
    automation = bench.read(lambda tx: tx.automation(automation_id))
    assert (automation.state.value, automation.next_due) == ("paused", None)
    assert dispositions(bench, automation_id) == [(Disposition.STARTED, 1)]
