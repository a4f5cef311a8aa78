"""One thread that listens to every started program, writes its output, and tells its loop what happens."""

import os
import selectors
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, assert_never

from duly.adapters.clock import Clock
from duly.adapters.launch.events import Empty, Event, Exited, NotStarted, Output, Signalled
from duly.adapters.launch.launch import Launched, Launchers
from duly.engine import guard
from duly.engine.requests import Ended, Handle, Order, Program, Spoke

SPOKE_EVERY_US: Final = 100_000
CLOSE_US_MAX: Final = 10_000_000
_WAKE_BYTES: Final = 4096

Deliver = Callable[[Handle, Any], None]


@dataclass(slots=True, kw_only=True)
class _Child:
    handle: Handle
    launched: Launched
    write_output: Callable[[Output], None]
    fds: frozenset[int] = frozenset()
    spoke_us: int = 0
    told_us: int = 0
    is_silent: bool = True
    error: Exception | None = None


class Children:
    """The programs of one node. Its methods may be called from any thread and return at once, but for `close`."""

    def __init__(self, *, launchers: Launchers, clock: Clock, deliver: Deliver) -> None:
        """Start listening; `deliver` is called on the children's thread."""
        self._launchers, self._clock, self._deliver = launchers, clock, deliver
        self._children: dict[Handle, _Child] = {}
        self._orders: deque[Callable[[], None]] = deque()
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self._close_by_us: int | None = None
        self._thread = threading.Thread(target=self._run, name="duly-children", daemon=True)
        self._thread.start()

    def start(self, handle: Handle, program: Program) -> None:
        """Start a program; its first message says whether that went well."""
        self._post(lambda: self._launch(handle, program))

    def send(self, handle: Handle, order: Order) -> None:
        """Freeze, thaw or terminate a program's tree."""
        self._post(lambda: self._obey(handle, order))

    def kill(self, handle: Handle) -> None:
        """Kill a program's tree."""
        self._post(lambda: self._kill(handle))

    def close(self) -> None:
        """Kill every tree, hear them end (for at most ten seconds), and end the thread."""
        self._post(self._close_all)
        self._thread.join()

    def _post(self, order: Callable[[], None]) -> None:
        self._orders.append(order)
        with suppress(
            BlockingIOError, OSError
        ):  # full: it wakes anyhow; closed: nobody is there any more
            os.write(self._wake_write, b"\0")

    # ---- the children's thread ----
    def _run(self) -> None:
        while not self._is_over():
            for key, _ in self._selector.select(self._timeout_s()):
                if key.fd == self._wake_read:
                    self._take_orders()
                else:
                    self._feed(key.data, key.fd)
            self._tell_spoken()
        for child in tuple(self._children.values()):
            child.launched.close()
        self._selector.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _is_over(self) -> bool:
        if self._close_by_us is None:
            return False
        return not self._children or self._clock.read().awake_us > self._close_by_us

    def _timeout_s(self) -> float | None:
        if self._close_by_us is not None or any(
            not one.is_silent for one in self._children.values()
        ):
            return SPOKE_EVERY_US / 1e6
        return None

    def _take_orders(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._wake_read, _WAKE_BYTES)
        while self._orders:
            self._orders.popleft()()

    def _close_all(self) -> None:
        self._close_by_us = self._clock.read().awake_us + CLOSE_US_MAX
        for handle in tuple(self._children):
            self._kill(handle)

    def _launch(self, handle: Handle, program: Program) -> None:
        started = guard.call(self._launchers.launch, program.launch)
        if started.error is not None or isinstance(started.value, NotStarted):
            if started.error is None:
                self._deliver(handle, started.value)
            self._deliver(handle, Ended(error=started.error))
            return
        child = _Child(handle=handle, launched=started.value, write_output=program.write_output)
        self._children[handle] = child
        self._listen(child)
        if self._close_by_us is not None:
            child.launched.kill()

    def _listen(self, child: _Child) -> None:
        """Follow which descriptors are open; the last one closed ends the child."""
        fds = frozenset(child.launched.fds)
        for fd in child.fds - fds:
            self._selector.unregister(fd)
        for fd in fds - child.fds:
            self._selector.register(fd, selectors.EVENT_READ, child)
        child.fds = fds
        if not fds:
            del self._children[child.handle]
            self._deliver(child.handle, Ended(value=child.launched.facts, error=child.error))

    def _feed(self, child: _Child, fd: int) -> None:
        if fd not in child.fds:
            return
        for event in child.launched.feed(fd):
            if isinstance(event, Empty):  # the tree is dead, so there is an end to what is left
                self._drain(child, fd)
            elif isinstance(event, Exited | Signalled):
                self._hear_rest(child, fd)
            self._tell(child, event)
        if frozenset(child.launched.fds) != child.fds:
            self._listen(child)

    def _hear_rest(self, child: _Child, status: int) -> None:
        """Write what the program itself has left: one reading holds a whole pipe; others may still fill it."""
        for fd in set(child.launched.fds) - {status}:
            for event in child.launched.feed(fd):
                self._tell(child, event)

    def _drain(self, child: _Child, status: int) -> None:
        """Write what the tree left in its pipes, so that the log is whole before the end is told."""
        for fd in set(child.launched.fds) - {status}:
            while events := child.launched.feed(fd):
                for event in events:
                    self._tell(child, event)

    def _tell(self, child: _Child, event: Event) -> None:
        if not isinstance(event, Output):
            self._deliver(child.handle, event)
            return
        child.spoke_us, child.is_silent = self._clock.read().awake_us, False
        written = guard.call(child.write_output, event) if child.error is None else Ended()
        if written.error is not None:
            child.error = written.error
            child.launched.kill()

    def _tell_spoken(self) -> None:
        now_us = self._clock.read().awake_us
        for child in self._children.values():
            if not child.is_silent and now_us - child.told_us >= SPOKE_EVERY_US:
                child.is_silent, child.told_us = True, now_us
                self._deliver(child.handle, Spoke(awake_us=child.spoke_us))

    def _obey(self, handle: Handle, order: Order) -> None:
        if (child := self._children.get(handle)) is None:
            return
        match order:
            case Order.FREEZE:
                child.launched.freeze()
            case Order.THAW:
                child.launched.thaw()
            case Order.TERMINATE:
                child.launched.terminate()
            case _:
                assert_never(order)

    def _kill(self, handle: Handle) -> None:
        if (child := self._children.get(handle)) is not None:
            child.launched.kill()
