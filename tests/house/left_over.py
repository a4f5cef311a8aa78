"""Finds the processes that a test session left running: its children, and all that live in its directories."""

import os
import select
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 1.0


def living(session_directory: Path | None) -> list[str]:
    """Return one line for each process left over, after giving those that are ending time to end."""
    until = time.monotonic() + PATIENCE_S
    for pid in _found(session_directory):
        _await_end(pid, until)
    return [f"{pid}: {_command(pid)}" for pid in _found(session_directory)]


def _found(session_directory: Path | None) -> list[int]:
    mark = os.fsencode(session_directory) if session_directory else b""
    return [
        pid for pid in _others() if _parent(pid) == os.getpid() or (mark and _lives_in(pid, mark))
    ]


def _others() -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        if int(entry.name) != os.getpid():
            yield int(entry.name)


def _parent(pid: int) -> int | None:
    """Return the parent of a process that still runs; None for an ended one, waited for or not."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state in "ZX" else int(parent)


def _lives_in(pid: int, mark: bytes) -> bool:
    """Say whether the process works in the session's directory or was told of it in its environment."""
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        return mark in environment or os.readlink(os.fsencode(f"/proc/{pid}/cwd")).startswith(mark)
    except OSError:
        return False


def _await_end(pid: int, until: float) -> None:
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return
    try:
        ending = select.poll()
        ending.register(descriptor, select.POLLIN)
        ending.poll(max(0, (until - time.monotonic()) * 1000))
    finally:
        os.close(descriptor)


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "ended just now"
    return os.fsdecode(b" ".join(words)).strip()
