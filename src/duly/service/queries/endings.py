"""How runs ended, with the exit code of their program where it decided."""

from dataclasses import replace

from duly.ledger.api.tx import Tx
from duly.model.reasons import Reason
from duly.model.run import Run
from duly.model.states import Grade
from duly.service.queries import reading
from duly.service.views import KnownEnding, KnownRun, RunView, run_view


def view(tx: Tx, run: Run) -> RunView:
    """Return a run as lists show it."""
    return run_view(known(tx, run))


def known(tx: Tx, run: Run) -> KnownRun:
    """Return a run with what it is for and its exit code."""
    return replace(reading.with_pin(tx, run), exit_code=_exit_code(tx, run))


def ending(tx: Tx, run: Run) -> KnownEnding:
    """Return a run with its exit code alone."""
    return KnownEnding(run=run, exit_code=_exit_code(tx, run))


def _exit_code(tx: Tx, run: Run) -> int:
    if run.grade is not Grade.EXIT and run.reason != Reason.EXIT_UNEXPECTED.value:
        return 0
    codes = [one.exit_code for one in tx.executions(run.run_id) if one.part == "agent"]
    return codes[-1] or 0 if codes else 0
