"""Requests that a run's steps make of the outside, and their answers; performed by the modules beside this one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from duly.adapters.launch.proof import ExecutionFacts
from duly.adapters.launch.request import Launch
from duly.model.instant import Instant
from duly.model.plan import Work
from duly.model.run import RunPin, Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveDead:
    """Prove that nothing of these executions lives; what is found of them is killed first.

    `is_own`: this process started them and lost their launcher, so it has adopted what they left.
    """

    executions: tuple[ExecutionFacts, ...]
    is_own: bool = False


class DeathProof(Enum):
    """Whether older executions are dead."""

    DEAD = "dead"
    MAY_LIVE = "may_live"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlace:
    """See whether the root directory and the agent's program are there."""

    work: Work


class Place(Enum):
    """What is missing before work can start."""

    READY = "ready"
    DIRECTORY_MISSING = "directory_missing"
    PROGRAM_MISSING = "program_missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observe:
    """Freeze what the run reads: copy the sources once, note the repository's commit."""

    pin: RunPin
    work: Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What was frozen."""

    source_set: tuple[str, ...]
    base_commit: str | None
    base_tree: str | None
    observed_at: Instant
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which program of which attempt: everything its environment and placeholders are made from."""

    pin: RunPin
    work: Work
    snapshot: Snapshot
    name: str
    argv: tuple[str, ...]
    fence: int
    attempt: int
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """Make an attempt's working copy, prompt file, HOME and TMPDIR, and the launch of one of its programs.

    A working copy that exists for the fence is used as it is: precheck, agent and verify of an attempt share it.
    """

    part: Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A launch, ready to start, and an open log that redacts its secrets.

    `facts` prove its death if the launcher is lost before it told of itself. `argv_shown` holds no secret.
    """

    launch: Launch = field(repr=False)
    facts: ExecutionFacts
    log: Any = field(repr=False)
    write_output: Callable[[Any], None]
    argv_shown: tuple[str, ...]
    prompt_sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLog:
    """Finish a log and move it into the bytes store."""

    log: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLog:
    """A finished log: its SHA-256 in the bytes store, and its size."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLeftLog:
    """Copy what a program that is dead by now has left as its log into the bytes store; answers `KeptLog | None`."""

    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLogs:
    """Name the executions whose growing log, or launcher's record, is on this disk; answers a tuple of tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveLogs:
    """Remove growing logs and launchers' records of executions that are over."""

    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examine:
    """Compare what an attempt left with what it was given."""

    part: Part


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file that an attempt may publish; hashes are SHA-256, `before` None where there was none."""

    path: str
    before: str | None
    after: str
    bytes: int
    mode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What an attempt left: changes inside the scope, everything else it changed, and the artifact.

    `artifact` None: no artifact is declared, or it was not written by this attempt. `difference_sha256` names the text
    that shows all changes outside the scope.
    """

    in_scope: tuple[ChangedFile, ...]
    out_of_scope: tuple[str, ...]
    artifact: ChangedFile | None
    is_artifact_empty: bool
    difference_sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishFiles:
    """Put files of an attempt's working copy in their place beneath the root, compare-and-set on what is there.

    Nothing is written after `not_after`.
    """

    part: Part
    files: tuple[ChangedFile, ...]
    not_after: Instant


class FileFate(Enum):
    """What became of one file that was to be published."""

    PUBLISHED = "published"
    CONFLICT = "conflict"  # something else is there: not written
    REFUSED = "refused"  # a link, or not a regular file: not written
    NOT_SENT = "not_sent"  # this holder's deadline had passed: not written
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFile:
    """The fate of one file, and why; `difference_sha256` names the text difference to what it replaced."""

    path: str
    fate: FileFate
    detail: str
    difference_sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """Compare files that an attempt wrote with those that stand in their place; nothing is written there.

    Answers, in their order, which bytes show the text difference; None where there is none to show.
    """

    part: Part
    files: tuple[ChangedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepFiles:
    """Keep the bytes of files that an attempt wrote and that are not put in their place.

    Answers whether all are kept as they were examined.
    """

    part: Part
    files: tuple[ChangedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """Hash files beneath a root."""

    root: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFound:
    """What is at a path: its hash, None where there is nothing, or why it cannot be told."""

    path: str
    sha256: str | None
    trouble: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """Make ready to tell a person: by a command that gets the notice as JSON in a file, or else by a post to a URL."""

    notice_id: str
    argv: tuple[str, ...]
    url: str | None
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """The program that tells a person: exit 0 means told. `said` returns its last words so far, few of them."""

    launch: Launch = field(repr=False)
    write_output: Callable[[Any], None]
    name: str
    said: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PutNoticeAway:
    """Remove the file of a notice that was told, or (None) what is left of all; nobody is telling any then."""

    notice_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveStage:
    """Remove the working copies of a settled run; `keeps_base`: but not what its attempts read."""

    run_id: str
    keeps_base: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStages:
    """Name the runs that have a working copy on this disk; answers a tuple of run ids."""
