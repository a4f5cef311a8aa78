"""The janitor: removes what crashes, and failures that nobody came back to, have left: working copies and logs."""

from typing import Final

from duly.adapters.work.requests import ListLogs, ListStages, RemoveLogs, RemoveStage
from duly.engine.node import Node
from duly.engine.requests import Read, Steps, outside, rest, surely
from duly.ledger.api.tx import Tx
from duly.model.ids import RunId
from duly.model.instant import DAY_US, Instant
from duly.model.run import Run
from duly.model.states import RunState
from duly.policy.lifecycle import FINAL
from duly.transactions.execute import may_live

_FIRST_AFTER_PARTS: Final = 10
_LOGS_AT_ONCE: Final = 20
"""A few: while the ledger is read, no other loop moves."""
KEPT_US_MAX: Final = 7 * DAY_US
"""How long what a failed run read is kept for a restart: failures of every hour may not fill the disk."""


def janitor(node: Node) -> Steps[None]:
    """Tidy for ever; first soon after the start, when what a crash left is there."""
    yield from rest(node.settings.tidy_every_us // _FIRST_AFTER_PARTS)
    while True:
        stages: tuple[str, ...] = yield from outside(ListStages())
        for run_id in (yield from surely(Read(over, stages))):
            yield from outside(RemoveStage(run_id=run_id))
        yield from _tidy_logs()
        yield from rest(node.settings.tidy_every_us)


def _tidy_logs() -> Steps[None]:
    logs: tuple[str, ...] = yield from outside(ListLogs())
    for first in range(0, len(logs), _LOGS_AT_ONCE):
        some = logs[first : first + _LOGS_AT_ONCE]
        dead: tuple[str, ...] = yield from surely(Read(over_logs, some))
        yield from outside(RemoveLogs(tokens=dead))


def over(tx: Tx, run_ids: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the runs that nobody goes on with; what a person may resume keeps its copy."""
    runs = [tx.run(RunId(run_id)) for run_id in run_ids]
    return tuple(run.run_id for run in runs if run is not None and _is_over(run, tx.at))


def over_logs(tx: Tx, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the executions whose files nobody writes or needs any more: their tree is proven dead.

    By then the log is kept by its hash. One that the ledger does not know was never started: it belongs to an attempt
    that makes ready, or that ended before.
    """
    return tuple(token for token in tokens if _is_dead(tx, token))


def _is_dead(tx: Tx, token: str) -> bool:
    run = tx.run(RunId(token.partition(".")[0]))
    if run is None:
        return False
    for execution in tx.executions(run.run_id):
        if execution.token == token:
            return execution.ended_at is not None and not may_live(execution)
    return run.claim_id is None


def _is_over(run: Run, at: Instant) -> bool:
    if run.state is RunState.FAILED and run.settled_at is not None:
        return run.settled_at + KEPT_US_MAX < at
    return run.state in FINAL
