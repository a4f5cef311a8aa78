"""A node small enough for tests: launches one program and listens until what it waits for is told."""

import os
import select
import sys
from pathlib import Path

from duly.adapters.launch.events import Empty, LauncherLost, Output
from duly.adapters.launch.launch import Launched, Launchers
from duly.adapters.launch.request import Launch

PYTHON = os.path.realpath(sys.executable)
PATIENCE_MS = 20_000
TOKEN = "token-of-this-test"


def request(cwd: Path, *argv: str, **fields) -> Launch:
    """A launch with a PATH, a token, and what the test says."""
    env = {"PATH": os.environ["PATH"], **fields.pop("env", {})}
    return Launch(**{"argv": argv, "cwd": cwd, "env": env, "run_token": TOKEN, **fields})


def python(cwd: Path, code: str, *arguments: str, **fields) -> Launch:
    """A launch of some lines of Python."""
    return request(cwd, PYTHON, "-I", "-S", "-u", "-c", code, *arguments, **fields)


class Node:
    """Launches, and remembers all it was told."""

    def __init__(self, launch: Launch, launchers: Launchers | None = None) -> None:
        self.launchers = launchers or Launchers()
        found = self.launchers.launch(launch)
        assert isinstance(found, Launched), found
        self.launched = found
        self.events: list[object] = []

    def step(self) -> None:
        """Wait until something is told, and note it."""
        poller = select.poll()
        for fd in self.launched.fds:
            poller.register(fd, select.POLLIN)
        ready = poller.poll(PATIENCE_MS)
        assert ready, f"nothing was told for a long time after {self.events}"
        for fd, _ in ready:
            self.events += self.launched.feed(fd)

    def until(self, kind):
        """Listen until an event of this kind, and return it; fail if all ends without it."""
        while not (found := self.of(kind)):
            assert self.launched.fds, f"ended without {kind.__name__}: {self.events}"
            self.step()
        return found[-1]

    def until_output(self, wanted: bytes) -> bytes:
        """Listen until the output holds these bytes, and return all of it."""
        while wanted not in self.output():
            assert self.launched.fds, f"ended without {wanted!r}: {self.events}"
            self.step()
        return self.output()

    def to_end(self) -> list[object]:
        """Listen until all is said; return what was told besides output."""
        while self.launched.fds:
            self.step()
        assert self.of(Empty) or self.of(LauncherLost)
        return [event for event in self.events if not isinstance(event, Output)]

    def of(self, kind) -> list:
        """What was told of this kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def output(self, *streams) -> bytes:
        """All output so far."""
        return b"".join(
            event.data for event in self.of(Output) if not streams or event.stream in streams
        )


class End:
    """Somebody's end, to be waited for; made while they live."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._fd = os.pidfd_open(pid)

    def wait(self) -> None:
        """Return when they ended; fail when they go on for long."""
        poller = select.poll()
        poller.register(self._fd, select.POLLIN)
        assert poller.poll(PATIENCE_MS), f"{self.pid} still lives"
        os.close(self._fd)
