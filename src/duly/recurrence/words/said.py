"""What a sentence says, part by part, before it becomes a rule."""

from dataclasses import dataclass
from datetime import date, datetime, time
from enum import Enum


class Unit(Enum):
    """A unit of repetition; the value is the RRULE frequency."""

    SECOND = "SECONDLY"
    MINUTE = "MINUTELY"
    HOUR = "HOURLY"
    DAY = "DAILY"
    WEEK = "WEEKLY"
    MONTH = "MONTHLY"
    YEAR = "YEARLY"


ELAPSED_UNITS = (Unit.SECOND, Unit.MINUTE, Unit.HOUR)


class Link(Enum):
    """How a group of days joins the others: it names days, narrows them, or adds to them (cron)."""

    ON = "on"
    IF = "if"
    OR = "or"


class Scope(Enum):
    """What ordinals and days are counted in."""

    MONTH = "month"
    YEAR = "year"


Clock = tuple[int, int, int]
"""Hour, minute, second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date, and a time of day when one was said."""

    date: date
    clock: Clock | None = None

    @property
    def moment(self) -> datetime:
        """Return the local time; a date alone means its beginning."""
        hour, minute, second = self.clock or (0, 0, 0)
        return datetime.combine(self.date, time(hour, minute, second))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Every part that a sentence can name; what it does not name is empty.

    Weekday pairs are (ordinal or 0, weekday with 0 for Monday). `nearest`: days of the month whose nearest workday is
    meant, -1 for the last workday of all. `workdays`: positions among a month's workdays.
    """

    every: tuple[Unit, int] | None = None
    is_quarterly: bool = False
    weekdays: tuple[tuple[int, int], ...] = ()
    weekdays_link: Link = Link.ON
    weekdays_scope: Scope | None = None
    month_days: tuple[int, ...] = ()
    month_days_link: Link = Link.ON
    nearest: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    year_days_link: Link = Link.ON
    workdays: tuple[int, ...] = ()
    weeks: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    times: tuple[Clock, ...] = ()
    is_night: bool = False
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    seconds: tuple[int, ...] = ()
    between: tuple[Clock, Clock] | None = None
    steps: tuple[Unit, int] | None = None
    positions: tuple[int, ...] = ()
    positions_unit: Unit | None = None
    week_start: int | None = None
    start: Day | None = None
    until: Day | None = None
    until_utc: bool = False
    count: int | None = None
    excepted: tuple[Day, ...] = ()
    added: tuple[Day, ...] = ()
    once: bool = False
    on_date: Day | None = None
    instant: str | None = None
    zone: str | None = None
    is_cron: bool = False
