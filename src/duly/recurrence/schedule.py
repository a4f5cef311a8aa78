"""A schedule: a rule made searchable. It answers which slots come next, came before, and lie between."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, assert_never

from duly.model.instant import SECOND_US, Instant
from duly.model.timing import AnchorClass, CronRule, OnceInstant, OnceLocal, RruleRule, RuleSpec
from duly.model.zone import Zone
from duly.recurrence import cron, faults, rrule, rrule_text
from duly.recurrence.faults import Faults
from duly.recurrence.local_time import parse_local
from duly.recurrence.slot import (
    Backlog,
    BeyondHorizon,
    Exhausted,
    Mark,
    Slot,
    Slots,
    slot_at,
)
from duly.recurrence.source import END_S, FIRST_S, OneTime, Source
from duly.recurrence.work import COUNT_UNITS, SEARCH_UNITS, Work, WorkBudgetExceededError
from duly.recurrence.zone import DAY_S, offset_at, second_of, wall_second

_NEVER: Final = "the rule never fires: no date agrees with all of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A rule, ready to be searched. All questions are bounded in work, and cost the same for old rules.

    Slots outside `[start, end)` (seconds) do not count; `bounded` narrows it.
    """

    spec: RuleSpec
    anchor: AnchorClass
    zone: Zone
    source: Source
    start: int = FIRST_S
    end: int = END_S

    def bounded(self, valid_from: Instant | None, valid_until: Instant | None) -> "Schedule":
        """Return the schedule without the slots before `valid_from` and after `valid_until`."""
        start = self.start if valid_from is None else max(self.start, -(-valid_from // SECOND_US))
        end = self.end if valid_until is None else min(self.end, valid_until // SECOND_US + 1)
        return replace(self, start=start, end=end)

    def next(self, after: Instant) -> Slot | Exhausted | BeyondHorizon:
        """Return the first slot strictly after an instant."""
        try:
            for second in self._forward(after // SECOND_US + 1, self.end, Work(SEARCH_UNITS)):
                return self._slot(second)
        except WorkBudgetExceededError as stop:
            return BeyondHorizon(cursor=Instant(stop.cursor * SECOND_US))
        return Exhausted()

    def prev(self, before: Instant) -> Slot | Exhausted | BeyondHorizon:
        """Return the last slot strictly before an instant."""
        try:
            for second in self._backward(self.start, -(-before // SECOND_US), Work(SEARCH_UNITS)):
                return self._slot(second)
        except WorkBudgetExceededError as stop:
            return BeyondHorizon(cursor=Instant(stop.cursor * SECOND_US))
        return Exhausted()

    def between(self, after: Instant, until: Instant, limit: int) -> Slots:
        """Return the oldest `limit` slots after `after` and not after `until`.

        Raises WorkBudgetExceededError when the span cannot be searched within the budget.
        """
        seconds: list[int] = []
        start, end = after // SECOND_US + 1, until // SECOND_US + 1
        for second in self._forward(start, end, Work(COUNT_UNITS)):
            if len(seconds) == limit:
                return Slots(slots=self._slots(seconds), is_complete=False)
            seconds.append(second)
        return Slots(slots=self._slots(seconds), is_complete=True)

    def newest(self, after: Instant, until: Instant, limit: int) -> Slots:
        """Return the newest `limit` slots after `after` and not after `until`, oldest first.

        Raises WorkBudgetExceededError when the span cannot be searched within the budget.
        """
        seconds: list[int] = []
        start, end = after // SECOND_US + 1, until // SECOND_US + 1
        is_complete = True
        for second in self._backward(start, end, Work(COUNT_UNITS)):
            if len(seconds) == limit:
                is_complete = False
                break
            seconds.append(second)
        return Slots(slots=self._slots(reversed(seconds)), is_complete=is_complete)

    def count(self, after: Instant, until: Instant) -> int:
        """Return how many slots lie after `after` and not after `until`, without making them.

        Raises WorkBudgetExceededError when the span cannot be searched within the budget (a century of days can).
        """
        start = max(after // SECOND_US + 1, self.start)
        end = min(until // SECOND_US + 1, self.end)
        runs = self.source.forward(start, end, Work(COUNT_UNITS))
        return sum(len(times) for _, times in runs)

    def backlog(self, after: Instant, until: Instant, newest: int) -> Backlog:
        """Return all slots after `after` and not after `until`: their number, the first, and the newest few.

        Raises WorkBudgetExceededError when the span cannot be searched within the budget.
        """
        listed = self.newest(after, until, newest)
        if listed.is_complete:
            slots = listed.slots
            return Backlog(count=len(slots), first=slots[0] if slots else None, newest=slots)
        first = self.between(after, until, 1).slots[0]
        return Backlog(count=self.count(after, until), first=first, newest=listed.slots)

    def _forward(self, start: int, end: int, work: Work) -> Iterator[int]:
        start, end = max(start, self.start), min(end, self.end)
        for shift, times in self.source.forward(start, end, work):
            for time in times:
                yield shift + time

    def _backward(self, start: int, end: int, work: Work) -> Iterator[int]:
        start, end = max(start, self.start), min(end, self.end)
        for shift, times in self.source.backward(start, end, work):
            for time in reversed(times):
                yield shift + time

    def _slots(self, seconds: Iterator[int] | list[int]) -> tuple[Slot, ...]:
        return tuple(self._slot(second) for second in seconds)

    def _slot(self, second: int) -> Slot:
        slot = slot_at(second, self.anchor, self.zone)
        if self.anchor is AnchorClass.WALL and self._was_moved(second):
            return replace(slot, marks=(*slot.marks, Mark.MOVED_BY_GAP))
        return slot

    def _was_moved(self, second: int) -> bool:
        offset = offset_at(second, self.zone)
        if offset_at(second - DAY_S, self.zone) == offset:
            return False
        return not self.source.names(second + offset)


def compile_rule(spec: RuleSpec, zone: Zone) -> Schedule:
    """Return the schedule of a rule; raise ValidationError with every fault of it, never firing among them."""
    match spec:
        case RruleRule():
            schedule = _rrule(spec, zone)
        case CronRule():
            schedule = _cron(spec, zone)
        case OnceLocal():
            schedule = _once_local(spec, zone)
        case OnceInstant():
            schedule = _once_instant(spec, zone)
        case _:
            assert_never(spec)
    return schedule


def _rrule(spec: RruleRule, zone: Zone) -> Schedule:
    found = Faults(faults.RRULE)
    parts = rrule_text.parse(spec.text, found)
    if parts is not None:
        rrule.check(parts, found)
    start = parse_local(spec.dtstart)
    if start is None:
        found.found.append(faults.bad_dtstart(spec.dtstart))
    found.raise_if_any()
    assert parts is not None
    assert start is not None
    source = rrule.compile_parts(parts, start, zone)
    anchor = rrule.anchor_of(parts.frequency)
    schedule = Schedule(spec=spec, anchor=anchor, zone=zone, source=source)
    _check_fires(source, found)
    if parts.count is None:
        return schedule
    source = rrule.ended(source, parts.count, found)
    found.raise_if_any()
    return replace(schedule, source=source)


def _cron(spec: CronRule, zone: Zone) -> Schedule:
    found = Faults(faults.CRON)
    parts = cron.parse(spec.text, found, seconds_first=spec.seconds_first)
    if parts is not None and not cron.fires(parts):
        found.add(_NEVER, "leave a restriction out")
    found.raise_if_any()
    assert parts is not None
    source = cron.compile_parts(parts, zone)
    return Schedule(spec=spec, anchor=parts.anchor, zone=zone, source=source)


def _check_fires(source: Source, found: Faults) -> None:
    try:
        if not any(True for _ in source.forward(FIRST_S, END_S, Work(SEARCH_UNITS))):
            found.add(_NEVER, "leave a restriction out")
    except WorkBudgetExceededError:
        found.add(
            "the rule does not fire within years: too few dates agree with all of it",
            "leave a restriction out",
        )
    found.raise_if_any()


def _once_local(spec: OnceLocal, zone: Zone) -> Schedule:
    local = parse_local(spec.local)
    if local is None or not FIRST_S <= wall_second(local) < END_S:
        raise faults.refusal(
            faults.ONCE,
            f"{faults.shown(spec.local)} is no local time",
            "write 2026-12-25 08:00, or 2026-12-25T08:00:00+08:00 for an instant",
        )
    source = OneTime(second=second_of(local, zone), wall=wall_second(local))
    return Schedule(spec=spec, anchor=AnchorClass.WALL, zone=zone, source=source)


def _once_instant(spec: OnceInstant, zone: Zone) -> Schedule:
    second, fraction = divmod(spec.due_at, SECOND_US)
    if fraction or not FIRST_S <= second < END_S:
        raise faults.refusal(
            faults.ONCE, "a slot is a whole second between 1970 and 9998", "leave the fraction out"
        )
    source = OneTime(second=second, wall=second + offset_at(second, zone))
    return Schedule(spec=spec, anchor=AnchorClass.ELAPSED, zone=zone, source=source)
