"""The production driver keeps what `duly.engine.requests` promises a loop."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from duly.adapters.launch.launch import Launchers
from duly.engine.children import Children
from duly.engine.driver import Death, Driver, DriverParts
from duly.engine.requests import (
    Ended,
    Handle,
    Loop,
    Outside,
    Read,
    Start,
    Stop,
    Wait,
    Wake,
    Write,
    now,
    outside,
    rest,
    surely,
)
from duly.model.errors import CommitUnknownError, DeadlineExceededError
from duly.model.instant import SECOND_US, Instant
from tests.engine.parts import SOON_S, Bench


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A call to the outside that doubles a number."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A call to the outside that lasts until the test lets it go."""


class Stage:
    """A driver under test, and the deaths of its loops."""

    def __init__(self, bench: Bench) -> None:
        self.deaths: list[Death] = []
        self.go = threading.Event()
        self.survives: Callable[[Write[Any]], bool] = lambda _: True
        self.driver = Driver(
            DriverParts(
                ledger=bench.ledger,
                clock=bench.clock,
                performers=self._performers(),
                programs=lambda deliver: Children(
                    launchers=Launchers(), clock=bench.clock, deliver=deliver
                ),
                outside_threads=2,
                on_death=self.deaths.append,
                survives=lambda write: self.survives(write),
            )
        )

    def _performers(self) -> Mapping[type, Callable[[Any], Any]]:
        return {Ask: lambda ask: 2 * ask.number, Block: lambda _: self.go.wait(SOON_S)}

    def spawn(self, steps: Any, *keys: str) -> "Result":
        result = Result()
        self.driver.spawn(Loop(result.of(steps), keys))
        return result


class Result:
    """What a loop came to, for the thread of the test."""

    def __init__(self) -> None:
        self._is_over = threading.Event()
        self._value: Any = None

    def of(self, steps: Any) -> Iterator[Any]:
        self._value = yield from steps
        self._is_over.set()

    def get(self) -> Any:
        assert self._is_over.wait(SOON_S)
        return self._value


@pytest.fixture
def stage(bench: Bench) -> Iterator[Stage]:
    made = Stage(bench)
    made.driver.start()
    yield made
    made.go.set()
    made.driver.stop()


def number_of_settings(tx: Any, _: None) -> str | None:
    return tx.setting("name")


def record(tx: Any, value: str) -> str:
    tx.record_setting("name", value)
    tx.wake("named")
    return value


def fail(tx: Any, error: Exception) -> None:
    raise error


def test_a_loop_writes_reads_and_returns(stage: Stage):
    def steps():
        written = yield Write(record, "duly")
        return written, (yield Read(number_of_settings, None))

    assert stage.spawn(steps()).get() == ("duly", "duly")


def test_the_error_of_a_write_is_raised_in_the_loop(stage: Stage):
    def steps():
        try:
            yield Write(fail, DeadlineExceededError("too long"))
        except DeadlineExceededError as error:
            return error.message

    assert stage.spawn(steps()).get() == "too long"


def test_a_key_set_before_the_wait_is_not_lost(stage: Stage):
    def steps():
        yield Write(record, "first")
        yield from rest(20_000)
        return (yield Wait(keys=("named",))).key

    assert stage.spawn(steps(), "named").get() == "named"


def test_a_key_is_heard_by_every_loop_that_listens_and_once_by_each(stage: Stage):
    def listener():
        heard = (yield Wait(keys=("bell",))).key
        again = (yield Wait(keys=("bell",), until=Instant(0))).key
        return heard, again

    def ringer():
        yield Wake("bell")

    listeners = [stage.spawn(listener(), "bell") for _ in range(3)]
    stage.spawn(ringer()).get()
    assert [one.get() for one in listeners] == [("bell", None)] * 3


def test_waiting_for_a_key_that_was_never_listened_to_is_a_bug_of_the_loop(stage: Stage):
    def steps():
        try:
            yield Wait(keys=("other",))
        except AssertionError as error:
            return str(error)

    assert "listened" in stage.spawn(steps(), "one").get()


def test_a_wait_ends_at_its_instant_and_not_before(stage: Stage, bench: Bench):
    def steps():
        began = yield from now()
        until = Instant(began.at + 30_000)
        woke = yield Wait(until=until)
        while woke.at < until:
            woke = yield Wait(until=until)
        return woke.at - began.at

    assert stage.spawn(steps()).get() >= 30_000


