"""Loops that die are started again; a node that is no good ends, and says why."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from duly.engine.health import Fitness, Health, complaint, condition
from duly.engine.node import Node
from duly.engine.requests import Wait, now
from duly.engine.scanner import scanner
from duly.engine.service import SERVICES
from duly.engine.settings import Settings
from duly.engine.supervisor import Service
from duly.interfaces.http.gate import Gate
from duly.interfaces.http.server import Server, parse
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


@pytest.mark.parametrize(
    ("changes", "fitness", "words"),
    [
        ({}, Fitness.OK, None),
        ({"verdict": "gave up"}, Fitness.FAILING, "gave up"),
        ({"is_low_on_space": True}, Fitness.FAILING, "nothing new is admitted"),
        ({"outage": "disk full"}, Fitness.FAILING, "cannot be written: disk full"),
        ({"scan_age_us": 61 * SECOND_US}, Fitness.FAILING, "no slot was answered for 61 s"),
        ({"scan_age_us": 61 * SECOND_US, "is_draining": True}, Fitness.DEGRADED, "told to stop"),
        ({"ailing": ("teller",)}, Fitness.DEGRADED, "the teller died"),
        ({"ailing": ("teller",), "outage": "disk full"}, Fitness.FAILING, "the teller died"),
    ],
)
def test_who_watches_a_node_hears_how_it_is_and_why(
    changes: dict[str, Any], fitness: Fitness, words: str | None
):
    found = condition(replace(WELL, **changes), Settings())
    assert found.fitness is fitness
    assert words is None or any(words in reason for reason in found.reasons)
    assert bool(found.reasons) is (fitness is not Fitness.OK)


def asked(engine: Any) -> tuple[int, Any]:
    """Ask a real server on the loopback how the engine is."""
    gate = Gate(token="t", hosts=frozenset())
    server = Server(parse("127.0.0.1:0", may_leave_loopback=False), lambda *_: {}, gate)
    server.start(lambda: condition(engine.health(), FAST))
    request = urllib.request.Request(f"{server.url}/healthz", headers={"authorization": "Bearer t"})
    try:
        with urllib.request.urlopen(request, timeout=SOON_S) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)
    finally:
        server.stop()


def test_a_node_that_is_low_on_space_a_stopped_ledger_and_a_dead_loop_are_seen_from_outside(
    bench: Bench,
):
    is_low, ledger = threading.Event(), Away(bench.ledger)
    lives: list[int] = []

    def dies_once(node: Node) -> Iterator[Any]:
        lives.append(1)
        yield from now()
        if len(lives) < 2:
            raise ZeroDivisionError

    service = Service(name="extra", make=dies_once, is_vital=False)
    node = bench.node(is_low_on_space=is_low.is_set)
    services = (*SERVICES, service)
    with bench.running(node, ledger=ledger, services=services) as engine:
        idle(engine)
        is_low.set()
        status, told = asked(engine)
        assert (status, told["status"]) == (503, "failing")
        assert "nothing new is admitted" in told["reasons"][0]
        is_low.clear()
        status, told = asked(engine)
        assert (status, told["status"]) == (200, "degraded")
        assert told["reasons"] == ["the extra died a while ago and was started again"]
        ledger.go_away()
        bench.clock.jump(3 * SECOND_US)
        engine.poke()
        assert ledger.refused_twice.wait(SOON_S)
        while engine.health().outage is None:
            engine.poke()
        status, told = asked(engine)
        assert (status, told["status"]) == (503, "failing")
        assert "the ledger cannot be written" in told["reasons"][0]
    assert engine.health().is_alive is False
    assert asked(engine)[0] == 503


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
