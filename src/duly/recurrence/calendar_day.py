"""Days as numbers: days since 1970-01-01 on the proleptic Gregorian calendar."""

from calendar import isleap
from datetime import date
from typing import Final

_EPOCH_ORDINAL: Final = 719_163
_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

FIRST_DAY: Final = -4
"""Nothing is searched before it; it leaves room for 1970-01-01 in every zone."""

LAST_DAY: Final = date(9998, 12, 30).toordinal() - _EPOCH_ORDINAL


def day_of(year: int, month: int, day: int) -> int:
    """Return the number of a date."""
    return date(year, month, day).toordinal() - _EPOCH_ORDINAL


def date_of(day: int) -> date:
    """Return the date of a day number."""
    return date.fromordinal(day + _EPOCH_ORDINAL)


def month_length(year: int, month: int) -> int:
    """Return the number of days in a month."""
    return 29 if month == 2 and isleap(year) else _LENGTHS[month - 1]


def year_length(year: int) -> int:
    """Return the number of days in a year."""
    return 366 if isleap(year) else 365


def weekday_of(day: int) -> int:
    """Return the weekday of a day number, 0 for Monday."""
    return (day + 3) % 7


def month_start(month_index: int) -> int:
    """Return the first day of a month counted as `year * 12 + month - 1`; past the last day when out of range."""
    year, month = divmod(month_index, 12)
    return day_of(year, month + 1, 1) if year <= 9998 else LAST_DAY + 1


def week_of(day: int, week_start: int) -> tuple[int, int]:
    """Return the number of a day's week, and how many weeks its year has.

    A week belongs to the year that has at least four of its days (RFC 5545 §3.3.10, BYWEEKNO; ISO 8601 for Mondays).
    """
    fourth = day - (weekday_of(day) - week_start) % 7 + 3
    there = date_of(fourth)
    into = fourth - day_of(there.year, 1, 1)
    return into // 7 + 1, (year_length(there.year) - 1 - into % 7) // 7 + 1
