"""Loops that die are started again; a node that is no good ends, and says why."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from duly.engine.health import Health, complaint
from duly.engine.node import Node
from duly.engine.requests import Wait, now
from duly.engine.scanner import scanner
from duly.engine.service import SERVICES
from duly.engine.settings import Settings
from duly.engine.supervisor import Service
from duly.model.instant import MINUTE_US, SECOND_US
from duly.model.run import ClaimedRun
from duly.model.states import Outcome
from tests.engine.parts import FAST, SOON_S, Away, Bench, define, idle, soon

WELL = Health(
    is_alive=True,
    is_draining=False,
    pulse_age_us=0,
    scan_age_us=0,
    try_age_us=0,
    running=0,
    failed_admissions=0,
    lost_admissions=0,
    deaths=(),
    verdict=None,
)


def with_scanner(make: Any) -> tuple[Service, ...]:
    return tuple(replace(one, make=make) if one.name == "scanner" else one for one in SERVICES)


def test_case_b06_a_scanner_that_dies_is_started_again(bench: Bench):
    lives: list[int] = []

    def mortal(node: Node) -> Iterator[Any]:
        lives.append(1)
        if len(lives) < 3:
            yield from now()
            raise ZeroDivisionError
        yield from scanner(node)

    define(bench.ledger, "each-five")
    bench.clock.jump(5 * MINUTE_US)
    with bench.running(bench.node(), services=with_scanner(mortal)) as engine:
        soon(engine, lambda tx: tx.next_due() > tx.at)
        idle(engine)
        health = engine.health()
    assert [death.name for death in bench.deaths] == ["scanner", "scanner"]
    assert health.deaths == ("scanner: ZeroDivisionError()",) * 2
    assert [run.outcome for run in bench.runs()] == [Outcome.COMPLETED]
    assert bench.verdicts == []


def test_case_b06_a_scanner_that_always_dies_ends_the_node(bench: Bench):
    def dies(node: Node) -> Iterator[Any]:
        yield from now()
        raise ZeroDivisionError

    bench.settings = replace(FAST, restart_us=1_000, deaths_max=3, scan_wake_us_max=200_000)
    with bench.running(bench.node(), services=with_scanner(dies)):
        assert bench.given_up.wait(SOON_S)
    (verdict,) = bench.verdicts
    assert "scanner died 3 times" in verdict
    assert "ZeroDivisionError" in verdict


def test_case_b06_a_scanner_that_hangs_ends_the_node_within_two_scan_periods(bench: Bench):
    def hangs(node: Node) -> Iterator[Any]:
        yield Wait()

    bench.settings = replace(FAST, scan_wake_us_max=200_000)
    began = bench.clock.read().awake_us
    with bench.running(bench.node(), services=with_scanner(hangs)):
        assert bench.given_up.wait(SOON_S)
    assert bench.clock.read().awake_us - began < 3 * SECOND_US
    assert "nothing was scanned" in bench.verdicts[0]


def test_case_b06_an_engine_thread_that_does_not_come_back_ends_the_node(bench: Bench):
    back = threading.Event()

    def stuck(node: Node) -> Iterator[Any]:
        back.wait(SOON_S)
        yield Wait()

    bench.settings = replace(FAST, scan_wake_us_max=200_000)
    with bench.running(bench.node(), services=with_scanner(stuck)):
        assert bench.given_up.wait(SOON_S)
        back.set()
    assert bench.verdicts


def test_a_loop_that_is_not_vital_dies_without_ending_the_node(bench: Bench):
    deaths = threading.Semaphore(0)

    def dies(node: Node) -> Iterator[Any]:
        yield from now()
        deaths.release()
        raise ZeroDivisionError

    bench.settings = replace(FAST, restart_us=100, deaths_max=2)
    service = Service(name="extra", make=dies, is_vital=False)
    with bench.running(bench.node(), services=(*SERVICES, service)) as engine:
        for _ in range(4):
            assert deaths.acquire(timeout=SOON_S)
        idle(engine)
        assert engine.health().verdict is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, None),
        ({"is_alive": False}, "dead"),
        ({"verdict": "gave up"}, "gave up"),
        ({"pulse_age_us": 61 * SECOND_US}, "not moved"),
        ({"try_age_us": 61 * SECOND_US}, "scanned"),
        ({"try_age_us": 61 * SECOND_US, "is_draining": True}, None),
        ({"scan_age_us": 3600 * SECOND_US}, None),
    ],
)
def test_a_node_complains_of_silence_and_not_of_an_outage(
    changes: dict[str, Any], words: str | None
):
    found = complaint(replace(WELL, **changes), Settings())
    assert found is None if words is None else words in str(found)


def test_a_node_that_stops_says_so_on_the_ledger(bench: Bench):
    engine = bench.engine(bench.node())
    engine.start()
    idle(engine)
    engine.stop()
    assert not engine.health().is_alive
    assert bench.read(lambda tx: tx.nodes(1))[0].stopped_at is not None


def test_a_runner_that_dies_is_tried_again_and_at_last_a_person_has_to_look(bench: Bench):
    def dies(node: Node, claimed: ClaimedRun) -> Iterator[Any]:
        yield from now()
        raise ZeroDivisionError

    define(bench.ledger, "each-five")
    bench.clock.jump(5 * MINUTE_US)
    with bench.running(bench.node(dies)) as engine:
        for _ in range(3):
            idle(engine)
            bench.clock.jump(30 * SECOND_US)
            engine.poke()
        idle(engine)
    (run,) = bench.runs()
    assert (run.attempts, run.outcome, run.claim_id) == (3, Outcome.NEEDS_REVIEW, None)
    assert [type(death.error) for death in bench.deaths] == [ZeroDivisionError] * 3


def test_a_node_stops_although_its_ledger_refuses_everything(bench: Bench):
    ledger = Away(bench.ledger)
    engine = bench.engine(bench.node(), ledger=ledger)
    engine.start()
    ledger.go_away()
    engine.stop()
    assert not engine.health().is_alive
