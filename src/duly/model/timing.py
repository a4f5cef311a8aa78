"""Time words: rules as written, windows, watermarks. Shapes only; what they mean is `duly.recurrence`."""

from dataclasses import dataclass
from enum import Enum

from duly.model.instant import Instant


class AnchorClass(Enum):
    """What a rule holds on to: local wall time, or real elapsed time."""

    WALL = "W"
    ELAPSED = "E"


@dataclass(frozen=True, slots=True, kw_only=True)
class RruleRule:
    """An RFC 5545 recurrence rule; `dtstart` is local wall time `2026-03-01T09:00:00` in the automation's zone."""

    text: str
    dtstart: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CronRule:
    """A cron expression, read in the automation's zone: five fields, or six with the seconds first."""

    text: str
    seconds_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceLocal:
    """One local wall time `2026-12-25T08:00:00` in the automation's zone."""

    local: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceInstant:
    """One instant, given with its offset."""

    due_at: Instant


RuleSpec = RruleRule | CronRule | OnceLocal | OnceInstant


class Period(Enum):
    """The business period that names a window."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SLOT = "slot"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrftimePeriod:
    """A period named by a strftime pattern over the slot's local time."""

    pattern: str


class Covers(Enum):
    """Which span of the world a window's work reads."""

    CURRENT = "current"
    PREVIOUS = "previous"
    SINCE_LAST_SLOT = "since_last_slot"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRule:
    """How slots map to windows."""

    period: Period | StrftimePeriod
    covers: Covers


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One business period of an automation: its key, and the span `[span_start, span_end)` its work reads.

    `span_end` is the query cutoff; it is never after the slot's due instant.
    """

    key: str
    span_start: Instant
    span_end: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """Everything up to here was answered, over all revisions of an automation."""

    due_at: Instant
    slot_key: str
    anchor: AnchorClass
    zone: str
