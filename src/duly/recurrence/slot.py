"""Slots: the times a rule names, in canonical form, and what a search for them may answer."""

from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final

from duly.model.instant import SECOND_US, Instant
from duly.model.timing import AnchorClass
from duly.model.zone import Zone
from duly.recurrence.zone import offset_at, offset_text, pass_of, wall_time

KEY_LOCAL_CHARS: Final = 19
"""Length of the time that every slot key begins with."""


class Mark(Enum):
    """What a reader of a slot's local time should know about it."""

    REPEATED_HOUR = "repeated_hour"  # this local time happens twice; here is the first
    REPEATED_HOUR_AGAIN = "repeated_hour_again"  # and here the second
    MOVED_BY_GAP = "moved_by_gap"  # the rule names a local time that does not exist on this day


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One time that a rule names; `local` is its wall time with offset, `2026-11-01T01:30:00-04:00`."""

    key: str
    due_at: Instant
    local: str
    anchor: AnchorClass
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhausted:
    """The rule names no further slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeyondHorizon:
    """Nothing was found within the work budget; everything up to `cursor` was searched."""

    cursor: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """Slots, oldest first; `is_complete` is false when the limit left some out."""

    slots: tuple[Slot, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """All slots of a span: how many, the first of them, and the newest ones, oldest first."""

    count: int
    first: Slot | None
    newest: tuple[Slot, ...]


def slot_key(local: str, zone_name: str) -> str:
    """Return the key of a wall slot from its effective local time `2026-11-01T01:30:00`."""
    return f"{local}[{zone_name}]"


def slot_at(second: int, anchor: AnchorClass, zone: Zone) -> Slot:
    """Return the slot at a second, as yet without a gap's mark."""
    offset = offset_at(second, zone)
    text = wall_time(second + offset).isoformat()
    is_wall = anchor is AnchorClass.WALL
    return Slot(
        key=slot_key(text, zone.name) if is_wall else elapsed_key(second),
        due_at=Instant(second * SECOND_US),
        local=text + offset_text(offset),
        anchor=anchor,
        marks=_MARKS[pass_of(second, zone)],
    )


def elapsed_key(second: int) -> str:
    """Return the key of an elapsed slot: its instant in UTC."""
    return f"{wall_time(second).isoformat()}Z"


_MARKS: Final = MappingProxyType(
    {None: (), 0: (Mark.REPEATED_HOUR,), 1: (Mark.REPEATED_HOUR_AGAIN,)}
)
