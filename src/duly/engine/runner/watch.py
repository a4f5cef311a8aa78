"""What is known of a running program, folded from what it tells; and when which limit is reached. Pure."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from duly.adapters.launch import events
from duly.adapters.launch.proof import ExecutionFacts
from duly.engine.requests import Ended, RunKeys, Spoke, Woke
from duly.model.instant import SECOND_US
from duly.model.plan import Timeouts
from duly.policy.ending import Cancelled, Exit, Exited, LaunchLost, Signalled, TimedOut, Timeout

GRACE_US: Final = 10 * SECOND_US
"""How long a program may take to end after SIGTERM."""
PATIENCE_US: Final = 30 * SECOND_US
"""How long its tree may take to die after SIGKILL, or after its own end, before nobody waits any longer."""


class Stopping(Enum):
    """Why a program is being ended by us."""

    CANCEL = "cancel"
    START = "start"
    SILENCE = "silence"
    WALL = "wall"


_TIMEOUTS: Final = {
    Stopping.START: Timeout.START,
    Stopping.SILENCE: Timeout.SILENCE,
    Stopping.WALL: Timeout.WALL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A program under way. Times count while the machine is awake (µs), so a suspend is no silence.

    `is_over`: it tells nothing more. `is_empty`: nobody of its tree lives. `refusal`: it was never started.
    `has_lost_launcher`: whoever is left of its tree has to be found and killed.
    """

    facts: ExecutionFacts
    launched_us: int
    spoke_us: int
    has_started: bool = False
    exit: Exited | Signalled | None = None
    refusal: events.NotStarted | None = None
    stopping: Stopping | None = None
    stopping_since_us: int = 0
    is_killed: bool = False
    is_frozen: bool = False
    is_lost: bool = False
    has_lost_launcher: bool = False
    is_empty: bool = False
    is_over: bool = False
    exited_us: int = 0


def hear(watch: Watch, woke: Woke, keys: RunKeys) -> Watch:
    """Return what is known after one wake."""
    if woke.key == keys.cancel:
        return _stop(watch, Stopping.CANCEL, woke.awake_us)
    if woke.key == keys.deadline:
        return replace(watch, is_frozen=True)
    if woke.key == keys.renewed:
        return replace(watch, is_frozen=False)
    if woke.key == keys.lost:
        return replace(watch, is_lost=True)
    if woke.message is None:
        return watch
    seen = _told(watch, woke.message)
    has_just_ended = seen.exit is not None and watch.exit is None
    return replace(seen, exited_us=woke.awake_us) if has_just_ended else seen


def _told(watch: Watch, message: Any) -> Watch:
    match message:
        case Spoke(awake_us=spoke_us):
            return replace(watch, spoke_us=spoke_us)
        case events.Started(facts=facts):
            return replace(watch, has_started=True, facts=facts)
        case Ended():
            return replace(watch, is_over=True)
        case _:
            return _told_of_the_end(watch, message)


def _told_of_the_end(watch: Watch, message: Any) -> Watch:
    match message:
        case events.NotStarted():
            return replace(watch, refusal=message, is_empty=True)
        case events.Exited(code):
            return replace(watch, exit=Exited(code=code))
        case events.Signalled(number):
            return replace(watch, exit=Signalled(number=number))
        case events.Empty(is_certain):
            return replace(watch, is_empty=is_certain)
        case events.LauncherLost():
            return replace(watch, has_lost_launcher=True)
        case _:
            return watch


def next_limit(watch: Watch, limits: Timeouts) -> int:
    """Return when, on the awake clock, something has to be done next."""
    if watch.stopping is not None and not watch.is_killed:
        return watch.stopping_since_us + GRACE_US
    if watch.stopping is not None or watch.exit is not None:
        return _dead_by(watch)
    return min(at for at, _ in _limits(watch, limits))


def reached(watch: Watch, limits: Timeouts, awake_us: int) -> Watch:
    """Return the watch, stopping for the first limit that is reached; a program that has ended reaches none."""
    if watch.stopping is not None or watch.exit is not None:
        return watch
    at, limit = min(_limits(watch, limits), key=lambda found: found[0])
    return _stop(watch, limit, awake_us) if at <= awake_us else watch


def killed(watch: Watch, awake_us: int) -> Watch:
    """Return the watch with the tree killed once the grace after SIGTERM is over."""
    is_late = watch.stopping is not None and awake_us >= watch.stopping_since_us + GRACE_US
    return replace(watch, is_killed=watch.is_killed or is_late)


def is_hopeless(watch: Watch, awake_us: int) -> bool:
    """Say whether the tree should have been dead long ago: somebody in it cannot be killed by us."""
    is_expected = watch.is_killed or (watch.exit is not None and watch.stopping is None)
    return is_expected and awake_us >= _dead_by(watch)


def _dead_by(watch: Watch) -> int:
    if watch.stopping is not None:
        return watch.stopping_since_us + GRACE_US + PATIENCE_US
    return watch.exited_us + PATIENCE_US


def _limits(watch: Watch, limits: Timeouts) -> list[tuple[int, Stopping]]:
    found = [(watch.launched_us + limits.wall_us, Stopping.WALL)]
    if not watch.has_started:
        found.append((watch.launched_us + limits.start_us, Stopping.START))
    if limits.silence_us is not None:
        found.append((watch.spoke_us + limits.silence_us, Stopping.SILENCE))
    return found


def _stop(watch: Watch, why: Stopping, awake_us: int) -> Watch:
    if watch.stopping is not None:
        return watch
    return replace(watch, stopping=why, stopping_since_us=awake_us)


def exit_of(watch: Watch) -> Exit:
    """Return how a program that is over ended: why we ended it, else how it ended by itself."""
    if watch.stopping is Stopping.CANCEL:
        return Cancelled(was_started=watch.has_started)
    if watch.stopping is not None and not isinstance(watch.exit, Exited):
        return TimedOut(kind=_TIMEOUTS[watch.stopping])
    return watch.exit or LaunchLost()
