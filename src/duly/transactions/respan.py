"""After an edit of window or zone the same span of the world has two names: working on it again needs a redo."""

from typing import Final

from duly.ledger.api.runs import RunFilter
from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.errors import ConflictError
from duly.model.plan import Timing
from duly.model.run import Run, RunPin
from duly.model.timing import Window
from duly.transactions.plans import timing_of

_LOOKED_AT_MAX: Final = 200


def check(tx: Tx, automation: Automation, timing: Timing, window: Window) -> None:
    """Raise ConflictError when a started run of an earlier window rule or zone read a part of this window's span."""
    if automation.revision == 1:
        return
    chosen = RunFilter(automation_id=automation.automation_id, limit=_LOOKED_AT_MAX)
    for run in tx.runs(chosen):
        pin = tx.run_pin(run.run_id)
        assert pin is not None
        if _is_started(run) and _overlaps(pin, window) and _is_named_otherwise(tx, pin, timing):
            raise ConflictError(
                f"the run of window {pin.window_key} has worked on a part of {window.key} already",
                fix='run it all the same with --redo "REASON"',
            )


def _is_started(run: Run) -> bool:
    return run.attempts > 0


def _overlaps(pin: RunPin, window: Window) -> bool:
    return pin.span_start < window.span_end and window.span_start < pin.span_end


def _is_named_otherwise(tx: Tx, pin: RunPin, timing: Timing) -> bool:
    revision = tx.revision(pin.automation_id, pin.revision)
    assert revision is not None
    before = timing_of(revision.timing)
    return (before.window, before.zone) != (timing.window, timing.zone)
