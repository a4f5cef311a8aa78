"""How an execution's end is written into its row and read back, so that a later attempt can go on behind it."""

from typing import Final

from duly.model.run import Execution
from duly.policy.ending import Cancelled, Exit, Exited, LaunchLost, Signalled, TimedOut, Timeout

DEAD: Final = "dead"
"""Its tree was proven dead later; nobody saw how it ended."""
NOT_STARTED: Final = "not_started"
_LOST: Final = "launch_lost"
_CANCELLED: Final = "cancelled"
_EXITED: Final = "exited"


def write(ended: Exit) -> tuple[str, int | None]:
    """Return the `ending` and `exit_code` columns."""
    match ended:
        case Exited(code=code):
            return _EXITED, code
        case Signalled(number=number):
            return f"signalled:{number}", None
        case TimedOut(kind=kind):
            return f"timed_out:{kind.value}", None
        case Cancelled():
            return _CANCELLED, None
        case _:
            return _LOST, None


def read(execution: Execution) -> Exit | None:
    """Return how the execution ended; None when nobody saw it, or it has not ended."""
    word, _, detail = (execution.ending or "").partition(":")
    match word:
        case "exited":
            return Exited(code=execution.exit_code or 0)
        case "signalled":
            return Signalled(number=int(detail))
        case "timed_out":
            return TimedOut(kind=Timeout(detail))
        case "cancelled":
            return Cancelled(was_started=True)
        case "launch_lost":
            return LaunchLost()
        case _:
            return None
