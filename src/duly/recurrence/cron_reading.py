"""Says in plain English how a cron expression is read, field by field."""

from collections.abc import Sequence
from typing import Final

from duly.model.timing import AnchorClass, CronRule
from duly.recurrence.cron import CronParts, parse
from duly.recurrence.cron_fields import HOUR, MINUTE, SECOND, Field
from duly.recurrence.faults import CRON, Faults

_LISTED_TIMES_MAX: Final = 6
_MONTH_NAMES: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAY_NAMES: Final = (
    "Sunday",
    *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
)
_NTH: Final = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}


def reading(spec: CronRule) -> str:
    """Return one line such as `at 09:00; day of month 1 OR Monday (both fields restricted: either is enough)`.

    Raises ValidationError for an expression that cannot be read.
    """
    found = Faults(CRON)
    parts = parse(spec.text, found, seconds_first=spec.seconds_first)
    found.raise_if_any()
    assert parts is not None
    said = [_clock(parts), _days(parts)]
    if len(parts.months) < 12:
        said.append("in " + _listed([_MONTH_NAMES[month - 1] for month in parts.months]))
    said.append(
        "in local time" if parts.anchor is AnchorClass.WALL else "at a steady beat in real time"
    )
    return "; ".join(said)


def _clock(parts: CronParts) -> str:
    has_seconds = parts.seconds != (0,)
    count = len(parts.hours) * len(parts.minutes) * len(parts.seconds)
    if count <= _LISTED_TIMES_MAX:
        times = [
            f"{hour:02}:{minute:02}" + (f":{second:02}" if has_seconds else "")
            for hour in parts.hours
            for minute in parts.minutes
            for second in parts.seconds
        ]
        return "at " + _listed(times)
    said = [
        _numbers(MINUTE, parts.minutes, "every minute"),
        _numbers(HOUR, parts.hours, "every hour"),
    ]
    if has_seconds:
        said.insert(0, _numbers(SECOND, parts.seconds, "every second"))
    return " of ".join(said)


def _numbers(field: Field, numbers: tuple[int, ...], every: str) -> str:
    if numbers == field.every:
        return every
    name = field.name if len(numbers) == 1 else f"{field.name}s"
    return f"{name} {_spans(numbers)}"


def _spans(numbers: Sequence[int]) -> str:
    """Return sorted numbers, neighbours as `9 to 17`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return _listed(
        [str(span[0]) if len(span) == 1 else f"{span[0]} to {span[-1]}" for span in spans]
    )


def _days(parts: CronParts) -> str:
    by_date, by_weekday = _of_month(parts), _of_week(parts)
    if not by_date and not by_weekday:
        return "every day"
    if parts.either_day:
        if not by_date or not by_weekday:
            return "every day (one of the two day fields names all days, and either is enough)"
        return f"{by_date} OR {by_weekday} (both fields restricted: either is enough)"
    if by_date and by_weekday:
        return f"{by_date} AND {by_weekday} (a field begins with *: both must agree)"
    return by_date or by_weekday


def _of_month(parts: CronParts) -> str:
    """Return the days of the month; nothing when all are named."""
    if set(range(1, 32)) <= set(parts.month_days):
        return ""
    said = []
    plain = [day for day in parts.month_days if day > 0]
    if plain:
        said.append(f"day of month {_spans(plain)}")
    for day in reversed([day for day in parts.month_days if day < 0]):
        said.append("the last day of the month" if day == -1 else _before_last(-1 - day))
    for day in parts.workdays:
        nearest = f"the workday nearest to day {day}"
        said.append("the last workday of the month" if day == -1 else nearest)
    return _listed(said)


def _before_last(days: int) -> str:
    return f"{days} day{'s' if days > 1 else ''} before the last of the month"


def _of_week(parts: CronParts) -> str:
    """Return the weekdays; nothing when all are named."""
    if len(parts.weekdays) == 7:
        return ""
    said = _weekday_spans(parts.weekdays)
    for nth, monday_first in parts.ordinals:
        said.append(f"the {_NTH[nth]} {_WEEKDAY_NAMES[(monday_first + 1) % 7]} of the month")
    return _listed(said)


def _weekday_spans(weekdays: Sequence[int]) -> list[str]:
    if len(weekdays) > 2 and weekdays[-1] - weekdays[0] == len(weekdays) - 1:
        return [f"{_WEEKDAY_NAMES[weekdays[0]]} to {_WEEKDAY_NAMES[weekdays[-1]]}"]
    return [_WEEKDAY_NAMES[day] for day in weekdays]


def _listed(items: Sequence[str]) -> str:
    head, tail = items[:-1], items[-1]
    return f"{', '.join(head)} and {tail}" if head else tail
