"""Admission: the one answer for every slot that is due, from catch-up and overlap together.

How a transaction uses it: ask the recurrence for the due slots within `bounds` (the newest `LISTED_MAX` of them,
how many there are, the first), name the work of those that `wanted` returns, and record the answers of `plan_slots`
in their order. The answers are disjoint and cover every due slot: at most one range of missed slots, then one answer
for each later slot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, assert_never

from duly.model.instant import Instant
from duly.model.plan import Overlap, Timing
from duly.model.reasons import Reason
from duly.model.states import Disposition
from duly.policy import catch_up, overlap
from duly.policy.catch_up import LateSlot
from duly.policy.overlap import OverlapFacts, Queue, Refuse, Skip, Start

# A hundred may be caught up, one more names the end of the missed range, the rest are on time.
LISTED_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DueSlots:
    """All slots that are due and not answered: how many, the first, and the newest of them, oldest first."""

    count: int
    newest: tuple[LateSlot, ...]
    first: LateSlot

    def __post_init__(self) -> None:
        """Refuse a list that cannot be the end of the counted slots."""
        if not 1 <= len(self.newest) <= self.count:
            raise ValueError("list between one slot and all that are due")
        if self.count == len(self.newest) and self.first != self.newest[0]:
            raise ValueError("the first slot is not the first of a complete list")


@dataclass(frozen=True, slots=True, kw_only=True)
class Works:
    """What slots are for: `of` names a slot's work by its key, `existing` are works that have a run already.

    A slot that is not named is a work of its own, without a run.
    """

    of: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    existing: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedRange:
    """`count` slots from `first` to `last` that do not fire, for a reason true of each."""

    first: LateSlot
    last: LateSlot
    count: int
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotAnswer:
    """One slot's answer.

    `is_waiting`: its run is made in `created`. `chained`: it waits for the run that the chain made last.
    """

    slot: LateSlot
    disposition: Disposition
    reason: Reason
    chained: bool
    caught_up: bool
    is_waiting: bool


Answer = MissedRange | SlotAnswer


def bounds(timing: Timing, mark_due: Instant, at: Instant) -> tuple[Instant, Instant]:
    """Return (after, until): slots with after < due_at <= until are due; `valid_from` and `valid_until` are inside."""
    after = mark_due if timing.valid_from is None else max(mark_due, Instant(timing.valid_from - 1))
    until = at if timing.valid_until is None else min(at, timing.valid_until)
    return after, max(after, until)


def is_valid(timing: Timing, due_at: Instant) -> bool:
    """Say whether a slot at `due_at` is a slot at all."""
    is_begun = timing.valid_from is None or timing.valid_from <= due_at
    return is_begun and (timing.valid_until is None or due_at <= timing.valid_until)


def wanted(timing: Timing, due: DueSlots, at: Instant) -> tuple[LateSlot, ...]:
    """Return the slots whose work has to be named before `plan_slots` can answer; oldest first."""
    late, on_time = _split(timing, due, at)
    return _caught_up(timing, due, late, at).fire + on_time


def close(due: DueSlots, reason: Reason) -> MissedRange:
    """Answer every due slot as missed: how a pause, a suspension or a deletion ends."""
    return MissedRange(first=due.first, last=due.newest[-1], count=due.count, reason=reason)


def plan_slots(
    timing: Timing, due: DueSlots, facts: OverlapFacts, at: Instant, works: Works | None = None
) -> tuple[Answer, ...]:
    """Answer every due slot once, oldest first.

    Late slots that catch-up lets go form a chain. Overlap judges its head and every slot on time; each run that is made
    stands before the later ones. A slot whose work has a run joins it and stands before nobody.
    """
    late, on_time = _split(timing, due, at)
    verdict = _caught_up(timing, due, late, at)
    works = works or Works()
    line = _Line(rule=timing.overlap, facts=facts, existing=works.existing, has_chain=False)
    answers: list[Answer] = list(_missed(due, verdict.missed_count, verdict.reason))
    for place, slot in enumerate(verdict.fire + on_time):
        work = works.of.get(slot.key, slot.key)
        answer = _answer(line, slot, work, caught_up=place < len(verdict.fire))
        answers.append(answer)
        line = _after(line, answer, work)
    return tuple(answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """The runs that stand before the next slot of one admission, and the works that have one."""

    rule: Overlap
    facts: OverlapFacts
    existing: frozenset[str]
    has_chain: bool


def _answer(line: _Line, slot: LateSlot, work: str, *, caught_up: bool) -> SlotAnswer:
    is_chained = caught_up and line.has_chain and work not in line.existing
    if work in line.existing:
        disposition, reason = Disposition.JOINED, Reason.SAME_WORK
    elif is_chained:
        disposition, reason = Disposition.QUEUED, Reason.CHAINED
    else:
        disposition, reason = _judge(line, Reason.CAUGHT_UP if caught_up else Reason.ON_TIME)
    return SlotAnswer(
        slot=slot,
        disposition=disposition,
        reason=reason,
        chained=is_chained,
        caught_up=caught_up,
        is_waiting=disposition is Disposition.QUEUED,
    )


def _judge(line: _Line, started: Reason) -> tuple[Disposition, Reason]:
    verdict = overlap.decide(line.rule, line.facts)
    match verdict:
        case Start():
            return Disposition.STARTED, started
        case Queue(reason=reason):
            return Disposition.QUEUED, reason
        case Skip(reason=reason):
            return Disposition.SKIPPED, reason
        case Refuse(reason=reason):
            return Disposition.REFUSED, reason
        case _:
            assert_never(verdict)


def _after(line: _Line, answer: SlotAnswer, work: str) -> _Line:
    if answer.disposition not in (Disposition.STARTED, Disposition.QUEUED):
        return line
    return replace(
        line,
        facts=OverlapFacts(
            live=line.facts.live + (not answer.is_waiting),
            waiting=line.facts.waiting + answer.is_waiting,
        ),
        existing=line.existing | {work},
        has_chain=line.has_chain or answer.caught_up,
    )


def _split(
    timing: Timing, due: DueSlots, at: Instant
) -> tuple[Sequence[LateSlot], tuple[LateSlot, ...]]:
    """Part the listed slots into late ones and ones on time.

    Where more slots are on time than a list holds, the oldest listed ends the range of those that are not listed.
    """
    late_count = sum(
        1 for slot in due.newest if catch_up.is_late(slot.due_at, at, timing.late_us_max)
    )
    if due.count > len(due.newest):
        late_count = max(late_count, 1)
    return due.newest[:late_count], due.newest[late_count:]


def _caught_up(
    timing: Timing, due: DueSlots, late: Sequence[LateSlot], at: Instant
) -> catch_up.CatchUpVerdict:
    unlisted_count = due.count - len(due.newest)
    return catch_up.decide(timing.catch_up, unlisted_count + len(late), late, at)


def _missed(due: DueSlots, count: int, reason: Reason) -> tuple[MissedRange, ...]:
    """Return the range of the `count` oldest slots, if there are any."""
    if count == 0:
        return ()
    last = due.newest[count - 1 - (due.count - len(due.newest))]
    return (MissedRange(first=due.first, last=last, count=count, reason=reason),)
