"""What the parts of an attempt share, and the few ways in which it leaves its straight path."""

from dataclasses import dataclass
from typing import Final

from duly.adapters.work.requests import Part
from duly.engine.node import Node
from duly.engine.requests import RunKeys, Steps, Write, surely
from duly.model.claims import Claim
from duly.model.run import Run, Snapshot
from duly.model.states import RunEvent
from duly.transactions.execute import EnterPhase, RunFacts, enter_phase

PRECHECK: Final = "precheck"
AGENT: Final = "agent"
VERIFY: Final = "verify"


class CancelRequestedError(Exception):
    """A person wants this run to end; nothing of it lives any more."""


class MayLiveError(Exception):
    """A program of this attempt ended, and whether somebody it started still lives cannot be proven."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One claim at work. `facts` are those at its start; `number` counts attempts from 1."""

    node: Node
    claim: Claim
    number: int
    facts: RunFacts
    keys: RunKeys

    @property
    def actor(self) -> str:
        """The name under which this attempt writes into the audit."""
        return f"worker:{self.node.owner}"

    def part(self, name: str, argv: tuple[str, ...], snapshot: Snapshot, fence: int) -> Part:
        """Return the request part for one of the attempt's programs, in the working copy of `fence`.

        The token begins with the run, so that whoever finds a file named by it knows whose it is.
        """
        return Part(
            pin=self.facts.pin,
            work=self.facts.work,
            snapshot=snapshot,
            name=name,
            argv=argv,
            fence=fence,
            attempt=self.number,
            token=f"{self.claim.run_id}.{self.node.new_id()}",
        )

    def enter(self, event: RunEvent) -> Steps[Run]:
        """Move the run on; raises LeaseLostError, or CancelRequestedError when a person asked for its end."""
        run = yield from surely(Write(enter_phase, EnterPhase(claim=self.claim, event=event)))
        if run.cancel_actor is not None:
            raise CancelRequestedError
        return run
