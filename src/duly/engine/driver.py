"""The production driver: one thread runs every loop; writes, outside calls and programs go on beside it."""

import itertools
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Protocol, assert_never

from duly.adapters.clock import Clock, Reading
from duly.engine import guard
from duly.engine.deadlines import Deadlines
from duly.engine.loop_state import LoopState
from duly.engine.requests import (
    Ended,
    Handle,
    Loop,
    Order,
    Outside,
    Program,
    Read,
    Request,
    Send,
    Start,
    Stop,
    Wait,
    Wake,
    Woke,
    Write,
)
from duly.ledger.api.core import Ledger

PULSE_US_MAX: Final = 5_000_000
_FAILED_WAIT: Final = "a loop waits only for keys it listened to from its start"

Performers = Mapping[type, Callable[[Any], Any]]


class Programs(Protocol):
    """Who runs programs; tells each event through the `deliver` it was made with."""

    def start(self, handle: Handle, program: Program) -> None:
        """Start a program; returns at once."""
        ...

    def send(self, handle: Handle, order: Order) -> None:
        """Tell a program something; returns at once."""
        ...

    def kill(self, handle: Handle) -> None:
        """Kill a program's tree; returns at once."""
        ...

    def close(self) -> None:
        """Kill every tree and end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """A loop that ended by a bug."""

    name: str
    error: Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverParts:
    """What a driver works with.

    `programs` is called with the driver's `deliver`. `on_death` hears of every loop that ended by a bug. `survives`
    is asked after every write; False stops the engine thread there and then, as a crash would (tests of recovery).
    """

    ledger: Ledger
    clock: Clock
    performers: Performers
    programs: Callable[[Callable[[Handle, Any], None]], Programs]
    outside_threads: int
    on_death: Callable[[Death], None]
    survives: Callable[[Write[Any]], bool] = lambda _: True


@dataclass(frozen=True, slots=True)
class _Call:
    loop: LoopState
    future: Future[None]


@dataclass(frozen=True, slots=True)
class _Running:
    loop: LoopState


_Target = LoopState | _Call | _Running


class Driver:
    """Runs loops. `spawn`, `wake`, `post` and `stop` may be called from any thread."""

    def __init__(self, parts: DriverParts) -> None:
        """Make the threads; `start` starts them."""
        self._parts = parts
        self._ledger, self._clock = parts.ledger, parts.clock
        self._inbox: queue.SimpleQueue[tuple[Callable[..., None], tuple[Any, ...]]] = (
            queue.SimpleQueue()
        )
        self._deadlines = Deadlines()
        self._numbers = itertools.count(1)
        self._targets: dict[Handle, _Target] = {}
        self._listeners: dict[str, set[LoopState]] = {}
        self._roots: set[LoopState] = set()
        self._is_stopping = False
        self._pool = ThreadPoolExecutor(parts.outside_threads, thread_name_prefix="duly-outside")
        self._programs = parts.programs(self._deliver_later)
        self._thread = threading.Thread(target=self._run, name="duly-engine", daemon=True)
        self.pulse_us = self._clock.read().awake_us

    # ---- from any thread ----
    def start(self) -> None:
        """Start the engine thread, and hear the ledger's wake keys."""
        self._ledger.on_wake = self.wake
        self._thread.start()

    def is_alive(self) -> bool:
        """Say whether the engine thread lives."""
        return self._thread.is_alive()

    def post(self, call: Callable[..., None], *arguments: Any) -> None:
        """Call something on the engine thread, soon; with no argument but a no-op it makes it look at its clock."""
        self._inbox.put((call, arguments))

    def spawn(self, loop: Loop) -> None:
        """Start a loop that has no parent."""
        self.post(self._spawn, LoopState(loop.steps, loop.keys, loop.name))

    def wake(self, keys: frozenset[str]) -> None:
        """Set wake keys."""
        self.post(self._wake, keys)

    def stop(self) -> None:
        """Close every loop, kill every program, and end the threads; calls under way are left to end."""
        self.post(self._close_all)
        if self._thread.is_alive():
            self._thread.join()
        if self._ledger.on_wake == self.wake:
            self._ledger.on_wake = _nobody
        self._programs.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    # ---- the engine thread ----
    def _run(self) -> None:
        while not self._is_stopping:
            self._turn()

    def _turn(self) -> None:
        now = self._clock.read()
        self.pulse_us = now.awake_us
        for loop in self._deadlines.expired(now):
            self._resume(loop, Ended(value=_woke(now)))
        timeout_us = self._deadlines.us_to_next(self._clock.read())
        timeout_us = PULSE_US_MAX if timeout_us is None else min(timeout_us, PULSE_US_MAX)
        try:
            call, arguments = self._inbox.get(timeout=timeout_us / 1e6)
        except queue.Empty:
            return
        call(*arguments)

    def _close_all(self) -> None:
        self._is_stopping = True
        for loop in tuple(self._roots):
            self._close(loop)

    def _spawn(self, loop: LoopState) -> None:
        self._roots.add(loop)
        self._listen(loop)
        self._advance(loop, Ended())

    def _listen(self, loop: LoopState) -> None:
        for key in loop.keys:
            self._listeners.setdefault(key, set()).add(loop)

    def _wake(self, keys: frozenset[str]) -> None:
        for key in keys:
            for loop in tuple(self._listeners.get(key, ())):
                loop.woken.add(key)
                self._look(loop)

    def _deliver_later(self, handle: Handle, message: Any) -> None:
        self.post(self._deliver, handle, message)

    def _deliver(self, handle: Handle, message: Any) -> None:
        target = self._targets.get(handle)
        if target is None or isinstance(target, LoopState):
            return
        if isinstance(message, Ended):
            del self._targets[handle]
            target.loop.started.discard(handle)
        target.loop.mail.append((handle, message))
        self._look(target.loop)

    def _look(self, loop: LoopState) -> None:
        """Go on with a loop that waits, if what it waits for is there."""
        if loop.wait is not None and (woke := self._ready(loop, loop.wait)) is not None:
            self._resume(loop, Ended(value=woke))

    def _ready(self, loop: LoopState, wait: Wait) -> Woke | None:
        now = self._clock.read()
        letter = loop.take_mail(wait.handles) if loop.mail else None
        if letter is not None:
            return _woke(now, handle=letter[0], message=letter[1])
        key = loop.take_key(wait.keys) if loop.woken else None
        if key is not None:
            return _woke(now, key=key)
        is_over = (wait.until is not None and wait.until <= now.at) or (
            wait.until_awake_us is not None and wait.until_awake_us <= now.awake_us
        )
        return _woke(now) if is_over else None

    def _resume(self, loop: LoopState, answer: Ended) -> None:
        loop.wait = None
        self._advance(loop, answer)

    def _advance(self, loop: LoopState, answer: Ended) -> None:
        """Give a loop its answer, and perform what it asks until it has to wait."""
        pending: Ended | None = answer
        while pending is not None and not loop.is_over:
            request = guard.advance(loop.steps, pending)
            if isinstance(request, Ended):
                self._end(loop, request)
                return
            pending = self._perform(loop, request)

    def _perform(self, loop: LoopState, request: Request) -> Ended | None:
        """Perform a request; None: its answer comes later."""
        match request:
            case Write():
                self._write(loop, request)
                return None
            case Read(fn, command):
                return guard.call(self._ledger.read, fn, command)
            case Start(what):
                return Ended(value=self._start(loop, what))
            case Send(handle, message):
                return self._send(handle, message)
            case Stop(handle):
                return self._stop(handle)
            case Wake(key):
                self.wake(frozenset((key,)))
                return Ended()
            case Wait():
                return self._wait(loop, request)
            case _:
                assert_never(request)

    def _write(self, loop: LoopState, write: Write[Any]) -> None:
        def done(result: Any, error: Exception | None) -> None:
            self._inbox.put((self._written, (loop, write, Ended(value=result, error=error))))

        refused = guard.call(self._ledger.submit, write.fn, write.command, done, write.durability)
        if refused.error is not None:
            done(None, refused.error)

    def _written(self, loop: LoopState, write: Write[Any], answer: Ended) -> None:
        if not self._parts.survives(write):
            self._is_stopping = True
            return
        self._advance(loop, answer)

    def _wait(self, loop: LoopState, wait: Wait) -> Ended | None:
        if not loop.keys.issuperset(wait.keys):
            return Ended(error=AssertionError(_FAILED_WAIT))
        if (woke := self._ready(loop, wait)) is not None:
            return Ended(value=woke)
        loop.wait = wait
        self._deadlines.add(loop, wait)
        return None

    def _start(self, loop: LoopState, what: Loop | Outside | Program) -> Handle:
        handle = Handle(next(self._numbers))
        loop.started.add(handle)
        match what:
            case Loop(steps, keys, name):
                child = LoopState(steps, keys, name, loop, handle)
                self._targets[handle] = child
                self._listen(child)
                self.post(self._advance, child, Ended())
            case Outside(request):
                future = self._pool.submit(self._call_outside, handle, request)
                self._targets[handle] = _Call(loop, future)
            case Program():
                self._targets[handle] = _Running(loop)
                self._programs.start(handle, what)
            case _:
                assert_never(what)
        return handle

    def _call_outside(self, handle: Handle, request: Any) -> None:
        self._deliver_later(handle, guard.call(self._performed, request))

    def _performed(self, request: Any) -> Any:
        return self._parts.performers[type(request)](request)

    def _send(self, handle: Handle, message: Order) -> Ended:
        if isinstance(self._targets.get(handle), _Running):
            self._programs.send(handle, message)
        return Ended()

    def _stop(self, handle: Handle) -> Ended:
        match self._targets.get(handle):
            case None:
                pass
            case LoopState() as child:
                self._close(child)
            case _Call(loop, future):
                future.cancel()
                loop.started.discard(handle)
                del self._targets[handle]
            case _Running():
                self._programs.kill(handle)
            case target:
                assert_never(target)
        return Ended()

    def _close(self, loop: LoopState) -> None:
        if loop.is_over:
            return
        ended = guard.call(loop.steps.close)
        self._forget(loop)
        self._tell_death(loop, ended)

    def _end(self, loop: LoopState, ended: Ended) -> None:
        self._forget(loop)
        self._tell_death(loop, ended)
        if loop.parent is not None and loop.handle is not None:
            loop.parent.mail.append((loop.handle, ended))
            self._look(loop.parent)

    def _forget(self, loop: LoopState) -> None:
        """End what the loop started, and take it out of every book."""
        loop.is_over, loop.wait = True, None
        for key in loop.keys:
            self._listeners[key].discard(loop)
            if not self._listeners[key]:
                del self._listeners[key]
        for handle in tuple(loop.started):
            self._stop(handle)
            self._targets.pop(handle, None)
        self._roots.discard(loop)
        if loop.handle is not None:
            self._targets.pop(loop.handle, None)
        if loop.parent is not None and loop.handle is not None:
            loop.parent.started.discard(loop.handle)

    def _tell_death(self, loop: LoopState, ended: Ended) -> None:
        if ended.error is not None:
            self._parts.on_death(Death(name=loop.name, error=ended.error))


def _woke(
    now: Reading, handle: Handle | None = None, message: Any = None, key: str | None = None
) -> Woke:
    return Woke(
        at=now.at,
        awake_us=now.awake_us,
        elapsed_us=now.elapsed_us,
        handle=handle,
        message=message,
        key=key,
    )


def _nobody(keys: frozenset[str]) -> None:
    """Hear nothing."""
