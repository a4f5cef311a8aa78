"""What is known when an execution ends, and the ending that `duly.policy.outcome` makes of it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from duly.model.plan import Isolation, Restart
from duly.model.reasons import Reason
from duly.model.states import ErrorClass, Grade, Outcome


class Timeout(Enum):
    """Which limit an execution ran into."""

    START = "start"
    SILENCE = "silence"
    WALL = "wall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exited:
    """The agent ended by itself."""

    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Signalled:
    """A signal that Duly did not send ended the agent."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """Duly ended the agent at a limit; its tree is dead."""

    kind: Timeout


@dataclass(frozen=True, slots=True, kw_only=True)
class NotStarted:
    """No agent was started, and that is proven; `reason` is a key of `NOT_STARTED`."""

    reason: Reason

    def __post_init__(self) -> None:
        """Refuse a reason that does not say why nothing was started."""
        if self.reason not in NOT_STARTED:
            raise ValueError(f"{self.reason.value} is no reason for not starting")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """The precheck said that this window has no work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """A person ended it; an agent that was started is dead."""

    was_started: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchLost:
    """The launcher went away and did not say how the agent ended."""


Exit = Exited | Signalled | TimedOut | NotStarted | Declined | Cancelled | LaunchLost


class ArtifactCheck(Enum):
    """How the declared artifact was found in what the agent left."""

    PRESENT = "present"
    ABSENT = "absent"
    EMPTY = "empty"
    NOT_DECLARED = "not_declared"


class VerifyResult(Enum):
    """What the `verify` command said. After a bad exit it need not be run: `COULD_NOT_RUN`."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_DECLARED = "not_declared"
    COULD_NOT_RUN = "could_not_run"


class Publication(Enum):
    """How far publishing came: decide first with `NOT_TRIED`, publish a completion, then decide again."""

    NOT_TRIED = "not_tried"
    DONE = "done"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndFacts:
    """What is known at the end of an execution.

    `exit_codes`: those that the definition declares as success. `in_scope_changes`, `out_of_scope`: what the agent
    changed where it worked, in a staged copy that is thrown away unless published, or in place. `tree_changed`: the
    directory itself is not as it was before the start. `published`: an attempt of this run has published something.
    """

    exit: Exit
    exit_codes: tuple[int, ...]
    artifact: ArtifactCheck
    verify: VerifyResult
    in_scope_changes: bool
    out_of_scope: tuple[str, ...]
    tree_changed: bool
    published: bool
    restart: Restart
    isolation: Isolation
    publication: Publication = Publication.NOT_TRIED


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """An outcome and what it rests on.

    `is_vouched`: that nothing was written is the definition's word (`restart: safe`), not a proof.
    """

    outcome: Outcome
    grade: Grade | None
    reason: Reason
    error_class: ErrorClass | None
    is_vouched: bool = False


NOT_STARTED: Final = {
    Reason.CWD_MISSING: ErrorClass.PERMANENT,
    Reason.PROGRAM_MISSING: ErrorClass.PERMANENT,
    Reason.PROGRAM_NOT_EXECUTABLE: ErrorClass.PERMANENT,
    Reason.SECRET_MISSING: ErrorClass.PERMANENT,
    Reason.START_FAILED: ErrorClass.TRANSIENT,
    Reason.START_DEADLINE: ErrorClass.PERMANENT,
    Reason.QUEUE_DEADLINE: ErrorClass.PERMANENT,
    Reason.PRECHECK_FAILED: ErrorClass.TRANSIENT,
    Reason.STAGING_FAILED: ErrorClass.TRANSIENT,
    Reason.SNAPSHOT_UNAVAILABLE: ErrorClass.POLICY,
    Reason.WORK_UNREADABLE: ErrorClass.POLICY,
}
"""Why an attempt could not begin, or not go on behind its agent, and what that means for the next try."""
