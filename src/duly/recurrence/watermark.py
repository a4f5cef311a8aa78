"""Watermarks: what was answered over all revisions, so that no edit re-arms or back-dates a slot.

A slot is covered when its key is not above the watermark's, if class and zone are the same; else when its due instant
is not above. Raising a watermark never lowers it, whatever the clock says.
"""

from datetime import datetime

from duly.model.instant import SECOND_US, Instant
from duly.model.timing import AnchorClass, Watermark
from duly.model.zone import Zone
from duly.recurrence.local_time import local_text
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import (
    KEY_LOCAL_CHARS,
    Backlog,
    BeyondHorizon,
    Exhausted,
    Slot,
    Slots,
    elapsed_key,
    slot_key,
)
from duly.recurrence.zone import (
    DAY_S,
    offset_at,
    pass_of,
    resolve,
    stretches,
    wall_second,
    wall_time,
)


def covers(mark: Watermark, slot: Slot, zone: Zone) -> bool:
    """Say whether a slot of a rule in a zone was answered already."""
    if mark.anchor is slot.anchor and zone.is_called(mark.zone):
        return _time_of(slot.key) <= _time_of(mark.slot_key)
    return slot.due_at <= mark.due_at


def of_slot(slot: Slot, zone_name: str) -> Watermark:
    """Return the watermark that stands at an answered slot of a rule in zone `zone_name`."""
    return Watermark(due_at=slot.due_at, slot_key=slot.key, anchor=slot.anchor, zone=zone_name)


def raise_to(
    at: Instant, anchor: AnchorClass, zone: Zone, mark: Watermark | None = None
) -> Watermark:
    """Return the watermark in `anchor` and `zone` that covers every instant up to `at`, and all that `mark` covered."""
    if mark is None:
        return _at(at, anchor, zone)
    raised = _at(max(at, mark.due_at), anchor, zone)
    is_same_kind = mark.anchor is anchor and zone.is_called(mark.zone)
    is_above = is_same_kind and _time_of(mark.slot_key) > _time_of(raised.slot_key)
    return mark if is_above else raised


def uncovered(schedule: Schedule, mark: Watermark, until: Instant, limit: int) -> Slots:
    """Return the oldest `limit` slots that are due at `until` and not covered.

    Raises WorkBudgetExceededError when the span cannot be searched within the budget.
    """
    return schedule.between(after(mark, schedule), until, limit)


def backlog(schedule: Schedule, mark: Watermark, until: Instant, newest: int) -> Backlog:
    """Return all slots that are due at `until` and not covered: their number, the first, and the newest few.

    Raises WorkBudgetExceededError when the span cannot be searched within the budget.
    """
    return schedule.backlog(after(mark, schedule), until, newest)


def next_uncovered(schedule: Schedule, mark: Watermark) -> Slot | Exhausted | BeyondHorizon:
    """Return the first slot that is not covered; its due instant is when the automation is next due."""
    return schedule.next(after(mark, schedule))


def after(mark: Watermark, schedule: Schedule) -> Instant:
    """Return the instant after which exactly the schedule's uncovered slots lie."""
    if mark.anchor is schedule.anchor and schedule.zone.is_called(mark.zone):
        return _instant_of(mark.slot_key, mark.anchor, schedule.zone)
    return mark.due_at


def _time_of(key: str) -> str:
    """Return what orders the keys of one class and zone; the zone's name behind it may be an alias."""
    return key[:KEY_LOCAL_CHARS]


def _instant_of(key: str, anchor: AnchorClass, zone: Zone) -> Instant:
    local = datetime.fromisoformat(_time_of(key))
    return resolve(local, zone) if anchor is AnchorClass.WALL else _utc(local)


def _utc(local: datetime) -> Instant:
    return Instant(wall_second(local) * SECOND_US)


def _at(at: Instant, anchor: AnchorClass, zone: Zone) -> Watermark:
    second = at // SECOND_US
    if anchor is AnchorClass.ELAPSED:
        key = elapsed_key(second)
    else:
        key = slot_key(local_text(_greatest_wall(second, zone)), zone.name)
    return Watermark(due_at=at, slot_key=key, anchor=anchor, zone=zone.name)


def _greatest_wall(second: int, zone: Zone) -> datetime:
    """Return the greatest wall time whose one reading is not after a second."""
    if pass_of(second, zone) != 1:
        return wall_time(second + offset_at(second, zone))
    # In the second pass every time of the first pass is over already.
    *_, (_, until, offset), _ = stretches(second - DAY_S, second + 1, zone)
    return wall_time(until + offset - 1)
