"""The command line as tests use it: in this process where it is quick, as a program where it must be one."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duly.adapters.clock import SystemClock
from duly.app.front_door import FrontDoor
from duly.interfaces.cli.root import run

SOON_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(slots=True, kw_only=True)
class Duly:
    """Command lines on one data directory, from one working directory."""

    home: Path
    here: Path
    environ: dict[str, str]
    read: Callable[[], Any]

    def __call__(self, *arguments: str) -> Ended:
        """Carry out a command line in this process."""
        hook = sys.excepthook
        try:
            code = run(arguments, FrontDoor)
        finally:
            sys.excepthook = hook
        out, err = self.read()
        return Ended(code=code, out=out, err=err)

    def program(self, *arguments: str, **environ: str) -> Ended:
        """Carry out a command line as a process of its own."""
        ended = subprocess.run(
            [sys.executable, "-m", "duly", *arguments],
            cwd=self.here,
            env={**self.environ, **environ},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=SOON_S,
        )
        return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)

    @contextmanager
    def serving(self, *arguments: str, **environ: str) -> Iterator["Served"]:
        """Have a server for as long as the block lasts."""
        process = subprocess.Popen(
            [sys.executable, "-m", "duly", "serve", *arguments],
            cwd=self.here,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield Served(process=process, url=_url(process))
        finally:
            # A stopped process would never hear the other signal.
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.communicate(timeout=SOON_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server that runs."""

    process: "subprocess.Popen[str]"
    url: str


def _url(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if "event=serving" in line:
            return next(word for word in line.split() if word.startswith("url=")).partition("=")[2]
    raise AssertionError("".join(said))


def until(holds: Callable[[], bool]) -> None:
    """Ask again and again, since what is asked for happens in another process; fail after a while."""
    clock = SystemClock()
    end_us = clock.read().awake_us + int(SOON_S * 1_000_000)
    while not holds():
        assert clock.read().awake_us < end_us, "it did not happen"


def environment(home: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program under test."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "DULY_HOME": str(home), "TZ": "Asia/Taipei", **given}
