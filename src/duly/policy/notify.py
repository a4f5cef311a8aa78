"""Notices: which news a person is told of. Once for each kind, until the automation has ended well again."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from duly.model.states import Outcome


class NoticeKind(Enum):
    """What a person may have to be told."""

    FAILED = "failed"
    NEEDS_REVIEW = "needs_review"
    MISSED = "missed"
    SUSPENDED = "suspended"
    WELL = "well"  # never told: it makes the next alarm news again


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Whether to tell, and what was told since the automation was last well (stored as the automation's `told`)."""

    is_told: bool
    told: str | None


_KIND_OF: Final = {
    Outcome.COMPLETED: NoticeKind.WELL,
    Outcome.NO_CHANGE: NoticeKind.WELL,
    Outcome.FAILED_BEFORE_WRITE: NoticeKind.FAILED,
    Outcome.FAILED_AFTER_WRITE: NoticeKind.NEEDS_REVIEW,
    Outcome.NEEDS_REVIEW: NoticeKind.NEEDS_REVIEW,
    Outcome.CANCELLED: None,
}


def decide(told: str | None, now: NoticeKind) -> Telling:
    """Say whether `now` is news after what was `told`: kinds in order of the alphabet, joined by commas."""
    if now is NoticeKind.WELL:
        return Telling(is_told=False, told=None)
    kinds = set(told.split(",")) if told else set()
    return Telling(is_told=now.value not in kinds, told=",".join(sorted(kinds | {now.value})))


def kind_of(outcome: Outcome) -> NoticeKind | None:
    """Return the news that an outcome is; None: whoever cancelled knows."""
    return _KIND_OF[outcome]
