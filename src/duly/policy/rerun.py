"""Rerun: a run is met again, by an occurrence for the same work, a lease that ran out, or a restart. What now?"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from duly.model.plan import Restart
from duly.model.reasons import Reason
from duly.model.states import Outcome, RunState, Verdict
from duly.policy import lifecycle, rows
from duly.policy.rows import Row


class ArtifactFact(Enum):
    """How a completed run's artifact was found."""

    NONE_DECLARED = "none_declared"
    INTACT = "intact"
    SUPERSEDED = "superseded"  # a later publication of that path is recorded
    MISSING = "missing"
    ALTERED = "altered"


class ExecutionFact(Enum):
    """What is known of the programs that the run's last attempt started.

    `UNPROVABLE_YET` and `UNPROVABLE_TOO_LONG` part at the lease's end + 10 minutes. `SETTLED`: the agent's end and what
    it left are recorded, so a new attempt goes on behind it. `DEAD`: its tree is gone, and nobody saw how it ended.
    """

    NEVER_STARTED = "never_started"
    NOT_STARTED_PROVEN = "not_started_proven"
    SETTLED = "settled"
    DEAD = "dead"
    MAY_LIVE = "may_live"
    UNPROVABLE_YET = "unprovable_yet"
    UNPROVABLE_TOO_LONG = "unprovable_too_long"


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunFacts:
    """What was found. For facts that do not matter in a state (such as the artifact of a live run) any value will do.

    `effects_open`: one is pending or unknown. `writes_contained`: the agent could write nothing unseen. `wrote`: an
    effect succeeded, or a write was seen. `input_changed`: the window was asked for with another input version.
    """

    state: RunState
    outcome: Outcome | None
    lease_live: bool
    artifact: ArtifactFact
    execution: ExecutionFact
    effects_open: bool
    restart: Restart
    writes_contained: bool
    wrote: bool
    input_changed: bool


_INTACT: Final = (ArtifactFact.NONE_DECLARED, ArtifactFact.INTACT, ArtifactFact.SUPERSEDED)
_WAITING: Final = (RunState.CREATED, RunState.QUEUED, RunState.AWAITING_APPROVAL)
_MAY_BE_PROVEN: Final = (ExecutionFact.MAY_LIVE, ExecutionFact.UNPROVABLE_YET)
_NOT_STARTED: Final = (ExecutionFact.NEVER_STARTED, ExecutionFact.NOT_STARTED_PROVEN)
_AT_WORK: Final = lifecycle.CLAIMED | {RunState.RETRYING}


def _is_vouched(facts: RerunFacts) -> bool:
    return facts.writes_contained or facts.restart is Restart.SAFE


def _is_unseen(facts: RerunFacts) -> bool:
    return facts.execution is ExecutionFact.DEAD and not _is_vouched(facts)


def _may_restart(facts: RerunFacts) -> bool:
    return not facts.wrote and (facts.execution in _NOT_STARTED or _is_vouched(facts))


def _in(*states: RunState) -> Callable[[RerunFacts], bool]:
    return lambda facts: facts.state in states


def _failed(facts: RerunFacts) -> bool:
    return facts.state is RunState.FAILED


ROWS: Final[tuple[Row[RerunFacts, Verdict], ...]] = (
    Row(
        found="another input version for the same window",
        holds=lambda facts: facts.input_changed,
        answer=Verdict.AMEND,
    ),
    Row(
        found="completed; artifact intact, superseded by a later recorded publication, or none declared",
        holds=lambda facts: facts.state is RunState.COMPLETED and facts.artifact in _INTACT,
        answer=Verdict.REUSE,
    ),
    Row(
        found="completed; artifact missing or altered (the run itself does not change)",
        holds=_in(RunState.COMPLETED),
        answer=Verdict.REVIEW_ARTIFACT,
    ),
    Row(
        found="cancelled",
        holds=_in(RunState.CANCELLED),
        answer=Verdict.STOPPED,
    ),
    Row(
        found="queued, waiting or awaiting approval",
        holds=_in(*_WAITING),
        answer=Verdict.JOINED,
    ),
    Row(
        found="its lease is live",
        holds=lambda facts: facts.lease_live,
        answer=Verdict.BUSY,
    ),
    Row(
        found="a program of its last attempt may live",
        holds=lambda facts: facts.execution in _MAY_BE_PROVEN,
        answer=Verdict.PROVE_DEAD,
    ),
    Row(
        found="at work; whether a program lives could not be proven for too long",
        holds=lambda facts: (
            facts.state in _AT_WORK and facts.execution is ExecutionFact.UNPROVABLE_TOO_LONG
        ),
        answer=Verdict.HOST_UNREACHABLE,
    ),
    Row(
        found="settled; whether a program lives could not be proven for too long",
        holds=lambda facts: facts.execution is ExecutionFact.UNPROVABLE_TOO_LONG,
        answer=Verdict.STOPPED,
    ),
    Row(
        found="an effect is pending or unknown",
        holds=lambda facts: facts.effects_open,
        answer=Verdict.RECONCILE,
    ),
    Row(
        found="at work; its agent died, could have written unseen, and the definition does not vouch",
        holds=lambda facts: facts.state in _AT_WORK and _is_unseen(facts),
        answer=Verdict.REVIEW,
    ),
    Row(
        found="at work; no lease, and nothing that could have happened unseen",
        holds=_in(*_AT_WORK),
        answer=Verdict.RESUME,
    ),
    Row(
        found="failed before a write: proven, or vouched for",
        holds=lambda facts: _failed(facts) and _may_restart(facts),
        answer=Verdict.RESTART,
    ),
    Row(
        found="failed before a write: neither proven nor vouched for, or a write was seen since",
        holds=_failed,
        answer=Verdict.REVIEW,
    ),
    Row(
        found="failed after a write; no effect is open that evidence could close",
        holds=lambda facts: facts.outcome is Outcome.FAILED_AFTER_WRITE,
        answer=Verdict.REVIEW,
    ),
    Row(
        found="needs review, or blocked",
        holds=_in(RunState.BLOCKED),
        answer=Verdict.STOPPED,
    ),
)


def decide(facts: RerunFacts) -> Verdict:
    """Say what becomes of a run that is met again; after `PROVE_DEAD` and `RECONCILE` ask once more with new facts."""
    return rows.first(ROWS, facts).answer


def amend_waits(earlier: RunState) -> Reason | None:
    """Return why a run for another input version may not start yet; None: it may."""
    if earlier is RunState.BLOCKED:
        return Reason.WAITS_FOR_REVIEW
    return Reason.WAITS_FOR_EARLIER if earlier in lifecycle.LIVE else None
