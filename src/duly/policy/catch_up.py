"""Catch-up: which of the slots that nobody answered in time still fire?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from duly.model.instant import Instant
from duly.model.plan import CatchUp, CatchUpBounded, CatchUpLatest, CatchUpNone
from duly.model.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class LateSlot:
    """One slot by its key, with the instant that the key means."""

    key: str
    due_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUpVerdict:
    """`fire`, oldest first, directly follows the `missed_count` older slots; `reason` is true of each missed one."""

    fire: tuple[LateSlot, ...]
    missed_count: int
    reason: Reason


def decide(rule: CatchUp, count: int, newest: Sequence[LateSlot], at: Instant) -> CatchUpVerdict:
    """Answer for `count` missed slots, of which the `newest` are listed, oldest first.

    When some are not listed, the oldest listed one does not fire either: a range row must name its last slot.
    """
    match rule:
        case CatchUpNone():
            return CatchUpVerdict(fire=(), missed_count=count, reason=Reason.LATE)
        case CatchUpLatest():
            return _newest(1, rule.age_us_max, count, newest, at)
        case CatchUpBounded():
            return _newest(rule.count, rule.age_us_max, count, newest, at)
        case _:
            assert_never(rule)


def is_late(due_at: Instant, at: Instant, late_us_max: int) -> bool:
    """Say whether a slot is missed; one that is at most `late_us_max` old is on time."""
    return at - due_at > late_us_max


def _newest(
    fire_max: int, age_us_max: int | None, count: int, newest: Sequence[LateSlot], at: Instant
) -> CatchUpVerdict:
    allowed = min(fire_max, len(newest) if count == len(newest) else len(newest) - 1)
    young = sum(1 for slot in newest if age_us_max is None or at - slot.due_at <= age_us_max)
    fired = max(0, min(allowed, young))
    return CatchUpVerdict(
        fire=tuple(newest[len(newest) - fired :]),
        missed_count=count - fired,
        # Whatever stopped the newest missed slot stopped every older one too.
        reason=Reason.CATCH_UP_AGE if young == fired else Reason.CATCH_UP_COUNT,
    )
