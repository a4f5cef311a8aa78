"""What a rule says is due, and how it is answered: computed once for all automations that share rule and watermark."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.ids import AutomationId
from duly.model.instant import Instant
from duly.model.plan import Timing
from duly.model.timing import Watermark, Window
from duly.model.zone import Zone
from duly.policy import admission
from duly.policy.admission import LISTED_MAX, Answer, DueSlots, Works
from duly.policy.catch_up import LateSlot
from duly.policy.overlap import OverlapFacts
from duly.recurrence import watermark
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Backlog, BeyondHorizon, Exhausted, Slot
from duly.recurrence.window import window_of
from duly.recurrence.work import WorkBudgetExceededError
from duly.transactions.plans import Zones, compiled, timing_of, zone_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """The due slots of a timing, None when there are none; where the watermark moves, and when the next slot is due.

    `windows` are those of the slots that may fire, by slot key. `answers` are those of an automation of which no run is
    open, and none is there for one of the windows.
    """

    timing: Timing
    slots: DueSlots | None
    windows: Mapping[str, Window]
    answers: tuple[Answer, ...]
    mark: Watermark
    next_due: Instant | None
    likeness: object
    """One object for all whose answers write the same but for ids, whatever else their timings say."""


NO_WINDOWS: Final[Mapping[str, Window]] = MappingProxyType({})
_FREE: Final = OverlapFacts(live=0, waiting=0)


def due_of(timing_text: str, mark: Watermark, zones: Zones, at: Instant) -> Due:
    """Return what a stored timing says is due at `at` behind a watermark.

    Raises ZoneUnknownError, and WorkBudgetExceededError for a rule that cannot be searched.
    """
    zone = zone_of(timing_of(timing_text), zones)
    nearest = _nearest(timing_text, zone, mark)
    if nearest is not None and nearest.due_at <= at <= nearest.until:
        return nearest.due
    return _due(timing_text, zone, mark, at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresee:
    """Look at up to `limit` automations that will be due by an instant, behind `after` in order of (next_due, id)."""

    by: Instant
    after: tuple[Instant, AutomationId]
    limit: int
    zones: Zones


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """Where the next look goes on. `is_more`: there may be others."""

    after: tuple[Instant, AutomationId]
    is_more: bool


def foresee(tx: Tx, command: Foresee) -> Foreseen:
    """Work out what will be due, so that the instant itself finds it done. Writes nothing, and tells of no failure."""
    coming = tx.coming_automations(command.by, command.after, command.limit)
    for automation in coming:
        # Whatever fails here will fail when it is due, and suspend the automation then.
        with tx.part([]):
            zone = zone_of(timing_of(automation.timing), command.zones)
            _nearest(automation.timing, zone, automation.mark)
    after = (coming[-1].next_due, coming[-1].automation_id) if coming else command.after
    return Foreseen(after=after, is_more=len(coming) == command.limit)


def works_of(windows: Mapping[str, Window], existing: frozenset[str] = frozenset()) -> Works:
    """Return the works that slots are for by their windows, of which `existing` have a run."""
    return Works(of={slot: window.key for slot, window in windows.items()}, existing=existing)


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
    return None if schedule is None else _instant_of(watermark.next_uncovered(schedule, mark), at)


def next_due_by(timing_text: str, zone: Zone, mark: Watermark, at: Instant) -> Instant | None:
    """Return what `next_due_of` says of a stored timing; many automations share rule and watermark."""
    following = _following(timing_text, zone, mark)
    return None if following is None else _instant_of(following, at)


@lru_cache(maxsize=4096)
def _following(
    timing_text: str, zone: Zone, mark: Watermark
) -> Slot | Exhausted | BeyondHorizon | None:
    schedule = compiled(timing_of(timing_text), zone)
    return None if schedule is None else watermark.next_uncovered(schedule, mark)


def _instant_of(following: Slot | Exhausted | BeyondHorizon, at: Instant) -> Instant | None:
    match following:
        case Slot(due_at=due_at):
            return due_at
        case Exhausted():
            return None
        case BeyondHorizon(cursor=cursor) if cursor > at:
            return cursor
        case BeyondHorizon(cursor=cursor):
            raise WorkBudgetExceededError(cursor)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nearest:
    """What is due from `due_at` until `until`: the first slot behind a watermark, alone and on time."""

    due_at: Instant
    until: Instant
    due: Due


@lru_cache(maxsize=4096)
def _nearest(timing_text: str, zone: Zone, mark: Watermark) -> _Nearest | None:
    """Return the first slot behind a watermark, answered before its time; None: there is none to be found.

    It holds for a whole burst, however many transactions that takes, and can be looked up before the burst.
    """
    schedule = compiled(timing_of(timing_text), zone)
    first = None if schedule is None else watermark.next_uncovered(schedule, mark)
    return _alone(timing_text, zone, first) if isinstance(first, Slot) else None


@lru_cache(maxsize=4096)
def _alone(timing_text: str, zone: Zone, first: Slot) -> _Nearest:
    """Return the answer to one slot, the same for all watermarks that lie before it and behind the slot before."""
    timing = timing_of(timing_text)
    schedule = compiled(timing, zone)
    assert schedule is not None
    only = Backlog(count=1, first=first, newest=(first,))
    due = _answered(timing, schedule, only, first.due_at)
    late = Instant(first.due_at + timing.late_us_max)
    until = late if due.next_due is None else min(late, Instant(due.next_due - 1))
    return _Nearest(due_at=first.due_at, until=until, due=due)


@lru_cache(maxsize=256)
def _due(timing_text: str, zone: Zone, mark: Watermark, at: Instant) -> Due:
    timing = timing_of(timing_text)
    schedule = compiled(timing, zone)
    found = None if schedule is None else watermark.backlog(schedule, mark, at, LISTED_MAX)
    if schedule is None or found is None or not found.newest:
        following = next_due_of(schedule, mark, at)
        return Due(
            timing=timing,
            slots=None,
            windows=NO_WINDOWS,
            answers=(),
            mark=mark,
            next_due=following,
            likeness=object(),
        )
    return _answered(timing, schedule, found, at)


def _answered(timing: Timing, schedule: Schedule, found: Backlog, at: Instant) -> Due:
    """Return due slots, at least one, with their windows and answers."""
    slots = due_slots(found)
    wanted = {slot.key for slot in admission.wanted(timing, slots, at)}
    windows = {
        slot.key: window_of(timing.window, slot, schedule)
        for slot in found.newest
        if slot.key in wanted
    }
    raised = watermark.of_slot(found.newest[-1], schedule.zone.name)
    answers = admission.plan_slots(timing, slots, _FREE, at, works_of(windows))
    next_due = next_due_of(schedule, raised, at)
    works = (timing.input_version, timing.priority, timing.queue_us_max)
    return Due(
        timing=timing,
        slots=slots,
        windows=MappingProxyType(windows),
        answers=answers,
        mark=raised,
        next_due=next_due,
        likeness=_likeness((answers, tuple(windows.items()), raised, next_due, works)),
    )


@lru_cache(maxsize=1024)
def _likeness(_facts: Hashable) -> object:
    """Return the one object that stands for facts: it is compared in no time."""
    return object()
