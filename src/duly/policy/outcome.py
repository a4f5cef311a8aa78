"""Outcome: how a run ended, by the ledger and its proofs; never by words, by an exit code only where declared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, assert_never

from duly.model.plan import Isolation, Restart
from duly.model.reasons import Reason
from duly.model.states import ErrorClass, Grade, Outcome
from duly.policy import rows
from duly.policy.ending import (
    NOT_STARTED,
    ArtifactCheck,
    Cancelled,
    Declined,
    EndFacts,
    Ending,
    Exit,
    Exited,
    LaunchLost,
    NotStarted,
    Publication,
    Signalled,
    TimedOut,
    Timeout,
    VerifyResult,
)
from duly.policy.rows import Row

_TIMEOUTS: Final = {
    Timeout.START: Reason.START_TIMEOUT,
    Timeout.SILENCE: Reason.SILENCE_TIMEOUT,
    Timeout.WALL: Reason.WALL_TIMEOUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a row of the table answers; None for reason and class: those of the exit itself."""

    outcome: Outcome
    grade: Grade | None = None
    reason: Reason | None = None
    error_class: ErrorClass | None = None
    is_vouched: bool = False


def decide(facts: EndFacts) -> Ending:
    """Say how the run ended. A completion still has to be published; then ask again with `publication` set."""
    result = rows.first(ROWS, facts).answer
    own_reason, own_class = own(facts.exit)
    return Ending(
        outcome=result.outcome,
        grade=_grade(result),
        reason=result.reason or own_reason,
        error_class=result.error_class if result.reason else own_class,
        is_vouched=result.is_vouched,
    )


def _grade(result: Result) -> Grade | None:
    is_failure = result.outcome is Outcome.FAILED_BEFORE_WRITE
    return Grade.DECLARED if is_failure and result.is_vouched else result.grade


def own(exit_: Exit) -> tuple[Reason, ErrorClass | None]:
    """Return the reason and error class of an exit when nothing else is known."""
    match exit_:
        case Exited():
            return Reason.EXIT_UNEXPECTED, ErrorClass.TRANSIENT
        case Signalled():
            return Reason.SIGNALLED, ErrorClass.TRANSIENT
        case TimedOut(kind=kind):
            return _TIMEOUTS[kind], ErrorClass.TRANSIENT
        case NotStarted(reason=reason):
            return reason, NOT_STARTED[reason]
        case Declined():
            return Reason.PRECHECK_DECLINED, None
        case Cancelled():
            return Reason.CANCELLED_MAY_HAVE_WRITTEN, None
        case LaunchLost():
            return Reason.LAUNCH_LOST, ErrorClass.UNKNOWN_OUTCOME
        case _:
            assert_never(exit_)


def _is_in_place(facts: EndFacts) -> bool:
    return facts.isolation is Isolation.IN_PLACE


def _has_written(facts: EndFacts) -> bool:
    changed = facts.in_scope_changes or bool(facts.out_of_scope) or facts.tree_changed
    return facts.published or (_is_in_place(facts) and changed)


def _is_vouched(facts: EndFacts) -> bool:
    """Say whether the definition's word covers it: vouched for, and nothing was seen to change."""
    is_unchanged = not facts.tree_changed and not _has_written(facts)
    return facts.restart is Restart.SAFE and is_unchanged


def _ended_well(facts: EndFacts) -> bool:
    return isinstance(facts.exit, Exited) and facts.exit.code in (facts.exit_codes or (0,))


def _is_exit_declared(facts: EndFacts) -> bool:
    return isinstance(facts.exit, Exited) and facts.exit.code in facts.exit_codes


def _is_verified(facts: EndFacts) -> bool:
    """A check that passed outweighs an exit code of which the definition says nothing."""
    is_exit_silent = isinstance(facts.exit, Exited) and not facts.exit_codes
    has_artifact = facts.artifact in (ArtifactCheck.PRESENT, ArtifactCheck.NOT_DECLARED)
    is_passed = facts.verify is VerifyResult.PASSED
    return is_passed and has_artifact and (is_exit_silent or _ended_well(facts))


def _is(kind: type[Exit]) -> Callable[[EndFacts], bool]:
    return lambda facts: isinstance(facts.exit, kind)


def _all(*conditions: Callable[[EndFacts], bool]) -> Callable[[EndFacts], bool]:
    return lambda facts: all(condition(facts) for condition in conditions)


def _artifact(check: ArtifactCheck) -> Callable[[EndFacts], bool]:
    return lambda facts: facts.artifact is check


def _verify(result: VerifyResult) -> Callable[[EndFacts], bool]:
    return lambda facts: facts.verify is result


def _publication(publication: Publication) -> Callable[[EndFacts], bool]:
    return lambda facts: facts.publication is publication


def _is_cancelled_before(facts: EndFacts) -> bool:
    is_unstarted = isinstance(facts.exit, Cancelled) and not facts.exit.was_started
    return _is(Cancelled)(facts) and (is_unstarted or _is_vouched(facts))


def _is_policy(facts: EndFacts) -> bool:
    return own(facts.exit)[1] is ErrorClass.POLICY


_REVIEW: Final = Result(outcome=Outcome.NEEDS_REVIEW)
_VOUCHED: Final = Result(outcome=Outcome.FAILED_BEFORE_WRITE, is_vouched=True)
_WRITTEN: Final = Result(outcome=Outcome.FAILED_AFTER_WRITE)


def _review(reason: Reason, error_class: ErrorClass = ErrorClass.POLICY) -> Result:
    return Result(outcome=Outcome.NEEDS_REVIEW, reason=reason, error_class=error_class)


