"""A plan: the definition of one revision with every default and derived fact filled in; what the engine works from.

The definition as written (and its digest) is kept beside it and never changes; the plan is stored in two parts, because
admission reads only `Timing`, and many automations share the same one.
"""

from dataclasses import dataclass
from enum import Enum

from duly.model.instant import Instant
from duly.model.timing import AnchorClass, RuleSpec, WindowRule


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapSkip:
    """A slot that is due while an earlier run is live is skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapQueueOne:
    """One run waits; a third is skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapAllow:
    """Up to `count` runs at once; beyond it refused."""

    count: int


Overlap = OverlapSkip | OverlapQueueOne | OverlapAllow


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUpNone:
    """Missed slots stay missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUpLatest:
    """The newest missed slot runs, if not older than `age_us_max`."""

    age_us_max: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUpBounded:
    """The newest `count` missed slots run as a chain, oldest first, if not older than `age_us_max`."""

    count: int
    age_us_max: int


CatchUp = CatchUpNone | CatchUpLatest | CatchUpBounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """When work is due and how its slots are answered: all that admission reads. `rule` None: manual only."""

    rule: RuleSpec | None
    zone: str
    anchor: AnchorClass | None
    window: WindowRule
    overlap: Overlap
    catch_up: CatchUp
    valid_from: Instant | None
    valid_until: Instant | None
    late_us_max: int
    start_us_max: int
    queue_us_max: int | None
    priority: int
    input_version: str


class Isolation(Enum):
    """Where an agent works: in a staged copy, or in the directory itself."""

    STAGED = "staged"
    IN_PLACE = "in_place"


class Home(Enum):
    """Which HOME an agent sees."""

    PRIVATE = "private"
    INHERIT = "inherit"


class Restart(Enum):
    """Whether the definition vouches that a dead, unfinished execution may simply be started again."""

    PROVEN = "proven"
    SAFE = "safe"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenFile:
    """A prompt or skill file as it was when the revision was made: name and SHA-256 in the bytes store."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A secret by reference (`env:NAME` or `file:/path`), given to the agent as environment variable `name`."""

    name: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """An environment variable given as written."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Limits of one execution, µs; None: no such limit."""

    start_us: int
    silence_us: int | None
    wall_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program to run: argv with placeholders such as `{artifact}` (docs/definitions.md), and its own wall limit."""

    argv: tuple[str, ...]
    wall_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The `command` driver's settings."""

    driver: str
    argv: tuple[str, ...]
    path: str  # PATH as recorded when the revision was made
    home: Home
    restart: Restart
    variables: tuple[Variable, ...]
    secrets: tuple[Secret, ...]
    timeouts: Timeouts


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What an attempt reads: source globs beneath the root, and a git repository (absolute path)."""

    sources: tuple[str, ...]
    repo: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """What completes a run. All None and empty: nothing does, every run needs review."""

    artifact: str | None  # path beneath the root, with placeholders
    verify: Command | None
    exit_codes: tuple[int, ...]


class RemoteWrite(Enum):
    """Whether the agent may change other systems."""

    DENIED = "denied"
    GATED = "gated"


class Overwrite(Enum):
    """Whether a second publication may replace a published artifact."""

    ALLOWED = "allowed"
    DENIED = "denied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Attempts for transient failures, with exponential backoff and deterministic jitter."""

    attempts_max: int
    delay_us: int
    delay_us_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What an occurrence means: all that a runner reads."""

    job_key: str
    root: str  # absolute; the first of cwds
    cwds: tuple[str, ...]
    isolation: Isolation
    prompt: str  # text with placeholders
    prompt_params: tuple[Variable, ...]
    skills: tuple[FrozenFile, ...]
    agent: Agent
    inputs: Inputs
    precheck: Command | None
    expect: Expect
    write_scope: tuple[str, ...]
    remote_write: RemoteWrite
    overwrite: Overwrite
    result_artifact: str | None  # path beneath the root, with placeholders
    retry: Retry
    notify: tuple[str, ...]  # argv; empty: DULY_NOTIFY or nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One revision, ready to work from."""

    timing: Timing
    work: Work
