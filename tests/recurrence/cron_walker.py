"""The slow and obvious reading of cron: look at every minute. Shares no code with the engine.

Day fields follow Debian's cron: with a leading star in either they must agree, else one of them is enough.
"""

import calendar
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

_MONTHS: Final = [
    "JAN",
    "FEB",
    "MAR",
    "APR",
    "MAY",
    "JUN",
    "JUL",
    "AUG",
    "SEP",
    "OCT",
    "NOV",
    "DEC",
]
_WEEKDAYS: Final = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
_BOUNDS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_NAMED: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


def instants(text: str, zone: tzinfo, first: datetime, last: datetime) -> Sequence[datetime]:
    """Return the instants of an expression in `[first, last)`, in UTC and in order."""
    fields = _NAMED.get(text, text).upper().split()
    elapsed = fields[0].startswith("*") or fields[1].startswith("*")
    read = _elapsed if elapsed else _wall
    return sorted({each for each in read(fields, zone, first, last) if first <= each < last})


def _elapsed(
    fields: Sequence[str], zone: tzinfo, first: datetime, last: datetime
) -> Iterator[datetime]:
    """Every real minute whose local reading agrees."""
    minutes, hours = _values(fields[0], 0), _values(fields[1], 1)
    moment = first.astimezone(UTC).replace(second=0)
    while moment < last:
        local = moment.astimezone(zone)
        if local.minute in minutes and local.hour in hours and _is_day(fields, local.date()):
            yield moment
        moment += timedelta(minutes=1)


def _wall(
    fields: Sequence[str], zone: tzinfo, first: datetime, last: datetime
) -> Iterator[datetime]:
    """Every local time that agrees: a repeated one is its first instant, in a gap the offset before counts."""
    minutes, hours = _values(fields[0], 0), _values(fields[1], 1)
    day = first.date() - timedelta(days=3)
    while day <= last.date() + timedelta(days=3):
        if _is_day(fields, day):
            for hour in sorted(hours):
                for minute in sorted(minutes):
                    local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
                    yield local.astimezone(UTC)
        day += timedelta(days=1)


def _number(text: str, place: int) -> int:
    names = {3: _MONTHS, 4: _WEEKDAYS}.get(place, [])
    return names.index(text) + (place == 3) if text in names else int(text)


def _values(field: str, place: int) -> set[int]:
    low, high = _BOUNDS[place]
    found: set[int] = set()
    for item in field.split(","):
        span, _, step = item.partition("/")
        if span == "*":
            ends = [low, high]
        else:
            ends = [_number(end, place) for end in span.split("-")]
        found.update(range(ends[0], ends[-1] + 1, int(step or 1)))
    return {number % 7 for number in found} if place == 4 else found


def _is_day(fields: Sequence[str], day: date) -> bool:
    if day.month not in _values(fields[3], 3):
        return False
    by_date = any(_is_month_day(item, day) for item in fields[2].split(","))
    by_weekday = any(_is_weekday(item, day) for item in fields[4].split(","))
    if fields[2].startswith("*") or fields[4].startswith("*"):
        return by_date and by_weekday
    return by_date or by_weekday


def _is_month_day(item: str, day: date) -> bool:
    length = calendar.monthrange(day.year, day.month)[1]
    if item == "LW":
        return day == _nearest_workday(day, length)
    if item.startswith("L"):
        return day.day == length - int(item[2:] or 0)
    if item.endswith("W"):
        number = int(item[:-1])
        return number <= length and day == _nearest_workday(day, number)
    return day.day in _values(item, 2)


def _nearest_workday(day: date, number: int) -> date:
    """Return the workday of a day's month that is nearest to the day with a number."""
    wanted = day.replace(day=number)
    length = calendar.monthrange(day.year, day.month)[1]
    workdays = [
        each
        for each in (day.replace(day=one) for one in range(1, length + 1))
        if each.weekday() < 5
    ]
    return min(workdays, key=lambda each: abs((each - wanted).days))


def _is_weekday(item: str, day: date) -> bool:
    sunday_first = (day.weekday() + 1) % 7
    length = calendar.monthrange(day.year, day.month)[1]
    if "#" in item:
        name, number = item.split("#")
        return sunday_first == _number(name, 4) % 7 and (day.day - 1) // 7 + 1 == int(number)
    if item.endswith("L") and item != "L":
        return sunday_first == _number(item[:-1], 4) % 7 and day.day + 7 > length
    return sunday_first in _values(item, 4)
