"""What a cron expression would say; the expression was accepted before."""

import re
from dataclasses import replace
from typing import Final

from duly.model.timing import CronRule
from duly.recurrence.words.said import Link, Said, Unit

_NAMED: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
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


def cron(rule: CronRule) -> Said:
    """Return what a sentence for a cron expression says."""
    text = _NAMED.get(rule.text.strip().lower(), rule.text)
    fields = text.upper().split()
    second = fields.pop(0) if getattr(rule, "seconds_first", False) else None
    minute, hour, day, month, weekday = fields
    minutes, hours = _values(minute, 0, 59), _values(hour, 0, 23)
    seconds = () if second is None else _values(second, 0, 59)
    starts = (minute, hour, second or "")
    if any(field.startswith("*") for field in starts):
        said = _elapsed(minutes, hours, seconds, is_every_second=starts[2].startswith("*"))
    else:
        said = Said(every=(Unit.DAY, 1), minutes=minutes, hours=hours, seconds=seconds)
        if second is None and len(minutes) * len(hours) <= 24:
            times = tuple((at, past, 0) for at in hours for past in minutes)
            said = Said(every=(Unit.DAY, 1), times=times)
    months = _values(_numbered(month, _MONTHS, 1), 1, 12)
    return _with_days(said, day, weekday, months if len(months) < 12 else ())


def _elapsed(
    minutes: tuple[int, ...],
    hours: tuple[int, ...],
    seconds: tuple[int, ...],
    *,
    is_every_second: bool,
) -> Said:
    unit = Unit.MINUTE if len(minutes) == 60 else Unit.HOUR
    if is_every_second:
        unit = Unit.SECOND
    return Said(
        every=(unit, 1),
        minutes=() if len(minutes) == 60 else minutes,
        hours=() if len(hours) == 24 else hours,
        seconds=() if len(seconds) == 60 else seconds,
    )


def _with_days(said: Said, day: str, weekday: str, months: tuple[int, ...]) -> Said:
    day, weekday = day.replace("?", "*"), weekday.replace("?", "*")
    is_either = not (day.startswith("*") or weekday.startswith("*"))
    nearest = tuple(int(item[:-1]) for item in day.split(",") if re.fullmatch("[0-9]+W", item))
    last_workday = (-1,) if "LW" in day.split(",") else ()
    month_days = _month_days(day)
    weekdays = _weekday_pairs(weekday)
    if not is_either:
        month_days = month_days if len(month_days) != 31 or min(month_days) < 0 else ()
        plain = [pair for pair in weekdays if not pair[0]]
        weekdays = weekdays if len(plain) != 7 else ()
    narrows = bool(month_days or nearest or last_workday)
    link = Link.OR if is_either else Link.IF if narrows else Link.ON
    if said.every == (Unit.DAY, 1):
        unit = _unit(weekdays, is_monthly=narrows)
        said = replace(said, every=(unit, 1))
    return replace(
        said,
        is_cron=True,
        month_days=month_days,
        nearest=nearest,
        workdays=last_workday,
        weekdays=weekdays,
        weekdays_link=link if weekdays else Link.ON,
        months=months,
    )


def _unit(weekdays: tuple[tuple[int, int], ...], *, is_monthly: bool) -> Unit:
    if is_monthly or any(nth for nth, _ in weekdays):
        return Unit.MONTH
    return Unit.WEEK if weekdays else Unit.DAY


def _month_days(field: str) -> tuple[int, ...]:
    found: set[int] = set()
    for item in field.split(","):
        if item.endswith("W"):
            continue
        if item.startswith("L"):
            found.add(-1 - int(item[2:] or 0))
        else:
            found.update(_values(item, 1, 31))
    return tuple(sorted(found))


def _weekday_pairs(field: str) -> tuple[tuple[int, int], ...]:
    """Return (ordinal or 0, weekday with 0 for Monday)."""
    found: set[tuple[int, int]] = set()
    for item in _numbered(field, _WEEKDAYS, 0).split(","):
        weekday, number, nth = item.partition("#")
        if number:
            found.add((int(nth), (int(weekday) - 1) % 7))
        elif item.endswith("L"):
            found.add((-1, (int(item[:-1]) - 1) % 7))
        else:
            found.update((0, (day - 1) % 7) for day in _values(item, 0, 7))
    return tuple(sorted(found))


def _numbered(field: str, names: list[str], first: int) -> str:
    for number, name in enumerate(names, first):
        field = field.replace(name, str(number))
    return field


def _values(field: str, low: int, high: int) -> tuple[int, ...]:
    found: set[int] = set()
    for item in field.split(","):
        span, _, step = item.partition("/")
        top = 6 if high == 7 else high
        first, _, last = (f"{low}-{top}" if span in "*?" else span).partition("-")
        end = int(last) if last else top if step else int(first)
        found.update(range(int(first), end + 1, int(step or 1)))
    return tuple(sorted(found))
