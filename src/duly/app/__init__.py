"""The composition root: the only place that chooses store, adapters and threads; and the entry point of `duly`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duly.app.front_door import FrontDoor


def main() -> int:
    """Carry out the command line of this process; return its exit code.

    Imports stand in functions of this room, so that `duly --help` loads none of what it does not need.
    """
    from duly.interfaces.cli.root import run

    return run(sys.argv[1:], _front)


def _front(home_flag: str | None) -> FrontDoor:
    from duly.app.front_door import FrontDoor

    return FrontDoor(home_flag)
