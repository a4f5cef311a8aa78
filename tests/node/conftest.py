"""What tests of a whole node share: a directory to work in, bells to wait by, and nodes that can be killed."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE_MS = 30_000


class Bell:
    """A named pipe between a program and the test: one of them rings, the other waits."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        # Open for both, so that nobody waits for another to open it.
        self.fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._heard = b""

    def __str__(self) -> str:
        return str(self.path)

    def ring(self) -> None:
        os.write(self.fd, b"go\n")

    def wait(self) -> str:
        """Return the next line that was written into it."""
        poller = select.poll()
        poller.register(self.fd, select.POLLIN)
        while b"\n" not in self._heard:
            assert poller.poll(PATIENCE_MS), f"nobody rang {self.path.name}"
            self._heard += os.read(self.fd, 4096)
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode()


class Nodes:
    """Nodes in processes of their own, one at a time, as `duly.testkit.mortal_node` makes them."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "duly.testkit.mortal_node"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, home: Path, point: str = "") -> int:
        """Start a node and return its pid."""
        self._parent.stdin.write(json.dumps({"home": str(home), "point": point}) + "\n")
        self._parent.stdin.flush()
        return json.loads(self._parent.stdout.readline())["pid"]

    def ended(self) -> int:
        """Wait for the node's end and return its exit code; negative: the signal that ended it."""
        return json.loads(self._parent.stdout.readline())["status"]

    def dies_at(self, home: Path, point: str) -> None:
        """Let a node work until it is killed at that point."""
        self.start(home, point)
        assert self.ended() == -signal.SIGKILL, f"{point} was not reached"

    def close(self) -> None:
        self._parent.stdin.close()
        self._parent.stdout.close()
        assert self._parent.wait() == 0


@pytest.fixture(scope="session")
def nodes():
    made = Nodes()
    yield made
    made.close()


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
