"""Says a rule in English."""

from collections.abc import Iterator, Sequence
from typing import Final

from duly.recurrence.words.calendar_words import WEEKEND, WORKDAYS
from duly.recurrence.words.said import Link, Said, Scope, Unit
from duly.recurrence.words.shapes import (
    aligned,
    clock_text,
    day_text,
    is_on_the_hour,
    ranges,
    steps,
    until_text,
)

_WEEKDAYS: Final = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_UNITS: Final = {unit: unit.name.lower() for unit in Unit}
_LINKS: Final = {Link.ON: "on", Link.IF: "if it is", Link.OR: "or on"}


def sentence(said: Said, zone_name: str | None) -> str:
    """Return what was said as a sentence."""
    main = " ".join(_main(said))
    rest = [*_rest(said), *([_zone(zone_name)] if zone_name else [])]
    text = ", ".join([main, *rest])
    return f"{text} (cron)" if said.is_cron else text


def _zone(name: str) -> str:
    return f"{name} time" if "/" in name or name == "UTC" else f"time zone {name}"


def _main(said: Said) -> Iterator[str]:
    if said.instant is not None:
        yield f"once at the instant {said.instant}"
        return
    if said.on_date is not None:
        yield f"once on {day_text(said.on_date, ' at ')}"
        return
    merged = _merged(said)
    yield merged or _every(aligned(said) or said.every)
    yield from _days(said, skip_weekdays=merged is not None)
    yield from _months(said)
    yield from _times(said)
    if said.positions:
        assert said.positions_unit is not None
        positions = _list([_ordinal(position) for position in said.positions])
        yield f"only the {positions} of each {_UNITS[said.positions_unit]}"


def _merged(said: Said) -> str | None:
    """Return `every Monday and Friday` for a weekly rule."""
    if said.every != (Unit.WEEK, 1) or said.weekdays_link is not Link.ON or not said.weekdays:
        return None
    days = tuple(day for _, day in said.weekdays)
    if days == WORKDAYS:
        return "every weekday"
    return "every " + _list([_WEEKDAYS[day] for day in days])


def _every(every: tuple[Unit, int] | None) -> str:
    assert every is not None
    unit, count = every
    return f"every {_UNITS[unit]}" if count == 1 else f"every {count} {_UNITS[unit]}s"


def _days(said: Said, *, skip_weekdays: bool) -> Iterator[str]:
    if said.weeks:
        yield f"in {_list([_week(week) for week in said.weeks])} of the year"
    if said.year_days:
        yield f"{_LINKS[said.year_days_link]} {_numbered_days(said.year_days)} of the year"
    if said.month_days and not _named_date(said):
        yield f"{_LINKS[said.month_days_link]} {_numbered_days(said.month_days)} of the month"
    if said.nearest:
        yield f"on the workday nearest to day {_numbers(said.nearest)} of the month"
    if said.workdays:
        yield f"on the {_list([_ordinal(nth) for nth in said.workdays])} workday of the month"
    if said.weekdays and not skip_weekdays:
        yield f"{_LINKS[said.weekdays_link]} {_weekdays(said)}"


def _weekdays(said: Said) -> str:
    days = tuple(day for nth, day in said.weekdays if not nth)
    if len(days) == len(said.weekdays):
        named = {WORKDAYS: "weekdays", WEEKEND: "weekends"}
        return named.get(days) or _list([_WEEKDAYS[day] for day in days])
    scope = said.weekdays_scope or Scope.MONTH
    items = [
        f"the {_ordinal(nth)} {_WEEKDAYS[day]}" if nth else f"every {_WEEKDAYS[day]}"
        for nth, day in said.weekdays
    ]
    return f"{_list(items)} of the {scope.value}"


def _named_date(said: Said) -> bool:
    """Say whether the days are one date of each year, such as December 25."""
    is_date = len(said.months) == len(said.month_days) == 1 and said.month_days[0] > 0
    is_alone = not (said.year_days or said.nearest or said.workdays or said.weekdays)
    return is_date and is_alone and said.every is not None and said.every[0] is Unit.YEAR


def _months(said: Said) -> Iterator[str]:
    if _named_date(said):
        yield f"on {_MONTHS[said.months[0] - 1]} {said.month_days[0]}"
    elif said.months:
        yield f"in {_list([_MONTHS[month - 1] for month in said.months])}"


def _times(said: Said) -> Iterator[str]:
    if said.times:
        stepped = steps(said.times)
        if stepped is None:
            yield f"at {_list([clock_text(time) for time in said.times])}"
        else:
            first, last = clock_text(stepped.first), clock_text(stepped.last)
            yield f"{_every(stepped.every)} between {first} and {last} inclusive"
    if said.hours:
        yield f"in {_plural('hour', said.hours)} {_numbers(said.hours)}"
    is_short = aligned(said) is not None
    if said.minutes and not (is_short and said.every == (Unit.HOUR, 1)) and not _is_plain(said):
        yield f"at {_plural('minute', said.minutes)} {_numbers(said.minutes)}"
    if said.seconds and not (is_short and said.every == (Unit.MINUTE, 1)):
        yield f"at {_plural('second', said.seconds)} {_numbers(said.seconds)}"


def _is_plain(said: Said) -> bool:
    return is_on_the_hour(said)


def _rest(said: Said) -> Iterator[str]:
    if said.week_start:
        yield f"weeks starting on {_WEEKDAYS[said.week_start]}"
    if said.start is not None:
        yield f"starting {day_text(said.start, ' at ')}"
    if said.until is not None:
        yield f"until {until_text(said, ' at ')}"
    if said.count is not None:
        yield f"{said.count} times"
    if said.excepted:
        yield f"except {_list([day_text(day) for day in said.excepted])}"
    if said.added:
        yield f"plus {_list([day_text(day) for day in said.added])}"


def _numbered_days(days: Sequence[int]) -> str:
    counted = [day for day in days if day > 0]
    items = [_run(first, last) for first, last in ranges(counted)]
    if items:
        items[0] = f"day {items[0]}"
    items += [f"the {_ordinal(day)} day" for day in days if day < 0]
    return _list(items)


def _week(week: int) -> str:
    return f"week {week}" if week > 0 else f"the {_ordinal(week)} week"


def _numbers(numbers: Sequence[int]) -> str:
    return _list([_run(first, last) for first, last in ranges(numbers)])


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def _plural(name: str, numbers: Sequence[int]) -> str:
    return name if len(numbers) == 1 else f"{name}s"


def _ordinal(number: int) -> str:
    if number == -1:
        return "last"
    if number < 0:
        return f"{_ordinal(-number)}-to-last"
    teens = number % 100 in (11, 12, 13)
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if teens else suffix}"


def _list(items: Sequence[str]) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
