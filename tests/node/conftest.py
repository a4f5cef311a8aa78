"""What tests of a whole node share: a directory to work in, bells to wait by, and nodes that can be killed."""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE_MS = 30_000
SET_CHILD_SUBREAPER = 36


@pytest.fixture(autouse=True)
def nobody_adopts():
    """Let the test session adopt nobody: an earlier test may have worked as a node in it, which stays for ever."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)


class Lines:
    """Lines that somebody writes into a pipe, each waited for with patience that ends."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._heard = b""

    def next(self) -> str:
        poller = select.poll()
        poller.register(self._fd, select.POLLIN)
        while b"\n" not in self._heard:
            assert poller.poll(PATIENCE_MS), "nothing was said for a long time"
            self._heard += os.read(self._fd, 4096) or pytest.fail("nothing more is said")
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode()


class Bell:
    """A named pipe between a program and the test: one of them rings, the other waits."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        # Open for both, so that nobody waits for another to open it.
        self.fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._lines = Lines(self.fd)

    def __str__(self) -> str:
        return str(self.path)

    def ring(self) -> None:
        os.write(self.fd, b"go\n")

    def wait(self) -> str:
        """Return the next line that was written into it."""
        return self._lines.next()


class Nodes:
    """Nodes in processes of their own, one at a time, as `duly.testkit.mortal_node` makes them."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "duly.testkit.mortal_node"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        self._lines = Lines(self._parent.stdout.fileno())
        self._living: int | None = None

    def start(self, home: Path, point: str = "") -> int:
        """Start a node and return its pid."""
        asked = json.dumps({"home": str(home), "point": point}) + "\n"
        self._parent.stdin.write(asked.encode())
        self._living = json.loads(self._lines.next())["pid"]
        return self._living

    def ended(self) -> int:
        """Wait for the node's end and return its exit code; negative: the signal that ended it."""
        status = json.loads(self._lines.next())["status"]
        self._living = None
        return status

    def dies_at(self, home: Path, point: str) -> None:
        """Let a node work until it is killed at that point."""
        self.start(home, point)
        assert self.ended() == -signal.SIGKILL, f"{point} was not reached"

    def end(self) -> None:
        """Kill the node that a failed test has left."""
        if self._living is not None:
            os.kill(self._living, signal.SIGKILL)
            self.ended()

    def close(self) -> None:
        self._parent.stdin.close()
        self._parent.stdout.close()
        assert self._parent.wait() == 0


@pytest.fixture(scope="session")
def every_node():
    made = Nodes()
    yield made
    made.close()


@pytest.fixture
def nodes(every_node):
    yield every_node
    every_node.end()


@pytest.fixture
def bell(tmp_path: Path):
    """Make bells; they are closed when the test ends."""
    made = []

    def make(name: str) -> Bell:
        made.append(Bell(tmp_path / name))
        return made[-1]

    yield make
    for one in made:
        os.close(one.fd)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "root"
    path.mkdir()
    return path
