"""What a rule says is due: computed once for all automations that share rule and watermark."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from duly.model.instant import Instant
from duly.model.plan import Timing
from duly.model.timing import Watermark, Window
from duly.model.zone import Zone
from duly.policy import admission
from duly.policy.admission import LISTED_MAX, DueSlots
from duly.policy.catch_up import LateSlot
from duly.recurrence import watermark
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Backlog, BeyondHorizon, Exhausted, Slot
from duly.recurrence.window import window_of
from duly.recurrence.work import WorkBudgetExceededError
from duly.transactions.plans import Zones, compiled, timing_of, zone_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """The due slots of a timing, None when there are none; where the watermark moves, and when the next slot is due.

    `windows` are those of the slots that may fire, by slot key.
    """

    timing: Timing
    slots: DueSlots | None
    windows: Mapping[str, Window]
    mark: Watermark
    next_due: Instant | None


NO_WINDOWS: Final[Mapping[str, Window]] = MappingProxyType({})


def due_of(timing_text: str, mark: Watermark, zones: Zones, at: Instant) -> Due:
    """Return what a stored timing says is due at `at` behind a watermark.

    Raises ZoneUnknownError, and WorkBudgetExceededError for a rule that cannot be searched.
    """
    return _due(timing_text, zone_of(timing_of(timing_text), zones), mark, at)


def due_slots(found: Backlog) -> DueSlots:
    """Return what the recurrence found as admission's policy reads it; at least one slot."""
    newest = tuple(LateSlot(key=slot.key, due_at=slot.due_at) for slot in found.newest)
    assert found.first is not None
    first = LateSlot(key=found.first.key, due_at=found.first.due_at)
    return DueSlots(count=found.count, newest=newest, first=first)


def next_due_of(schedule: Schedule | None, mark: Watermark, at: Instant) -> Instant | None:
    """Return when the first slot behind a watermark is due; None: never.

    Raises WorkBudgetExceededError for a rule that fires too seldom to be searched.
    """
    if schedule is None:
        return None
    following = watermark.next_uncovered(schedule, mark)
    match following:
        case Slot(due_at=due_at):
            return due_at
        case Exhausted():
            return None
        case BeyondHorizon(cursor=cursor) if cursor > at:
            return cursor
        case BeyondHorizon(cursor=cursor):
            raise WorkBudgetExceededError(cursor)


@lru_cache(maxsize=256)
def _due(timing_text: str, zone: Zone, mark: Watermark, at: Instant) -> Due:
    timing = timing_of(timing_text)
    schedule = compiled(timing, zone)
    found = None if schedule is None else watermark.backlog(schedule, mark, at, LISTED_MAX)
    if schedule is None or found is None or not found.newest:
        following = next_due_of(schedule, mark, at)
        return Due(timing=timing, slots=None, windows=NO_WINDOWS, mark=mark, next_due=following)
    slots = due_slots(found)
    wanted = {slot.key for slot in admission.wanted(timing, slots, at)}
    windows = {
        slot.key: window_of(timing.window, slot, schedule)
        for slot in found.newest
        if slot.key in wanted
    }
    raised = watermark.of_slot(found.newest[-1], zone.name)
    return Due(
        timing=timing,
        slots=slots,
        windows=MappingProxyType(windows),
        mark=raised,
        next_due=next_due_of(schedule, raised, at),
    )
