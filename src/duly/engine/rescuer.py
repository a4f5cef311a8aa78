"""The rescuer: takes runs back from silent holders, and gives up those that waited past their start deadline."""

from typing import Final

from duly.engine.node import Node
from duly.engine.requests import RETRY_US, Read, Steps, Wait, Woke, Write, now, rest, surely
from duly.model.claims import Claim
from duly.model.instant import Instant
from duly.model.run import Run
from duly.transactions.rescue import (
    FailOverdue,
    Rescue,
    expired,
    fail_overdue,
    overdue,
    rescue,
    rescue_orphans,
)

KEYS: Final = ("clock", "ready")


def rescuer(node: Node) -> Steps[None]:
    """Rescue for ever; at first, whatever owners left who are proven dead by this process's lock."""
    if node.is_only_owner:
        yield from surely(Write(rescue_orphans, node.owner))
    while True:
        woke = yield from _settled(node)
        next_expiry = yield from _rescue_silent(node)
        next_start_by = yield from _give_up(node)
        yield _sleep(node, woke, [at for at in (next_expiry, next_start_by) if at is not None])


def _sleep(node: Node, woke: Woke, ends: list[Instant]) -> Wait:
    """Wait for the next end; one that is over but was left alone (our lease, renewed late) is looked at soon."""
    ahead = [at for at in ends if at >= woke.at]
    rest_us = node.settings.scan_wake_us_max if len(ahead) == len(ends) else RETRY_US
    until = Instant(min(ahead) + 1) if ahead else None
    return Wait(keys=KEYS, until=until, until_awake_us=woke.awake_us + rest_us)


def _settled(node: Node) -> Steps[Woke]:
    """After a suspend or a step of the clock, let every holder renew first: leases do not expire in a crowd."""
    woke = yield from now()
    node.clocks.observe(woke, node.settings.clock_step_us)
    while not node.clocks.is_settled(woke, node.settings.renew_every_us):
        woke = yield from rest(node.settings.renew_every_us)
        node.clocks.observe(woke, node.settings.clock_step_us)
    return woke


def _rescue_silent(node: Node) -> Steps[Instant | None]:
    found = yield from surely(Read(expired, node.settings.rescue_batch_max))
    for run in found.runs:
        if not _is_ours(node, run):
            command = Rescue(run_id=run.run_id, version=run.version, actor=node.actor)
            yield from surely(Write(rescue, command))
    return found.next_expiry_at


def _is_ours(node: Node, run: Run) -> bool:
    """A runner of this node lives under the claim: the keeper renews it, however late."""
    assert run.claim_id is not None
    return node.holds(Claim(run_id=run.run_id, fence=run.fence, claim_id=run.claim_id))


def _give_up(node: Node) -> Steps[Instant | None]:
    found = yield from surely(Read(overdue, node.settings.rescue_batch_max))
    for run in found.runs:
        command = FailOverdue(run_id=run.run_id, version=run.version, actor=node.actor)
        yield from surely(Write(fail_overdue, command))
    return found.next_start_by
