"""Acceptance cases about claims: kept while the runner lives, taken back when it is silent, guarded ever after."""

import threading
from dataclasses import replace
from typing import Any

from duly.engine.node import Node
from duly.engine.requests import Outside, RunKeys, Wait, Write, now, start, surely, wait
from duly.engine.service import SERVICES
from duly.ledger.api.runs import RunFilter
from duly.model.errors import LeaseLostError
from duly.model.instant import MINUTE_US, SECOND_US, Instant
from duly.model.reasons import Reason
from duly.model.run import ClaimedRun, Run
from duly.model.states import Outcome, RunState
from duly.transactions.late import report_late
from duly.transactions.settle import Park, late_report_of, park, settle
from tests.engine.parts import SOON_S, Bench, Gate, completed, define, gated, idle, soon


def only_run(tx: Any) -> Run | None:
    runs = tx.runs(RunFilter(limit=2))
    assert len(runs) < 2
    return runs[0] if runs else None


def is_held(tx: Any) -> bool:
    run = only_run(tx)
    return run is not None and run.claim_id is not None


def without(*names: str) -> dict[str, Any]:
    return {"services": tuple(one for one in SERVICES if one.name not in names)}


def due_now(bench: Bench) -> None:
    define(bench.ledger, "each-five")
    bench.clock.jump(5 * MINUTE_US)


def test_case_a12_a_run_longer_than_its_lease_is_renewed_and_not_started_again(bench: Bench):
    due_now(bench)
    with bench.running(bench.node(gated())) as engine:
        soon(engine, is_held)
        first = bench.read(only_run).lease_until
        until = first
        while until <= first + bench.settings.lease_us:
            bench.clock.jump(bench.settings.renew_every_us // 4)
            engine.poke()
            # The keeper may have begun its rest after the jump: then the next jump ends it.
            engine.wait_until(lambda tx, old: only_run(tx).lease_until > old, until, (), 50_000)
            until = bench.read(only_run).lease_until
        bench.gate().set()
        idle(engine)
    run = bench.read(only_run)
    assert (run.attempts, run.outcome) == (1, Outcome.COMPLETED)


def test_case_a13_who_lost_its_lease_changes_nothing_and_its_result_is_kept(bench: Bench):
    due_now(bench)
    reported = threading.Event()

    def deaf(node: Node, claimed: ClaimedRun) -> Any:
        gate = yield from start(Outside(Gate(name="slow")))
        yield from wait(Wait((gate,)))
        command = completed(claimed)
        try:
            yield from surely(Write(settle, command))
        except LeaseLostError:
            yield from surely(Write(report_late, late_report_of(command)))
            reported.set()

    slow = bench.engine(bench.node(deaf, is_only_owner=False), **without("keeper", "rescuer"))
    slow.start()
    soon(slow, is_held)
    bench.clock.jump(bench.settings.lease_us + SECOND_US)
    with bench.running(bench.node(gated(), is_only_owner=False)) as quick:
        soon(quick, lambda tx: is_held(tx) and only_run(tx).attempts == 2)
        before = bench.read(only_run)
        bench.gate("slow").set()
        assert reported.wait(SOON_S)
        assert bench.read(only_run) == before
        slow.stop()
        bench.gate().set()
        idle(quick)
    run = bench.read(only_run)
    assert (run.attempts, run.state, run.outcome) == (2, RunState.BLOCKED, Outcome.NEEDS_REVIEW)
    (report,) = bench.read(lambda tx: tx.late_reports(run.run_id))
    assert (report.fence, report.verb) == (before.fence - 2, "settle")


def test_case_e03_a_run_whose_agent_never_starts_fails_before_any_write(bench: Bench):
    due_now(bench)

    def waiting(node: Node, claimed: ClaimedRun) -> Any:
        woke = yield from now()
        command = Park(
            claim=claimed.claim,
            wait_reason=Reason.PROGRAM_MISSING,
            claimable_at=Instant(woke.at + MINUTE_US),
            start_by=Instant(woke.at + 10 * MINUTE_US),
        )
        yield from surely(Write(park, command))

    with bench.running(bench.node(waiting)) as engine:
        soon(engine, lambda tx: only_run(tx) is not None and only_run(tx).wait_reason is not None)
        for _ in range(3):
            bench.clock.jump(4 * MINUTE_US)
            engine.poke()
            idle(engine)
        soon(engine, lambda tx: tx.runs(RunFilter(states=(RunState.FAILED,))) != [])
    oldest = bench.runs()[0]
    assert (oldest.outcome, oldest.reason) == (
        Outcome.FAILED_BEFORE_WRITE,
        Reason.START_DEADLINE.value,
    )


def test_a_silent_holder_is_rescued_when_its_lease_is_over(bench: Bench):
    due_now(bench)
    silent = bench.engine(bench.node(gated()), **without("keeper", "rescuer"))
    silent.start()
    soon(silent, is_held)
    silent.stop()
    with bench.running(bench.node(is_only_owner=False)) as engine:
        idle_until = bench.read(only_run).lease_until
        bench.clock.jump(bench.settings.lease_us)
        engine.poke()
        soon(engine, lambda tx: only_run(tx).outcome is Outcome.COMPLETED)
    run = bench.read(only_run)
    assert run.attempts == 2
    assert run.settled_at > idle_until


def test_the_only_owner_takes_back_at_once_what_a_dead_one_held(bench: Bench):
    due_now(bench)
    dead = bench.engine(bench.node(gated()), **without("keeper", "rescuer"))
    dead.start()
    soon(dead, is_held)
    dead.stop()
    with bench.running(bench.node()) as engine:
        idle(engine)
    run = bench.read(only_run)
    assert (run.attempts, run.outcome) == (2, Outcome.COMPLETED)
    assert run.settled_at < bench.clock.read().at


def test_a_holder_hears_its_own_deadline_and_goes_on_once_it_is_renewed(bench: Bench):
    due_now(bench)
    heard: list[str] = []

    def listening(node: Node, claimed: ClaimedRun) -> Any:
        keys = RunKeys(run_id=claimed.claim.run_id)
        while keys.renewed not in heard:
            woke = yield from wait(Wait(keys=(keys.deadline, keys.renewed)))
            heard.append(woke.key)
            if woke.key == keys.deadline:
                assert node.not_after(claimed.claim) < woke.at
                resting.set()
        assert node.not_after(claimed.claim) > woke.at
        yield from surely(Write(settle, completed(claimed)))

    resting = threading.Event()
    away = replace(bench.settings, renew_parts=2, lease_us=4 * SECOND_US)
    bench.settings = away
    with bench.running(bench.node(listening)) as engine:
        soon(engine, is_held)
        bench.clock.suspend(5 * SECOND_US)  # the holder learns of it before it may go on
        engine.poke()
        idle(engine)
    assert [key.partition(":")[0] for key in heard] == ["deadline", "renewed"]
    assert resting.is_set()
    assert bench.read(only_run).outcome is Outcome.COMPLETED
