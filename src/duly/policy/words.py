"""Words: how an outcome reads to a person; the codes stand beside them."""

from typing import Final, assert_never

from duly.model.reasons import Reason
from duly.model.states import Grade, Outcome
from duly.policy import explain

_CANCELLED: Final = {
    Reason.CANCELLED_BEFORE_WRITE: "Cancelled, nothing changed",
    Reason.CANCELLED_AFTER_WRITE: "Cancelled after writing",
    Reason.CANCELLED_MAY_HAVE_WRITTEN: "Cancelled, may have written",
}


def words(outcome: Outcome, grade: Grade | None, reason: Reason | None, exit_code: int = 0) -> str:
    """Return the line that a person reads; `exit_code` matters where the exit decided, and is 0 elsewhere."""
    match outcome:
        case Outcome.COMPLETED:
            return _done(grade, exit_code)
        case Outcome.NO_CHANGE:
            return "Nothing to do"
        case Outcome.FAILED_BEFORE_WRITE:
            is_declared = grade is Grade.DECLARED
            failed = (
                "Failed, declared safe to run again" if is_declared else "Failed, nothing changed"
            )
            return failed + _because(reason, exit_code)
        case Outcome.FAILED_AFTER_WRITE:
            return "Needs you: failed after writing" + _because(reason, exit_code)
        case Outcome.NEEDS_REVIEW:
            return "Needs you" + _because(reason, exit_code)
        case Outcome.CANCELLED:
            return _CANCELLED.get(reason, "Cancelled") if reason else "Cancelled"
        case _:
            assert_never(outcome)


def _done(grade: Grade | None, exit_code: int) -> str:
    match grade:
        case None:
            return "Done, settled by a person"
        case Grade.VERIFY:
            return "Done, checked by verify"
        case Grade.ARTIFACT:
            return "Done, artifact made"
        case Grade.FINISH:
            return "Done, reported finished"
        case Grade.EXIT:
            return f"Exited {exit_code}, not verified"
        case Grade.DECLARED:
            raise AssertionError("a completion rests on a proof or on an exit code")
        case _:
            assert_never(grade)


def _because(reason: Reason | None, exit_code: int) -> str:
    return f": {explain.phrase(reason, exit_code)}" if reason else ""
