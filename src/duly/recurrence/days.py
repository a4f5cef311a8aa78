"""Which days a rule names: a calendar of months, month days and weekdays, cut by a phase."""

from dataclasses import dataclass, field
from typing import Final

from duly.recurrence import phase as phases
from duly.recurrence.calendar_day import (
    FIRST_DAY,
    LAST_DAY,
    date_of,
    day_of,
    month_length,
    month_start,
    week_of,
    weekday_of,
    year_length,
)
from duly.recurrence.phase import Phase
from duly.recurrence.work import MONTH_UNITS, PHASE_UNITS, Work
from duly.recurrence.zone import DAY_S

_CACHED_MONTHS_MAX: Final = 64
_FRIDAY: Final = 4
_EVERY_SEVENTH: Final = sum(1 << day for day in range(0, 31, 7))


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """Days by their names; an empty set restricts nothing. Weekday 0 is Monday; ordinals are (n, weekday).

    A workday n is the day from Monday to Friday nearest to the n-th, in the same month; -1 is the last of the month.
    Month days (workdays are such) and weekdays must both agree, or, with `either`, one of them is enough (cron's rule).
    Days and weeks of the year narrow all that.
    """

    months: frozenset[int] = frozenset()
    month_days: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    month_ordinals: frozenset[tuple[int, int]] = frozenset()
    year_ordinals: frozenset[tuple[int, int]] = frozenset()
    workdays: frozenset[int] = frozenset()
    year_days: frozenset[int] = frozenset()
    weeks: frozenset[int] = frozenset()
    week_start: int = 0
    either: bool = False

    @property
    def is_every_day(self) -> bool:
        """True when no day is left out."""
        names_days = self._names_month_days or self._names_weekdays or self._names_year_parts
        return not (self.months or names_days)

    @property
    def _names_year_parts(self) -> bool:
        return bool(self.year_days or self.weeks)

    @property
    def _names_month_days(self) -> bool:
        return bool(self.month_days or self.workdays)

    @property
    def _names_weekdays(self) -> bool:
        return bool(self.weekdays or self.month_ordinals or self.year_ordinals)

    def bits(self, year: int, month: int) -> int:
        """Return the named days of a month, bit 0 for the first."""
        if self.months and month not in self.months:
            return 0
        length = month_length(year, month)
        whole = (1 << length) - 1
        by_day = self._month_day_bits(year, month, length) if self._names_month_days else whole
        by_weekday = self._weekday_bits(year, month, length) if self._names_weekdays else whole
        named = (by_day | by_weekday if self.either else by_day & by_weekday) & whole
        return named & self._year_bits(year, month, length) if self._names_year_parts else named

    def _year_bits(self, year: int, month: int, length: int) -> int:
        """Return the days that the days and weeks of their year name; both are counted from its end when negative."""
        first = day_of(year, month, 1)
        into, days = first - day_of(year, 1, 1), year_length(year)
        named = 0
        for index in range(length):
            of_year = into + index + 1
            week, weeks = week_of(first + index, self.week_start) if self.weeks else (0, 0)
            is_day = not self.year_days or not self.year_days.isdisjoint(
                (of_year, of_year - days - 1)
            )
            is_week = not self.weeks or not self.weeks.isdisjoint((week, week - weeks - 1))
            named |= (is_day and is_week) << index
        return named

    def _month_day_bits(self, year: int, month: int, length: int) -> int:
        named = 0
        for day in self.month_days:
            index = day - 1 if day > 0 else length + day
            if index >= 0:
                named |= 1 << index
        first = weekday_of(day_of(year, month, 1))
        for day in self.workdays:
            if day <= length:
                named |= 1 << (_nearest_workday(day, first, length) - 1)
        return named

    def _weekday_bits(self, year: int, month: int, length: int) -> int:
        first = day_of(year, month, 1)
        named = 0
        for weekday in self.weekdays:
            named |= _EVERY_SEVENTH << (weekday - weekday_of(first)) % 7
        for ordinal, weekday in self.month_ordinals:
            named |= _bit(_nth(ordinal, weekday, first, length), first, length)
        for ordinal, weekday in self.year_ordinals:
            day = _nth(ordinal, weekday, day_of(year, 1, 1), year_length(year))
            named |= _bit(day, first, length)
        return named


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """The days of a rule, found by looking at one month at a time."""

    calendar: Calendar
    phase: Phase | None = None
    _months: dict[int, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_every_day(self) -> bool:
        """True when no day is left out."""
        return self.phase is None and self.calendar.is_every_day

    @property
    def _cost(self) -> int:
        return MONTH_UNITS if self.phase is None else PHASE_UNITS

    def has(self, day: int) -> bool:
        """Say whether the rule names a day."""
        if self.phase is None and self.calendar.is_every_day:
            return True
        there = date_of(day)
        return bool(self._bits(there.year, there.month) >> (there.day - 1) & 1)

    def first_from(self, day: int, work: Work) -> int | None:
        """Return the first named day at or after `day`; None when there is none before the year 9999."""
        if self.is_every_day:
            return day if day <= LAST_DAY else None
        while True:
            if self.phase is not None:
                day = phases.first_from(self.phase, day)
            if day > LAST_DAY:
                return None
            work.spend(self._cost, day * DAY_S)
            there = date_of(day)
            found = self._bits(there.year, there.month) >> (there.day - 1)
            if found:
                return day + (found & -found).bit_length() - 1
            day = month_start(there.year * 12 + there.month)

    def last_until(self, day: int, work: Work) -> int | None:
        """Return the last named day at or before `day`; None when there is none since 1970."""
        if self.is_every_day:
            return day if day >= FIRST_DAY else None
        while True:
            if self.phase is not None:
                day = phases.last_until(self.phase, day)
            if day < FIRST_DAY:
                return None
            work.spend(self._cost, day * DAY_S)
            there = date_of(day)
            found = self._bits(there.year, there.month) & ((1 << there.day) - 1)
            if found:
                return day - there.day + found.bit_length()
            day -= there.day

    def _bits(self, year: int, month: int) -> int:
        index = year * 12 + month
        known = self._months.get(index)
        if known is not None:
            return known
        named = self.calendar.bits(year, month)
        if self.phase is not None and named:
            named &= phases.bits(self.phase, day_of(year, month, 1), month_length(year, month))
        if len(self._months) >= _CACHED_MONTHS_MAX:
            self._months.clear()
        self._months[index] = named
        return named


def _nearest_workday(day: int, first: int, length: int) -> int:
    """Return the workday nearest to a day of a month that begins on weekday `first`; -1: the last one."""
    if day < 0:
        return length - max(0, (first + length - 1) % 7 - _FRIDAY)
    match (first + day - 1) % 7:
        case 5:
            return day - 1 if day > 1 else day + 2
        case 6:
            return day + 1 if day < length else day - 2
        case _:
            return day


def _nth(ordinal: int, weekday: int, first: int, length: int) -> int:
    """Return the n-th such weekday of a period, from its end when negative; it may lie outside."""
    if ordinal > 0:
        return first + (weekday - weekday_of(first)) % 7 + 7 * (ordinal - 1)
    last = first + length - 1
    return last - (weekday_of(last) - weekday) % 7 + 7 * (ordinal + 1)


def _bit(day: int, first: int, length: int) -> int:
    return 1 << (day - first) if 0 <= day - first < length else 0
