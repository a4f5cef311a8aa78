"""The first date at or after a start that the days of a rule name."""

from datetime import date, timedelta
from typing import Final

from duly.recurrence.calendar_day import month_length
from duly.recurrence.words.said import ELAPSED_UNITS, Said

_DAYS_MAX: Final = 366 * 8


def first_date(said: Said, start: date) -> date:
    """Return the first date from `start` on that the days said name; the start itself where that is not looked at."""
    assert said.every is not None
    if said.every[0] in ELAPSED_UNITS or said.year_days or said.weeks or said.positions:
        return start
    if said.workdays or (
        any(nth for nth, _ in said.weekdays) and not said.months and _by_year(said)
    ):
        return start
    for ahead in range(_DAYS_MAX):
        if start.toordinal() + ahead > date.max.toordinal():
            break
        day = start + timedelta(days=ahead)
        if _is_named(said, day):
            return day
    return start


def _by_year(said: Said) -> bool:
    assert said.every is not None
    return said.every[0].value == "YEARLY"


def _is_named(said: Said, day: date) -> bool:
    length = month_length(day.year, day.month)
    if said.months and day.month not in said.months:
        return False
    if said.month_days and not {day.day, day.day - length - 1} & set(said.month_days):
        return False
    if not said.weekdays:
        return True
    nth, from_end = (day.day - 1) // 7 + 1, -((length - day.day) // 7 + 1)
    names = {(0, day.weekday()), (nth, day.weekday()), (from_end, day.weekday())}
    return bool(names & set(said.weekdays))
