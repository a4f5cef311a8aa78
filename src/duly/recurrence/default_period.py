"""The window period that fits a rule when its author names none."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from duly.model.timing import Period
from duly.recurrence.calendar_day import date_of
from duly.recurrence.days import Days
from duly.recurrence.schedule import Schedule
from duly.recurrence.source import DayTimes
from duly.recurrence.work import COUNT_UNITS, Work
from duly.recurrence.zone import DAY_S, offset_at

# Weekdays and leap years repeat after 28 years; clock changes, and real cadences with them, after one.
_WALL_DAYS: Final = 28 * 366
_ELAPSED_DAYS: Final = 800
_FROM_DAY: Final = 19_723  # 2024-01-01, where rules without a beginning are looked at

_BY_LENGTH: Final = (Period.SLOT, Period.DAY, Period.WEEK, Period.MONTH)


def default_period(schedule: Schedule) -> Period:
    """Return the longest of month, week and day that no two slots of a rule share; else slot, as for `once`."""
    source = schedule.source
    if not isinstance(source, DayTimes):
        return Period.SLOT
    if not source.by_wall:
        return _longest(_days_by_instants(source), Period.SLOT)
    if len(source.times.within(0, DAY_S, 0)) > 1:
        return Period.SLOT
    first = max(source.wall_start // DAY_S, _FROM_DAY)
    return _longest(_named_days(source.days, first), Period.DAY)


def _longest(days: Iterable[int], shortest: Period) -> Period:
    """Return the longest period that no neighbours share, looking no further once it is `shortest`."""
    longest = Period.MONTH
    for earlier, later in pairwise(days):
        longest = min(longest, _unshared(earlier, later), key=_BY_LENGTH.index)
        if longest is shortest:
            break
    return longest


def _unshared(earlier: int, later: int) -> Period:
    if earlier == later:
        return Period.SLOT
    if (earlier + 3) // 7 == (later + 3) // 7:
        return Period.DAY
    first, second = date_of(earlier), date_of(later)
    return Period.WEEK if (first.year, first.month) == (second.year, second.month) else Period.MONTH


def _named_days(days: Days, first: int) -> Iterator[int]:
    work = Work(COUNT_UNITS)
    day = days.first_from(first, work)
    while day is not None and day < first + _WALL_DAYS:
        yield day
        day = days.first_from(day + 1, work)


def _days_by_instants(source: DayTimes) -> Iterator[int]:
    start = max(source.start, _FROM_DAY * DAY_S)
    end = start + _ELAPSED_DAYS * DAY_S
    for shift, times in source.forward(start, end, Work(COUNT_UNITS)):
        for time in times:
            second = shift + time
            yield (second + offset_at(second, source.zone)) // DAY_S
