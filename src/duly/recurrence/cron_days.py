"""The day forms that Quartz and Jenkins brought to cron: `L`, `L-3`, `LW`, `15W`, `5L`, `1#2`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from duly.recurrence.faults import PartError, shown

LAST_WORKDAY: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class DayForm:
    """One item of a day field: a day counted from the month's end, a workday, or a weekday by its number in the month.

    `workday` n is the day from Monday to Friday nearest to the n-th, in the same month; -1 the last of the month.
    `ordinal` is (n, weekday), Monday 0, counted from the end when negative.
    """

    month_day: int | None = None
    workday: int | None = None
    ordinal: tuple[int, int] | None = None


_LAST: Final = re.compile(r"L(?:-([0-9]{1,2}))?", re.ASCII)
_NEAREST: Final = re.compile(r"([0-9]{1,2})W", re.ASCII)
_LAST_OF: Final = re.compile(r"([0-9A-Z]{1,3})L", re.ASCII)
_NUMBERED: Final = re.compile(r"([0-9A-Z]{1,3})#([0-9]{1,2})", re.ASCII)
_FROM_END_MAX: Final = 30
_IN_MONTH_MAX: Final = 5


def of_month(item: str) -> DayForm | None:
    """Return what an item of the day-of-month field means if it is one of these forms. Raises PartError."""
    written = item.upper()
    if written == "LW":
        return DayForm(workday=LAST_WORKDAY)
    if (last := _LAST.fullmatch(written)) is not None:
        before = int(last[1] or 0)
        if before > _FROM_END_MAX:
            raise PartError(f"{shown(item)}: no month has that many days", "write L-30 at most")
        return DayForm(month_day=-1 - before)
    if (nearest := _NEAREST.fullmatch(written)) is not None:
        day = int(nearest[1])
        if not 1 <= day <= 31:
            raise PartError(f"{shown(item)}: there is no day {day}", "write 1W to 31W")
        return DayForm(workday=day)
    return None


def of_week(item: str, weekday_of: Mapping[str, int]) -> DayForm | None:
    """Return what an item of the day-of-week field means if it is one of these forms; Sunday is 0 or 7 in the text.

    Raises PartError.
    """
    written = item.upper()
    if written == "L":
        raise PartError("'L' alone names no weekday", "write SAT, or 5L for the last Friday")
    if (last := _LAST_OF.fullmatch(written)) is not None:
        return DayForm(ordinal=(-1, _weekday(item, last[1], weekday_of)))
    numbered = _NUMBERED.fullmatch(written)
    if numbered is None:
        return None
    number = int(numbered[2])
    if not 1 <= number <= _IN_MONTH_MAX:
        raise PartError(
            f"{shown(item)}: a month has 1 to 5 of a weekday", f"write {numbered[1]}#1 to #5"
        )
    return DayForm(ordinal=(number, _weekday(item, numbered[1], weekday_of)))


def _weekday(item: str, name: str, weekday_of: Mapping[str, int]) -> int:
    """Return a weekday, Monday 0."""
    number = weekday_of.get(name)
    if number is None:
        raise PartError(f"{shown(item)}: {shown(name)} is no weekday", "use 0 to 7, or SUN to SAT")
    return (number - 1) % 7
