"""The scanner: answers every due slot, promotes waiting runs, then sleeps until the next slot is due."""

from dataclasses import replace
from typing import Final

from duly.engine.node import Node
from duly.engine.requests import (
    DRAIN,
    RETRY_US,
    Result,
    Steps,
    Wait,
    Wake,
    Woke,
    Write,
    now,
    rest,
)
from duly.ledger.api.core import RELAXED
from duly.model.errors import UnavailableError
from duly.model.instant import Instant
from duly.transactions.admit import AdmitDue, Admitted, admit_due
from duly.transactions.nodes import Seen, seen
from duly.transactions.promote import Promote, promote

CLOCK: Final = "clock"
DUE: Final = "due"
SETTLED: Final = "settled"
SCANNED: Final = "scanned"
KEYS: Final = (DUE, SETTLED, CLOCK, DRAIN)

PROMOTE_BATCH: Final = 100
BATCH_MIN: Final = 8


def scanner(node: Node) -> Steps[None]:
    """Scan until the node drains; then a due slot waits for another node, or for the restart (never a failure)."""
    while not node.is_draining:
        yield from _promote_all(node)
        next_due = yield from _admit_all(node)
        woke = yield from _note(node)
        yield Wait(
            keys=KEYS,
            until=next_due,
            until_awake_us=woke.awake_us + node.settings.scan_wake_us_max,
        )


def _admit_all(node: Node) -> Steps[Instant | None]:
    """Admit batch by batch, each in its own transaction, until nothing is due; answer the next due instant."""
    batch = node.settings.admit_batch_max
    while not (node.is_draining or node.is_low_on_space()):
        # An unknown commit is no trouble: answered or not, the watermark tells at the next look.
        admitted = yield from _patiently(
            node, Write(admit_due, AdmitDue(limit=batch, zones=node.zones))
        )
        node.failed_admissions += admitted.failed
        node.lost_admissions += admitted.lost
        if not admitted.is_more:
            return admitted.next_due
        batch = next_batch(batch, admitted, node.settings.admit_batch_max)
    return None


def next_batch(batch: int, admitted: Admitted, most: int) -> int:
    """Size the next batch: what fitted into one transaction and a half, as a transaction ends after about 10 ms."""
    if admitted.automations >= batch:
        return min(2 * batch, most)
    return max(BATCH_MIN, min(most, admitted.automations + admitted.automations // 2))


def _promote_all(node: Node) -> Steps[None]:
    """Let go of every waiting run that may go, page by page."""
    command = Promote(limit=PROMOTE_BATCH, zones=node.zones)
    while True:
        promoted = yield from _patiently(node, Write(promote, command))
        if not promoted.is_more:
            return
        command = replace(command, after=promoted.after)


def _patiently(node: Node, write: Write[Result]) -> Steps[Result]:
    """Try until it works; an outage makes slots late, and the watchdog sees that the scanner tries."""
    while True:
        woke = yield from now()
        node.tried_us = woke.awake_us
        try:
            result: Result = yield write
        except UnavailableError:
            yield from rest(RETRY_US)
        else:
            return result


def _note(node: Node) -> Steps[Woke]:
    """Say that this node has scanned: to the watchdog each time, to other nodes and `doctor` now and then."""
    woke = yield from now()
    if woke.awake_us >= node.noted_us + node.settings.scan_wake_us_max // 3:
        yield from _patiently(
            node, Write(seen, Seen(owner=node.owner, scanned_at=woke.at), RELAXED)
        )
        node.noted_us = woke.awake_us
    node.scans += 1
    node.tried_us = node.scanned_us = woke.awake_us
    yield Wake(SCANNED)
    return woke
