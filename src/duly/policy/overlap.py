"""Overlap: may a run start while earlier runs of the same automation are live?"""

from dataclasses import dataclass
from typing import assert_never

from duly.model.plan import Overlap, OverlapAllow, OverlapQueueOne, OverlapSkip
from duly.model.reasons import Reason
from duly.model.states import RunState
from duly.policy import lifecycle


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapFacts:
    """How many runs stand before a new one: `live` by `counts`, `waiting` in `created` (backfills in neither)."""

    live: int
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What decides whether a run stands in the way of later ones.

    `child_may_live`: a child of its last attempt is not proven dead. `is_sleeping`: its author asked to be woken later
    (a retry delay is no sleep). `is_backfill`: its window had ended when it was asked for.
    """

    state: RunState
    child_may_live: bool
    is_sleeping: bool
    is_backfill: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """It may be claimed at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """It is created and waits until there is room."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """No run: the rule prefers the earlier one."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """No run: a limit that the definition sets is reached."""

    reason: Reason


def decide(overlap: Overlap, facts: OverlapFacts) -> Start | Queue | Skip | Refuse:
    """Say what happens to a timer slot that is due now."""
    if _has_room(overlap, facts):
        return Start()
    match overlap:
        case OverlapSkip():
            return Skip(reason=Reason.OVERLAP)
        case OverlapQueueOne() if _left_waiting(facts) == 0:
            return Queue(reason=Reason.WAITS_FOR_EARLIER)
        case OverlapQueueOne():
            return Skip(reason=Reason.QUEUE_FULL)
        case OverlapAllow():
            return Refuse(reason=Reason.COUNT_LIMIT)
        case _:
            assert_never(overlap)


def decide_asked(overlap: Overlap, facts: OverlapFacts) -> Start | Queue:
    """Say what happens to work that a person, an event or an outside clock asked for: it is never turned away."""
    return Start() if _has_room(overlap, facts) else Queue(reason=Reason.WAITS_FOR_EARLIER)


def may_promote(overlap: Overlap, live: int, *, is_predecessor_live: bool) -> bool:
    """Say whether the oldest waiting run may go; a chained one also waits for its own predecessor to stop counting."""
    return not is_predecessor_live and live < runs_max(overlap)


def runs_max(overlap: Overlap) -> int:
    """Return how many runs of one automation may be live at once."""
    match overlap:
        case OverlapSkip() | OverlapQueueOne():
            return 1
        case OverlapAllow(count=count):
            return count
        case _:
            assert_never(overlap)


def counts(run: RunFacts) -> bool:
    """Say whether a run counts as live for later slots; one that only waits for a person never wedges a schedule."""
    if run.is_backfill:
        return False
    if run.child_may_live:
        return True
    is_parked = run.is_sleeping or run.state is RunState.AWAITING_APPROVAL
    return run.state in lifecycle.LIVE and run.state is not RunState.CREATED and not is_parked


def _has_room(overlap: Overlap, facts: OverlapFacts) -> bool:
    match overlap:
        case OverlapSkip() | OverlapQueueOne():
            return facts.live + facts.waiting == 0
        case OverlapAllow(count=count):
            # Runs that wait though there is room wait for their predecessor in a chain, and need none yet.
            return facts.live < count
        case _:
            assert_never(overlap)


def _left_waiting(facts: OverlapFacts) -> int:
    """Return how many will still wait once a run whose predecessor has just ended is promoted."""
    return facts.waiting if facts.live else facts.waiting - 1
