"""Started programs as their loops see them: real processes, multiplexed by one thread."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from duly.adapters.launch.events import (
    Empty,
    Exited,
    Frozen,
    NotStarted,
    NotStartedReason,
    Output,
    Signalled,
    Started,
    Thawed,
)
from duly.adapters.launch.launch import Launchers
from duly.adapters.launch.request import Launch
from duly.engine.children import Children
from duly.engine.driver import Death, Driver, DriverParts
from duly.engine.requests import Ended, Loop, Order, Program, Send, Spoke, Start, Stop, Wait, rest
from tests.engine.parts import SOON_S, Bench


class Stage:
    """A driver that starts programs, and what they said and wrote."""

    def __init__(self, bench: Bench, directory: Path) -> None:
        self.directory = directory
        self.deaths: list[Death] = []
        self.written = bytearray()
        self.driver = Driver(
            DriverParts(
                ledger=bench.ledger,
                clock=bench.clock,
                performers={},
                programs=lambda deliver: Children(
                    launchers=Launchers(), clock=bench.clock, deliver=deliver
                ),
                outside_threads=1,
                on_death=self.deaths.append,
            )
        )

    def program(self, *argv: str, write: Any = None) -> Program:
        launch = Launch(argv=argv, cwd=self.directory, env={"PATH": "/usr/bin:/bin"}, run_token="t")
        return Program(launch=launch, write_output=write or self._write)

    def script(self, text: str, **given: Any) -> Program:
        return self.program("/bin/sh", "-c", text, **given)

    def _write(self, output: Output) -> None:
        self.written += output.data

    def hear(self, program: Program, *orders: Any) -> list[Any]:
        """Run a program to its end; each order is sent (or the program stopped) at its next message."""
        heard: list[Any] = []
        is_over = threading.Event()

        def steps() -> Iterator[Any]:
            handle = yield Start(program)
            waiting = list(orders)
            while not heard or not isinstance(heard[-1], Ended):
                heard.append((yield Wait((handle,))).message)
                if waiting and not isinstance(heard[-1], Ended):
                    order = waiting.pop(0)
                    yield Stop(handle) if order is Stop else Send(handle, order)
            is_over.set()

        self.driver.spawn(Loop(steps()))
        assert is_over.wait(SOON_S), heard
        return heard


@pytest.fixture
def stage(bench: Bench, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(bench, tmp_path)
    made.driver.start()
    yield made
    made.driver.stop()


def kinds(heard: list[Any]) -> list[type]:
    return [type(one) for one in heard if not isinstance(one, Spoke)]


def test_a_program_tells_how_it_went_and_last_that_all_is_written(stage: Stage):
    heard = stage.hear(stage.script("echo one; echo two >&2; exit 3"))
    assert kinds(heard) == [Started, Exited, Empty, Ended]
    (started,) = [one for one in heard if isinstance(one, Started)]
    assert heard[-1].value.pid == started.facts.pid
    assert Exited(3) in heard
    assert sorted(stage.written.split()) == [b"one", b"two"]


def test_all_output_is_written_before_the_end_is_told(stage: Stage):
    seen: list[int] = []
    heard: list[Any] = []
    is_over = threading.Event()

    def steps() -> Iterator[Any]:
        handle = yield Start(stage.script("head -c 3000000 /dev/zero"))
        while not heard or not isinstance(heard[-1], Empty):
            heard.append((yield Wait((handle,))).message)
        seen.append(len(stage.written))
        is_over.set()

    stage.driver.spawn(Loop(steps()))
    assert is_over.wait(SOON_S)
    assert seen == [3_000_000]


def test_a_flood_of_output_is_told_at_most_ten_times_a_second(stage: Stage, bench: Bench):
    began = bench.clock.read().awake_us
    text = "for _ in range(60000): print('x' * 60)"
    heard = stage.hear(stage.program(sys.executable, "-c", text))
    seconds = (bench.clock.read().awake_us - began) / 1e6
    assert len(stage.written) == 60_000 * 61
    assert sum(isinstance(one, Spoke) for one in heard) <= 10 * seconds + 2


def test_a_program_that_cannot_start_says_why(stage: Stage):
    heard = stage.hear(stage.program("/no/such/program"))
    assert isinstance(heard[0], NotStarted)
    assert heard[0].reason is NotStartedReason.PROGRAM_MISSING
    assert isinstance(heard[-1], Ended)


def test_a_program_is_frozen_thawed_and_asked_to_end(stage: Stage):
    orders = (Order.FREEZE, Order.THAW, Order.TERMINATE)
    heard = stage.hear(stage.script("sleep 1000"), *orders)
    assert kinds(heard) == [Started, Frozen, Thawed, Signalled, Empty, Ended]


def test_a_stopped_program_is_killed_with_its_tree_and_tells_so(stage: Stage):
    heard = stage.hear(stage.script("trap '' TERM; sleep 1000 & sleep 1000"), Stop)
    assert Empty(True) in heard
    assert isinstance(heard[-1], Ended)


def test_output_that_cannot_be_written_kills_the_program(stage: Stage):
    def full(output: Output) -> None:
        raise OSError(28, "No space left on device")

    heard = stage.hear(stage.script("echo much; sleep 1000", write=full))
    assert isinstance(heard[-1].error, OSError)


def test_a_loop_that_ends_takes_its_programs_with_it(stage: Stage):
    started = threading.Event()
    pids: list[int] = []

    def steps() -> Iterator[Any]:
        handle = yield Start(stage.script("sleep 1000"))
        woke = yield Wait((handle,))
        pids.append(woke.message.facts.pid)
        started.set()
        raise ZeroDivisionError

    stage.driver.spawn(Loop(steps()))
    assert started.wait(SOON_S)
    stage.driver.stop()
    assert not Path(f"/proc/{pids[0]}").exists()


def test_silence_can_be_told_from_speech(stage: Stage, bench: Bench):
    heard: list[Any] = []
    is_over = threading.Event()

    def steps() -> Iterator[Any]:
        handle = yield Start(stage.script("echo hello; sleep 1000"))
        while not any(isinstance(one, Spoke) for one in heard):
            heard.append((yield Wait((handle,))).message)
        yield from rest(1)
        is_over.set()

    stage.driver.spawn(Loop(steps()))
    assert is_over.wait(SOON_S)
    spoke = next(one for one in heard if isinstance(one, Spoke))
    assert spoke.awake_us <= bench.clock.read().awake_us
