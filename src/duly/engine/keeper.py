"""The keeper: renews this node's leases in one relaxed write a period; and each holder's own deadline."""

from dataclasses import dataclass
from typing import Final

from duly.engine.node import Node
from duly.engine.requests import RETRY_US, RunKeys, Steps, Wait, Wake, Woke, Write, now, rest
from duly.ledger.api.core import RELAXED
from duly.ledger.api.tx import Tx
from duly.model.claims import Claim
from duly.model.errors import UnavailableError
from duly.model.instant import Instant
from duly.transactions.claim import Renewal, Renewed, renew_leases

KEYS: Final = ("clock",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extend:
    """Claims whose runners live, and the length of a lease."""

    owner: str
    claims: tuple[Claim, ...]
    lease_us: int


def renew_from_now(tx: Tx, command: Extend) -> Renewed:
    """Renew for a lease that counts from the transaction's instant, which a stepped-back clock lags behind."""
    until = Instant(tx.at + command.lease_us)
    return renew_leases(tx, Renewal(owner=command.owner, claims=command.claims, until=until))


def keeper(node: Node) -> Steps[None]:
    """Renew for ever: at a third of the lease, at once after a gap in time, and soon after a write that failed."""
    delay_us = node.settings.renew_every_us
    while True:
        yield from rest(delay_us, KEYS)
        is_renewed = yield from _renew(node)
        delay_us = node.settings.renew_every_us
        if not is_renewed:
            delay_us = min(delay_us, RETRY_US)


def _renew(node: Node) -> Steps[bool]:
    claims = tuple(held.claim for held in node.held.values())
    if not claims:
        return True
    asked = yield from now()
    command = Extend(owner=node.owner, claims=claims, lease_us=node.settings.lease_us)
    try:
        renewed: Renewed = yield Write(renew_from_now, command, RELAXED)
    except UnavailableError:
        return False
    for claim in claims:
        if claim.run_id in renewed.lost:
            node.release(claim)
        elif node.holds(claim):
            yield from _extend(node, claim, asked)
    return True


def _extend(node: Node, claim: Claim, asked: Woke) -> Steps[None]:
    was_overdue = node.held[claim.run_id].is_overdue
    node.hold(claim, asked)
    if was_overdue:
        yield Wake(RunKeys(run_id=claim.run_id).renewed)


def deadline_guard(node: Node) -> Steps[None]:
    """Tell each holder when its own deadline passes, even while the ledger cannot be written.

    The clock that goes on in a suspend counts: after one, every holder first learns whether its row still carries its
    claim. A new claim's deadline is never before the next look.
    """
    while True:
        woke = yield from now()
        for run_id, held in tuple(node.held.items()):
            if not held.is_overdue and held.until_elapsed_us <= woke.elapsed_us:
                node.mark_overdue(run_id)
                yield Wake(RunKeys(run_id=run_id).deadline)
        left_us = [
            h.until_elapsed_us - woke.elapsed_us for h in node.held.values() if not h.is_overdue
        ]
        until_us = woke.awake_us + min([node.settings.lease_us, *left_us])
        yield Wait(keys=KEYS, until_awake_us=until_us)
