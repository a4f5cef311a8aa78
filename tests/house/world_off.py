"""The switch that turns the world off: while it is off, pure code that touches it fails its test.

What interpreters report (files, sockets, subprocesses, databases, forks) is caught by an audit hook; what
they do not report on every version (clocks, sleeping, threads, random sources) by a guard before the
function. `datetime.now` can be neither; `test_shape.py` finds it in the source.
"""

import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import pytest

REPORTED: Final = (
    "open",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "os.",
    "shutil.",
    "tempfile.",
    "ctypes.dlopen",
)
GUARDED: Final = (
    (time, ("time", "time_ns", "monotonic", "monotonic_ns", "sleep")),
    (os, ("stat", "lstat", "urandom", "getenv")),
    (random, ("random", "randint", "randrange", "choice", "uniform")),
    (threading.Thread, ("start",)),
)
# Between the world and a test stand these, and they may touch it: the import system, test tools.
TOOLS: Final = frozenset(
    {"importlib", "_frozen_importlib", "_frozen_importlib_external", "zipimport", "linecache"}
    | {"hypothesis", "_hypothesis_pytestplugin", "_pytest", "pytest", "pluggy"}
)
OURS: Final = frozenset({"duly", "tests"})

_is_off = False


@contextmanager
def switched_off() -> Iterator[None]:
    """Fail the test on every touch of the world from Duly or a test; not to be nested."""
    global _is_off  # noqa: PLW0603  an audit hook can be added once and never removed
    with pytest.MonkeyPatch.context() as patches:
        for owner, names in GUARDED:
            for name in names:
                patches.setattr(owner, name, _guard(name, getattr(owner, name)))
        _is_off = True
        try:
            yield
        finally:
            _is_off = False


def _guard(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if _is_off and _is_ours():
            _refuse(name, args)
        return real(*args, **kwargs)

    return guarded


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if _is_off and event.startswith(REPORTED) and _is_ours():
        _refuse(event, args)


def _is_ours() -> bool:
    """Say whether Duly or a test asked, and no tool in between; the innermost known frame decides."""
    frame = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        root = name.partition(".")[0]
        if root in TOOLS:
            return False
        if root in OURS and name != __name__:
            return True
        frame = frame.f_back
    return False


def _refuse(what: str, args: tuple[Any, ...]) -> NoReturn:
    # Not an Exception, so no `except Exception` on the way can hide it.
    pytest.fail(
        f"the world is switched off, and the code under test touched it: {what} {args[:1]!r}"
    )


sys.addaudithook(_hear)
