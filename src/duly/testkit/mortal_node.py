"""A node that kills itself at a named point: `python -m duly.testkit.mortal_node HOME [POINT]`.

POINT is `after:FUNCTION[:N]` (behind the Nth commit of a transaction function) or `before:REQUEST` / `done:REQUEST`
(around a call to the outside). At that point the process gets SIGKILL from itself: nothing is cleaned up. Without a
point, or if it is not reached, it works until nothing is left to do, and exits 0.
"""

import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from duly.engine.requests import Write
from duly.testkit.workbench import Options, Perform, Workbench


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def options_for(point: str) -> Options:
    """Return the options of a node that dies at `point`; empty: it lives."""
    kind, _, name = point.partition(":")
    name, _, number = name.partition(":")
    seen: Counter[str] = Counter()

    def survives(write: Write[Any]) -> bool:
        seen[write.fn.__name__] += 1
        if kind == "after" and write.fn.__name__ == name and seen[name] == int(number or 1):
            _die()
        return True

    def wrap(request: type, perform: Perform) -> Perform:
        def deadly(asked: Any) -> Any:
            if kind == "before":
                _die()
            answer = perform(asked)
            _die()
            return answer

        return deadly if kind != "after" and request.__name__ == name else perform

    return Options(survives=survives, wrap=wrap)


def main(arguments: list[str]) -> int:
    """Work on everything that is due or claimable, then stop."""
    home, point = Path(arguments[0]), arguments[1] if len(arguments) > 1 else ""
    with Workbench(home, options_for(point)) as bench:
        bench.settle()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
