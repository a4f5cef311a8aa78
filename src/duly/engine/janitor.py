"""The janitor: removes working copies whose run is over, which a crash between settlement and removal leaves behind."""

from typing import Final

from duly.adapters.work.requests import ListStages, RemoveStage
from duly.engine.node import Node
from duly.engine.requests import Read, Steps, outside, rest, surely
from duly.ledger.api.tx import Tx
from duly.model.ids import RunId
from duly.policy.lifecycle import FINAL

_FIRST_AFTER_PARTS: Final = 10


def janitor(node: Node) -> Steps[None]:
    """Tidy for ever; first soon after the start, when what a crash left is there."""
    yield from rest(node.settings.tidy_every_us // _FIRST_AFTER_PARTS)
    while True:
        stages: tuple[str, ...] = yield from outside(ListStages())
        for run_id in (yield from surely(Read(over, stages))):
            yield from outside(RemoveStage(run_id=run_id))
        yield from rest(node.settings.tidy_every_us)


def over(tx: Tx, run_ids: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the runs that nobody can go on with; what a person may resume keeps its copy."""
    runs = [tx.run(RunId(run_id)) for run_id in run_ids]
    return tuple(run.run_id for run in runs if run is not None and run.state in FINAL)
