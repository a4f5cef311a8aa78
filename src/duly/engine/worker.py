"""The worker: keeps up to `limit` runs claimed and started; caught-up ones no faster than the start rate."""

from dataclasses import dataclass
from typing import Final

from duly.engine.broken import give_back
from duly.engine.node import Node
from duly.engine.requests import (
    DRAIN,
    RETRY_US,
    WORKED,
    Handle,
    Loop,
    RunKeys,
    Steps,
    Wait,
    Wake,
    Write,
    now,
    rest,
    start,
    wait,
)
from duly.ledger.api.runs import ClaimBatch
from duly.ledger.api.tx import Tx
from duly.model.errors import UnavailableError
from duly.model.ids import ClaimId
from duly.model.instant import Instant
from duly.model.run import ClaimedRun
from duly.transactions.claim import Claimed, claim_runs

READY: Final = "ready"
KEYS: Final = (READY, "clock", DRAIN)

_Look = tuple[Instant | None, int | None]
"""When to look again: by wall time, by time awake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """How many runs a worker wants, and for how long it may hold them before it renews."""

    owner: str
    claim_id: ClaimId
    lease_us: int
    on_time: int
    caught_up: int


def claim_from_now(tx: Tx, ask: Ask) -> Claimed:
    """Claim for a lease that counts from the transaction's instant, which a stepped-back clock lags behind."""
    batch = ClaimBatch(
        owner=ask.owner,
        claim_id=ask.claim_id,
        until=Instant(tx.at + ask.lease_us),
        on_time=ask.on_time,
        caught_up=ask.caught_up,
    )
    return claim_runs(tx, batch)


def worker(node: Node) -> Steps[None]:
    """Work until the node drains and what was claimed has ended."""
    return _Worker(node).work()


class _Worker:
    """What one worker has running, and when it may start the next caught-up run."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._running: dict[Handle, ClaimedRun] = {}
        self._next_caught_up_us = 0

    @property
    def _free(self) -> int:
        is_closed = self._node.is_draining
        return 0 if is_closed else max(0, self._node.settings.limit - len(self._running))

    def work(self) -> Steps[None]:
        while self._running or not self._node.is_draining:
            until, until_awake_us = yield from self._fill()
            woke = yield from wait(Wait(tuple(self._running), KEYS, until, until_awake_us))
            # A runner's only message is its end.
            if woke.handle is not None:
                yield from self._end(self._running.pop(woke.handle), woke.message.error)

    def _end(self, claimed: ClaimedRun, error: Exception | None) -> Steps[None]:
        if error is not None:
            yield from give_back(self._node, claimed, error)
        self._node.release(claimed.claim)
        yield Wake(WORKED)

    def _fill(self) -> Steps[_Look]:
        """Claim what fits, on-time runs first; answer when to look again."""
        if not self._free:
            return None, None
        next_at = yield from self._claim(on_time=self._free, caught_up=0)
        woke = yield from now()
        if not self._free or next_at is None or next_at > woke.at:
            return next_at, None
        # Something is ready and was not given: it is a caught-up run.
        return (yield from self._claim_caught_up(woke.awake_us))

    def _claim_caught_up(self, awake_us: int) -> Steps[_Look]:
        if awake_us < self._next_caught_up_us:
            return None, self._next_caught_up_us
        before = len(self._running)
        next_at = yield from self._claim(on_time=0, caught_up=1)
        if len(self._running) == before:
            return next_at, awake_us + RETRY_US
        woke = yield from now()
        self._next_caught_up_us = woke.awake_us + self._node.settings.start_every_us
        return None, self._next_caught_up_us

    def _claim(self, *, on_time: int, caught_up: int) -> Steps[Instant | None]:
        """Claim and start; answer from when another run can be claimed."""
        node = self._node
        ask = Ask(
            owner=node.owner,
            claim_id=ClaimId(node.new_id()),
            lease_us=node.settings.lease_us,
            on_time=on_time,
            caught_up=caught_up,
        )
        asked = yield from now()
        try:
            claimed: Claimed = yield Write(claim_from_now, ask)
        except UnavailableError:
            # If it was committed after all, nobody renews these claims, and the rescuer takes them back.
            woke = yield from rest(RETRY_US)
            return woke.at
        for run in claimed.runs:
            node.hold(run.claim, asked)
            node.started += 1
            keys = RunKeys(run_id=run.claim.run_id).every
            handle = yield from start(
                Loop(node.runner(node, run), keys, f"runner:{run.claim.run_id}")
            )
            self._running[handle] = run
        return claimed.next_claimable_at
