"""The janitor: removes working copies whose run is over: what a crash left behind, and failures nobody came back to."""

from typing import Final

from duly.adapters.work.requests import ListStages, RemoveStage
from duly.engine.node import Node
from duly.engine.requests import Read, Steps, outside, rest, surely
from duly.ledger.api.tx import Tx
from duly.model.ids import RunId
from duly.model.instant import DAY_US, Instant
from duly.model.run import Run
from duly.model.states import RunState
from duly.policy.lifecycle import FINAL

_FIRST_AFTER_PARTS: Final = 10
KEPT_US_MAX: Final = 7 * DAY_US
"""How long what a failed run read is kept for a restart: failures of every hour may not fill the disk."""


def janitor(node: Node) -> Steps[None]:
    """Tidy for ever; first soon after the start, when what a crash left is there."""
    yield from rest(node.settings.tidy_every_us // _FIRST_AFTER_PARTS)
    while True:
        stages: tuple[str, ...] = yield from outside(ListStages())
        for run_id in (yield from surely(Read(over, stages))):
            yield from outside(RemoveStage(run_id=run_id))
        yield from rest(node.settings.tidy_every_us)


def over(tx: Tx, run_ids: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the runs that nobody goes on with; what a person may resume keeps its copy."""
    runs = [tx.run(RunId(run_id)) for run_id in run_ids]
    return tuple(run.run_id for run in runs if run is not None and _is_over(run, tx.at))


def _is_over(run: Run, at: Instant) -> bool:
    if run.state is RunState.FAILED and run.settled_at is not None:
        return run.settled_at + KEPT_US_MAX < at
    return run.state in FINAL
