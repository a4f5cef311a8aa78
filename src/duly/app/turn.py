"""The turn of this process to own the data directory: whom it waits for, and for how long."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from duly.adapters.clock import SystemClock
from duly.adapters.launch import living
from duly.ledger.sqlite import owner
from duly.model.errors import OwnerConflictError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duly.ledger.sqlite.owner import Owner, OwnerFacts

# Commands that write a little and go: a hundred of them at once are through by then.
_BRIEF_S: Final = 30.0
# One that works may be a server that starts, and tells its address soon.
_WORKING_S: Final = 5.0
_TRY_S: Final = 0.25
# Who has waited longer looks more often, so that newcomers seldom overtake.
_LOOK_AGAIN_S: Final = 0.05
_LOOK_AGAIN_S_MIN: Final = 0.01
_STALE_TRIES: Final = 50


def holder(home: Path) -> OwnerFacts | None:
    """Return who owns the directory; never one that has ended, whom the file names until the next has written it."""
    for _ in range(_STALE_TRIES):
        found = owner.read_owner(home)
        if found is None or not _is_gone(found):
            return found
        time.sleep(_LOOK_AGAIN_S_MIN)
    return None


def _is_gone(found: OwnerFacts) -> bool:
    """Say whether the owner ran on this machine, and ended for certain."""
    return (
        found.start_ticks is not None
        and found.boot_id == living.boot_id()
        and living.start_ticks(found.pid) != found.start_ticks
    )


def take(home: Path, facts: Callable[[], OwnerFacts]) -> Owner | str:
    """Own the directory, after others who write a little and go; or return the address of the server that owns it.

    Raises OwnerConflictError, naming the owner, where one works on, or the others do not come to an end.
    """
    begun = brief_at = _awake_s()
    while True:
        waited_s = _awake_s() - begun
        look_again_s = max(_LOOK_AGAIN_S_MIN, _LOOK_AGAIN_S / (1 + waited_s))
        try:
            return owner.acquire(home, facts(), _TRY_S, look_again_s)
        except OwnerConflictError:
            found = holder(home)
            if found is not None and found.url:
                return found.url
            now = _awake_s()
            if found is None or found.is_brief:
                brief_at = now
            if now - begun > _BRIEF_S or now - brief_at > _WORKING_S:
                raise


def _awake_s() -> float:
    return SystemClock().read().awake_us / 1e6


def check_writable(home: Path) -> None:
    """Raise UnavailableError where the directory exists and may only be read."""
    if home.is_dir() and not os.access(home, os.W_OK | os.X_OK):
        raise UnavailableError(
            f"{home} may only be read, so nothing can be recorded in it",
            fix="Give this user the right to write there, or point DULY_HOME elsewhere.",
        )
