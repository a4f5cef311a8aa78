"""Slots as they are shown: the key, the due instant, the wall time, and what is odd about it."""

from duly.model.instant import Instant, to_text
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Exhausted, Slot
from duly.service import text
from duly.service.views import SlotView


def coming(schedule: Schedule | None, at: Instant, count: int) -> tuple[list[SlotView], bool]:
    """Return the next slots after `at`, and whether those are all there ever will be.

    Fewer than `count` that are not all: nothing more was found within the work that a search may take.
    """
    if schedule is None:
        return [], True
    views: list[SlotView] = []
    after = at
    while len(views) < count:
        slot = schedule.next(after)
        if not isinstance(slot, Slot):
            return views, isinstance(slot, Exhausted)
        views.append(view(slot, schedule))
        after = slot.due_at
    return views, False


def view(slot: Slot, schedule: Schedule) -> SlotView:
    """Return one slot with its wall time in the schedule's zone."""
    return SlotView(
        slot_key=slot.key,
        due_at=to_text(slot.due_at),
        local=text.local(slot.due_at, schedule.zone) or "",
        marks=[mark.value for mark in slot.marks],
    )
