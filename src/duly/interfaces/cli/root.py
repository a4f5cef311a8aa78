"""Where a command line begins: the page of all commands needs nothing but itself, everything else needs click."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from duly.interfaces.cli import front_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duly.interfaces.cli.tree import FrontMaker

_ASKS_FOR_THE_PAGE = (["--help"], ["-h"])
COMPLETE = "_DULY_COMPLETE"


def run(arguments: Sequence[str], make_front: FrontMaker) -> int:
    """Carry out one command line; return its exit code."""
    is_page = list(arguments) in _ASKS_FOR_THE_PAGE and COMPLETE not in os.environ
    if is_page and front_page.is_wide():
        return front_page.show()
    from duly.interfaces.cli import tree

    if COMPLETE in os.environ:
        return tree.complete(COMPLETE, os.environ[COMPLETE])
    return tree.run(arguments, make_front)
