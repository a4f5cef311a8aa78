"""Knowing that nothing is left to do now: what `duly tick` and a foreground run wait for."""

from collections.abc import Callable
from typing import Any, Final

from duly.engine.node import Node
from duly.engine.requests import WORKED, Read, Steps, Wait, Wake, now, surely, wait
from duly.engine.scanner import DUE, SCANNED
from duly.engine.worker import READY
from duly.ledger.api.tx import Tx
from duly.model.instant import SECOND_US

KEYS: Final = (SCANNED, WORKED, READY, "settled", "joined", "notice")


def is_quiet(tx: Tx, _: None) -> bool:
    """Say whether nothing is due, claimable, held, unanswered or untold at this instant."""
    instants = (tx.next_due(), tx.next_claimable_at(), tx.next_notice_at())
    return (
        all(at is None or at > tx.at for at in instants)
        and tx.next_expiry_at() is None
        and not tx.unanswered_joins(1)
    )


def until_quiet(node: Node) -> Steps[None]:
    """Return once nothing is left to do now; listens to `KEYS`.

    A whole scan lies between two quiet looks, and no run started in between: so whatever the last settled run lets go
    was promoted.
    """
    while True:
        started = node.started
        is_over = yield from _is_over(node)
        if is_over:
            yield from _scan_anew(node)
            is_over = yield from _is_over(node)
        if is_over and node.started == started:
            return
        woke = yield from now()
        yield Wait(keys=KEYS[1:], until_awake_us=woke.awake_us + SECOND_US)


def _is_over(node: Node) -> Steps[bool]:
    return not node.held and (yield from surely(Read(is_quiet, None)))


def _scan_anew(node: Node) -> Steps[None]:
    # The scan under way may have begun too early; the one after it has not.
    enough = node.scans + 2
    while node.scans < enough:
        yield Wake(DUE)
        before = yield from now()
        yield Wait(keys=(SCANNED,), until_awake_us=before.awake_us + SECOND_US)


def until_true(fn: Callable[[Tx, Any], bool], command: Any, keys: tuple[str, ...]) -> Steps[None]:
    """Return once `fn` reads True; it is asked again after each of the keys, and each second."""
    while not (yield from surely(Read(fn, command))):
        woke = yield from now()
        yield from wait(Wait(keys=keys, until_awake_us=woke.awake_us + SECOND_US))
