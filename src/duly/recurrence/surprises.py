"""What surprises people about a rule: slots near the next clock changes that fire at another time, once, or again."""

from collections.abc import Iterator
from typing import Final

from duly.model.instant import SECOND_US, Instant
from duly.model.zone import Zone
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Slot
from duly.recurrence.work import WorkBudgetExceededError
from duly.recurrence.zone import DAY_S, stretches

CHANGES: Final = 2
_DAYS_AHEAD: Final = 800
_NEAR_S: Final = DAY_S
_SLOTS_MAX: Final = 3_000


def clock_changes(zone: Zone, at: Instant, count: int = CHANGES) -> tuple[Instant, ...]:
    """Return the next instants at which clocks in a zone are set, `count` at most, within two years."""
    return tuple(Instant(second * SECOND_US) for second in _changes(zone, at // SECOND_US, count))


def surprises(schedule: Schedule, at: Instant) -> tuple[Slot, ...]:
    """Return the slots near the next two clock changes that a reader of the rule would not expect, oldest first.

    A rule that fires too often to be listed surprises nobody: then there are none.
    """
    near = _NEAR_S * SECOND_US
    odd: list[Slot] = []
    for change in clock_changes(schedule.zone, at):
        after = max(at, Instant(change - near))
        try:
            found = schedule.between(after, Instant(change + near), _SLOTS_MAX)
        except WorkBudgetExceededError:
            continue
        if found.is_complete:
            odd += (slot for slot in found.slots if slot.marks)
    return tuple(odd)


def _changes(zone: Zone, second: int, count: int) -> Iterator[int]:
    for day in range(_DAYS_AHEAD):
        start = second + day * DAY_S
        # The first second of the next day belongs to this one, else a change between the two is nobody's.
        for _, end, _ in stretches(start, start + DAY_S + 1, zone)[:-1]:
            yield end
            count -= 1
            if not count:
                return
