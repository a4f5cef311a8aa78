"""The composition root: the only place that chooses store, adapters and threads; and the entry point of `duly`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duly.app.front_door import FrontDoor


def main() -> int:
    """Carry out the command line of this process; return its exit code.

    Imports stand in functions of this room, so that `duly --help` loads none of what it does not need.
    """
    from duly.interfaces.cli.root import run

    _open_streams()
    try:
        return run(sys.argv[1:], _front)
    finally:
        _drop_unheard()


def _open_streams() -> None:
    """Let nothing that is printed fail for the terminal's encoding, or for a stream that was closed from the start."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  open until the end
        else:
            stream.reconfigure(errors="backslashreplace")


def _drop_unheard() -> None:
    """Let words that nobody could hear any more not change the exit code."""
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _front(home_flag: str | None) -> FrontDoor:
    from duly.app.front_door import FrontDoor

    return FrontDoor(home_flag)
