"""The scanner: answers every due slot, promotes waiting runs, then sleeps until the next slot is due.

Shortly before, it has a look at what will be due: reading and searching a rule takes longer than answering its slot.
"""

from dataclasses import replace
from typing import Final

from duly.engine.node import Node
from duly.engine.requests import (
    DRAIN,
    RETRY_US,
    Read,
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
from duly.model.ids import AutomationId
from duly.model.instant import SECOND_US, Instant
from duly.transactions import zone_data
from duly.transactions.admit import AdmitDue, Admitted, admit_due
from duly.transactions.due import Foresee, Foreseen, foresee
from duly.transactions.nodes import Seen, seen
from duly.transactions.promote import Promote, promote
from duly.transactions.retime import Retime, retime

CLOCK: Final = "clock"
DUE: Final = "due"
SETTLED: Final = "settled"
SCANNED: Final = "scanned"
KEYS: Final = (DUE, SETTLED, CLOCK, DRAIN)

Place = tuple[Instant, AutomationId]
"""How far a look ahead went, in order of (next_due, automation_id)."""
NOBODY_YET: Final[Place] = (Instant(0), AutomationId(""))

AHEAD_US: Final = 3 * SECOND_US
AHEAD_BATCH: Final = 8
"""About 3 ms: as long may a look ahead hold up the other loops, before it rests."""
AHEAD_REST_US: Final = 5_000

PROMOTE_BATCH: Final = 100
BATCH_MIN: Final = 8


def scanner(node: Node) -> Steps[None]:
    """Scan until the node drains; then a due slot waits for another node, or for the restart (never a failure)."""
    after = NOBODY_YET
    yield from _adopt_zone_data(node)
    while not node.is_draining:
        yield from _promote_all(node)
        next_due = yield from _admit_all(node)
        woke = yield from _note(node)
        until_awake_us = woke.awake_us + node.settings.scan_wake_us_max
        wait = Wait(keys=KEYS, until=next_due, until_awake_us=until_awake_us)
        if next_due is None or woke.at >= next_due:
            yield wait
        else:
            after = yield from _sleep(node, wait, next_due, after)


def _adopt_zone_data(node: Node) -> Steps[None]:
    """Move wall slots to where this node's zone data puts them, if it is newer than what they were computed by."""
    version, actor = node.host.tzdata, f"node:{node.owner}"
    adoption = zone_data.Adopt(version=version, actor=actor)
    is_due = yield from _patiently(node, Write(zone_data.adopt, adoption))
    command = Retime(version=version, zones=node.zones, actor=actor, after=AutomationId(""))
    while is_due and not node.is_draining:
        retimed = yield from _patiently(node, Write(retime, command))
        command = replace(command, after=retimed.after)
        is_due = retimed.is_more
        # Others want to write too, and the log to be copied.
        yield from rest(AHEAD_REST_US)


def _sleep(node: Node, wait: Wait, next_due: Instant, after: Place) -> Steps[Place]:
    """Sleep as `wait` says, and shortly before slots are due look at them; say how far that went."""
    look_at = Instant(next_due - AHEAD_US)
    woke: Woke = yield replace(wait, until=look_at)
    while woke.key is None and look_at <= woke.at < next_due and not _is_over(wait, woke):
        command = Foresee(
            by=Instant(woke.at + AHEAD_US), after=after, limit=AHEAD_BATCH, zones=node.zones
        )
        try:
            foreseen: Foreseen = yield Read(foresee, command)
        except UnavailableError:
            yield wait
            return after
        after = foreseen.after
        rested_us = woke.awake_us + AHEAD_REST_US
        woke = yield replace(wait, until_awake_us=rested_us) if foreseen.is_more else wait
        if not foreseen.is_more:
            return after
    return after


def _is_over(wait: Wait, woke: Woke) -> bool:
    return wait.until_awake_us is not None and woke.awake_us >= wait.until_awake_us


def _admit_all(node: Node) -> Steps[Instant | None]:
    """Admit batch by batch, each in its own transaction, until nothing is due; answer the next due instant."""
    batch = node.settings.admit_batch_max
    while not (node.is_draining or node.is_low_on_space()):
        # An unknown commit is no trouble: answered or not, the watermark tells at the next look.
        command = AdmitDue(limit=batch, zones=node.zones, tzdata=node.host.tzdata)
        admitted = yield from _patiently(node, Write(admit_due, command))
        node.failed_admissions += admitted.failed
        node.lost_admissions += admitted.lost
        if not admitted.is_more:
            return admitted.next_due
        batch = next_batch(batch, admitted, node.settings.admit_batch_max)
    return None


def next_batch(batch: int, admitted: Admitted, most: int) -> int:
    """Size the next batch: what fitted into one transaction and a half, as a transaction ends after about 12 ms."""
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
        except UnavailableError as error:
            node.outage = error.message
            yield from rest(RETRY_US)
        else:
            node.outage = None
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