def _cancelled(reason: Reason) -> Result:
    return Result(outcome=Outcome.CANCELLED, reason=reason)


def _completed(grade: Grade, reason: Reason) -> Result:
    return Result(outcome=Outcome.COMPLETED, grade=grade, reason=reason)


def _again(reason: Reason) -> Result:
    return Result(
        outcome=Outcome.FAILED_BEFORE_WRITE,
        reason=reason,
        error_class=ErrorClass.TRANSIENT,
        is_vouched=True,
    )


ROWS: Final[tuple[Row[EndFacts, Result], ...]] = (
    Row(
        found="it is not known whether a publication was applied",
        holds=_publication(Publication.UNKNOWN),
        answer=_review(Reason.EFFECT_UNKNOWN, ErrorClass.UNKNOWN_OUTCOME),
    ),
    Row(
        found="cancelled; something was published, or changed in place",
        holds=_all(_is(Cancelled), _has_written),
        answer=_cancelled(Reason.CANCELLED_AFTER_WRITE),
    ),
    Row(
        found="cancelled; not started, or nothing changed and `restart: safe`",
        holds=_is_cancelled_before,
        answer=_cancelled(Reason.CANCELLED_BEFORE_WRITE),
    ),
    Row(
        found="cancelled; the agent was started and could have written unseen",
        holds=_is(Cancelled),
        answer=_cancelled(Reason.CANCELLED_MAY_HAVE_WRITTEN),
    ),
    Row(
        found="the launcher was lost",
        holds=_is(LaunchLost),
        answer=_REVIEW,
    ),
    Row(
        found="something outside the write scope was changed",
        holds=lambda facts: bool(facts.out_of_scope),
        answer=_review(Reason.OUT_OF_SCOPE),
    ),
    Row(
        found="a publication was refused after another one was made",
        holds=_all(_publication(Publication.REFUSED), _has_written),
        answer=Result(
            outcome=Outcome.FAILED_AFTER_WRITE,
            reason=Reason.PUBLICATION_REFUSED,
            error_class=ErrorClass.POLICY,
        ),
    ),
    Row(
        found="a publication was refused",
        holds=_publication(Publication.REFUSED),
        answer=_review(Reason.PUBLICATION_REFUSED),
    ),
    Row(
        found="not started; an earlier attempt has written",
        holds=_all(_is(NotStarted), _has_written),
        answer=_WRITTEN,
    ),
    Row(
        found="not started; the frozen snapshot is not available",
        holds=_all(_is(NotStarted), _is_policy),
        answer=_REVIEW,
    ),
    Row(
        found="not started",
        holds=_is(NotStarted),
        answer=Result(outcome=Outcome.FAILED_BEFORE_WRITE),
    ),
    Row(
        found="the precheck declined; an earlier attempt has written",
        holds=_all(_is(Declined), _has_written),
        answer=_REVIEW,
    ),
    Row(
        found="the precheck declined",
        holds=_is(Declined),
        answer=Result(outcome=Outcome.NO_CHANGE),
    ),
    Row(
        found="ended well; the declared artifact is absent",
        holds=_all(_ended_well, _artifact(ArtifactCheck.ABSENT)),
        answer=_review(Reason.ARTIFACT_ABSENT),
    ),
    Row(
        found="ended well; the declared artifact is empty",
        holds=_all(_ended_well, _artifact(ArtifactCheck.EMPTY)),
        answer=_review(Reason.ARTIFACT_EMPTY),
    ),
    Row(
        found="`verify` passed; the exit is as declared, or none is",
        holds=_is_verified,
        answer=_completed(Grade.VERIFY, Reason.VERIFY_PASSED),
    ),
    Row(
        found="ended well; `verify` failed, nothing changed and `restart: safe`",
        holds=_all(_ended_well, _verify(VerifyResult.FAILED), _is_vouched),
        answer=_again(Reason.VERIFY_FAILED),
    ),
    Row(
        found="ended well; `verify` failed",
        holds=_all(_ended_well, _verify(VerifyResult.FAILED)),
        answer=_review(Reason.VERIFY_FAILED),
    ),
    Row(
        found="ended well; `verify` could not run, nothing changed and `restart: safe`",
        holds=_all(_ended_well, _verify(VerifyResult.COULD_NOT_RUN), _is_vouched),
        answer=_again(Reason.VERIFY_COULD_NOT_RUN),
    ),
    Row(
        found="ended well; `verify` could not run",
        holds=_all(_ended_well, _verify(VerifyResult.COULD_NOT_RUN)),
        answer=_review(Reason.VERIFY_COULD_NOT_RUN),
    ),
    Row(
        found="ended well; the declared artifact is present",
        holds=_all(_ended_well, _artifact(ArtifactCheck.PRESENT)),
        answer=_completed(Grade.ARTIFACT, Reason.ARTIFACT_PRESENT),
    ),
    Row(
        found="ended with an exit that the definition declares",
        holds=_is_exit_declared,
        answer=_completed(Grade.EXIT, Reason.EXIT_DECLARED),
    ),
    Row(
        found="ended well; the definition declares no proof",
        holds=_ended_well,
        answer=_review(Reason.NO_PROOF),
    ),
    Row(
        found="another exit, a signal or a timeout; nothing changed and `restart: safe`",
        holds=_is_vouched,
        answer=_VOUCHED,
    ),
    Row(
        found="another exit, a signal or a timeout; something was published, or changed in place",
        holds=_has_written,
        answer=_WRITTEN,
    ),
    Row(
        found="another exit, a signal or a timeout; the agent could have written unseen",
        holds=lambda facts: not _has_written(facts),
        answer=_REVIEW,
    ),
)
