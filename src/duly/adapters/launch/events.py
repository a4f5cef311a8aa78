"""What a launch tells: small records, in the order in which things happened."""

import errno
import os
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final

from duly.adapters.launch.proof import ExecutionFacts


class Stream(Enum):
    """Where output came from; merged output is all STDOUT, in the order in which it was written."""

    STDOUT = "stdout"
    STDERR = "stderr"


class NotStartedReason(Enum):
    """Why the program was never started; each is a proof that nothing of it ran."""

    PROGRAM_MISSING = "program_missing"
    PROGRAM_DENIED = "program_denied"
    PROGRAM_UNUSABLE = "program_unusable"
    DIRECTORY_MISSING = "directory_missing"
    DIRECTORY_DENIED = "directory_denied"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The program runs. `facts` are complete now: record them before anything else is done with it."""

    facts: ExecutionFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class NotStarted:
    """The program did not start; `Empty` follows unless the launcher itself could not be started."""

    reason: NotStartedReason
    errno: int
    text: str


@dataclass(frozen=True, slots=True)
class Output:
    """Bytes that the program, or somebody in its tree, wrote."""

    stream: Stream
    data: bytes


@dataclass(frozen=True, slots=True)
class Exited:
    """The program ended by itself; unless the launch lingers, others of its tree are killed now, until `Empty`."""

    code: int


@dataclass(frozen=True, slots=True)
class Signalled:
    """The program was ended by a signal."""

    number: int


@dataclass(frozen=True, slots=True)
class Frozen:
    """The tree was stopped; `is_whole` is false if some were seen running to the last, who need `kill`."""

    is_whole: bool


@dataclass(frozen=True, slots=True)
class Thawed:
    """The tree goes on."""


@dataclass(frozen=True, slots=True)
class Empty:
    """Nobody of the tree lives; `is_certain` is false where the system cannot prove it."""

    is_certain: bool


@dataclass(frozen=True, slots=True)
class LauncherLost:
    """The launcher ended without reporting an empty tree; `Launchers.kill_orphans` finds who is left."""


Event = Started | NotStarted | Output | Exited | Signalled | Frozen | Thawed | Empty | LauncherLost

_REASONS: Final = MappingProxyType(
    {
        ("cwd", errno.ENOENT): NotStartedReason.DIRECTORY_MISSING,
        ("cwd", errno.ENOTDIR): NotStartedReason.DIRECTORY_MISSING,
        ("cwd", errno.EACCES): NotStartedReason.DIRECTORY_DENIED,
        ("program", errno.ENOENT): NotStartedReason.PROGRAM_MISSING,
        ("program", errno.ENOTDIR): NotStartedReason.PROGRAM_MISSING,
        ("program", errno.EACCES): NotStartedReason.PROGRAM_DENIED,
        ("program", errno.EPERM): NotStartedReason.PROGRAM_DENIED,
        ("program", errno.ENOEXEC): NotStartedReason.PROGRAM_UNUSABLE,
        ("program", errno.E2BIG): NotStartedReason.PROGRAM_UNUSABLE,
        ("program", errno.ELOOP): NotStartedReason.PROGRAM_UNUSABLE,
        ("program", errno.ETXTBSY): NotStartedReason.PROGRAM_UNUSABLE,
    }
)


def not_started(stage: str, number: int, *, program: str, cwd: str) -> NotStarted:
    """Return the event for a failure that the launcher reported, naming what could not be used."""
    reason = _REASONS.get((stage, number), NotStartedReason.SYSTEM)
    subject = {"cwd": cwd, "program": program}.get(stage, f"starting {program}")
    return NotStarted(reason=reason, errno=number, text=f"{subject}: {os.strerror(number)}")


def told(words: list[str]) -> Event:
    """Return the event of a status line that needs nothing but itself."""
    match words:
        case ["exited", code]:
            return Exited(int(code))
        case ["signalled", number]:
            return Signalled(int(number))
        case ["stopped" | "stopping" as word, _]:
            return Frozen(word == "stopped")
        case ["going"]:
            return Thawed()
        case ["empty" | "empty?" as word]:
            return Empty(word == "empty")
        case _:
            raise AssertionError(f"the launcher said {words!r}")
