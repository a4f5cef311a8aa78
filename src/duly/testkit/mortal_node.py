"""Nodes that kill themselves at a named point: each a process of its own, forked by one that has loaded everything.

`python -m duly.testkit.mortal_node` reads lines of JSON, `{"home": DIRECTORY, "point": POINT}`, and answers each with
`{"pid": PID}` and, when that node has ended, `{"status": STATUS}` (negative: the signal that ended it).

POINT is `after:FUNCTION[:N]` (behind the Nth commit of a transaction function) or `before:REQUEST` / `done:REQUEST`
(around a call to the outside). At that point the node gets SIGKILL from itself: nothing is cleaned up. Without a
point, or if it is not reached, it works until nothing is left to do, and exits 0.
"""

import json
import os
import signal
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from duly.adapters.launch.launch import adopt_orphans
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


def work(home: Path, point: str) -> None:
    """Work on everything that is due or claimable, then stop."""
    adopt_orphans()
    with Workbench(home, options_for(point)) as bench:
        bench.settle()


def _child(asked: dict[str, str]) -> None:
    """Be one node; never returns."""
    status = 1
    try:
        # Whoever asks must see the end of the answers when the parent ends, not when the last program does.
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(2, 1)
        work(Path(asked["home"]), asked["point"])
        status = 0
    finally:
        if status:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(status)


def _say(answer: dict[str, int]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Start a node for each line; one at a time."""
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _child(asked)
        _say({"pid": pid})
        _say({"status": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})
    return 0


if __name__ == "__main__":
    sys.exit(main())