def test_time_that_passes_at_once_ends_waits_on_both_clocks(stage: Stage, bench: Bench):
    def wall():
        began = yield from now()
        until = Instant(began.at + 3600 * SECOND_US)
        while (yield Wait(until=until)).at < until:
            pass
        return True

    first, second = stage.spawn(wall()), stage.spawn(rest(3600 * SECOND_US))
    stage.spawn(now()).get()  # the engine takes loops in order: both wait by now
    bench.clock.jump(3601 * SECOND_US)
    stage.driver.wake(frozenset())
    assert first.get()
    assert second.get()


def test_many_waits_that_end_early_leave_no_deadlines_behind(stage: Stage):
    def steps():
        for _ in range(2_000):
            yield Wake("bell")
            while (yield Wait(keys=("bell",), until=Instant(1 << 60))).key is None:
                pass
        return True

    assert stage.spawn(steps(), "bell").get()
    assert len(stage.driver._deadlines._wall) < 600


def test_a_bug_ends_its_loop_and_what_that_started_but_nothing_else(stage: Stage):
    ended = threading.Event()

    def child():
        try:
            yield Wait()
        finally:
            ended.set()

    def parent():
        yield Start(Loop(child()))
        yield from rest(1_000)
        raise ZeroDivisionError

    def grandparent():
        handle = yield Start(Loop(parent(), name="parent"))
        return (yield Wait((handle,))).message

    bystander = stage.spawn(rest(50_000))
    message = stage.spawn(grandparent()).get()
    assert isinstance(message.error, ZeroDivisionError)
    assert ended.wait(SOON_S)
    assert [(death.name, type(death.error)) for death in stage.deaths] == [
        ("parent", ZeroDivisionError)
    ]
    bystander.get()


def test_an_outside_call_answers_its_value_or_raises_its_error(stage: Stage):
    def steps():
        value = yield from outside(Ask(number=21))
        try:
            yield from outside("nobody performs texts")
        except KeyError:
            return value

    assert stage.spawn(steps()).get() == 42


def test_the_engine_goes_on_while_a_call_lasts_and_a_stopped_call_says_nothing(stage: Stage):
    def steps():
        handle = yield Start(Outside(Block()))
        yield Write(record, "meanwhile")
        yield Stop(handle)
        stage.go.set()
        began = yield from now()
        return (yield Wait((handle,), until_awake_us=began.awake_us + 50_000)).message

    assert stage.spawn(steps()).get() is None


def test_a_stopped_child_loop_leaves_through_its_finally(stage: Stage):
    left = threading.Event()

    def child():
        try:
            yield Wait()
        finally:
            left.set()

    def parent():
        handle = yield Start(Loop(child()))
        yield from rest(1_000)
        yield Stop(handle)

    stage.spawn(parent()).get()
    assert left.is_set()


def test_a_loop_answers_its_parent_with_what_it_returns(stage: Stage):
    def child():
        yield from now()
        return "done"

    def parent():
        handle = yield Start(Loop(child()))
        return (yield Wait((handle,))).message

    assert stage.spawn(parent()).get() == Ended(value="done")


def test_messages_of_other_handles_wait_their_turn(stage: Stage):
    def child(name: str):
        yield from now()
        return name

    def parent():
        first: Handle = yield Start(Loop(child("first")))
        second: Handle = yield Start(Loop(child("second")))
        yield from rest(5_000)
        late = (yield Wait((second,))).message.value
        return late, (yield Wait((first,))).message.value

    assert stage.spawn(parent()).get() == ("second", "first")


def test_surely_waits_out_an_unknown_commit(stage: Stage, bench: Bench):
    fates = iter([CommitUnknownError("who knows"), None])

    def doubtful(tx: Any, value: str) -> str:
        fate = next(fates)
        if fate is not None:
            raise fate
        return record(tx, value)

    result = stage.spawn(surely(Write(doubtful, "sure")))
    bench.clock.jump(SECOND_US)
    stage.driver.wake(frozenset())
    assert result.get() == "sure"


def test_surely_does_not_repeat_a_write_that_took_too_long(stage: Stage):
    def steps():
        try:
            yield from surely(Write(fail, DeadlineExceededError("too long")))
        except DeadlineExceededError:
            return "raised"

    assert stage.spawn(steps()).get() == "raised"


def test_a_driver_that_does_not_survive_a_write_stops_there_and_then(stage: Stage, bench: Bench):
    written = threading.Event()

    def dies(write: Write[Any]) -> bool:
        written.set()
        return False

    reached: list[str] = []

    def steps():
        yield Write(record, "last")
        reached.append("too far")

    stage.survives = dies
    stage.spawn(steps())
    assert written.wait(SOON_S)
    stage.driver._thread.join(SOON_S)
    assert not stage.driver.is_alive()
    assert bench.read(lambda tx: tx.setting("name")) == "last"
    assert reached == []
