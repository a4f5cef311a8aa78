"""Makes an RRULE of what was said."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from duly.recurrence.words import times_of_day
from duly.recurrence.words.calendar_words import WORKDAYS
from duly.recurrence.words.first_date import first_date
from duly.recurrence.words.said import ELAPSED_UNITS, Link, Said, Scope, Unit
from duly.recurrence.words.unclear import UnclearError

WEEKDAY_NAMES: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
QUARTERS: Final = (1, 4, 7, 10)
_POSITIONS_MAX: Final = 366
_MONTH_WEEKDAYS: Final = 5


def rrule_schedule(said: Said) -> Mapping[str, object]:
    """Return `rrule`, and `dtstart` when a start was said; the frequency is known."""
    _refuse_cron_only(said)
    start = said.start
    said = _with_days(said)
    said, positions = _with_times(said)
    assert said.every is not None
    unit, interval = said.every
    parts = [f"FREQ={unit.value}"]
    if interval > 1:
        parts.append(f"INTERVAL={interval}")
    parts += _by_parts(said)
    parts += _named("BYSETPOS", positions)
    if said.week_start:
        parts.append(f"WKST={WEEKDAY_NAMES[said.week_start]}")
    parts += _end(said)
    made: dict[str, object] = {"rrule": ";".join(parts)}
    if start is not None:
        clock = start.clock or _first_time(said)
        date = start.date if start.clock else first_date(said, start.date)
        made["dtstart"] = replace(start, date=date, clock=clock).moment.isoformat()
    return made


def _first_time(said: Said) -> tuple[int, int, int]:
    if said.times:
        return min(said.times)
    return (
        min(said.hours, default=0),
        min(said.minutes, default=0),
        min(said.seconds, default=0),
    )


def _with_days(said: Said) -> Said:
    """Return what was said with the days it leaves open: the first of the week, the month, the year."""
    assert said.every is not None
    unit = said.every[0]
    if said.is_quarterly:
        said = replace(said, months=QUARTERS)
    has_days = said.weekdays or said.month_days or said.year_days or said.workdays
    if has_days or (said.start is not None and said.start.clock is not None):
        return said
    match unit:
        case Unit.WEEK:
            return replace(said, weekdays=((0, 0),))
        case Unit.MONTH:
            return replace(said, month_days=(1,))
        case Unit.YEAR if said.weeks:
            return replace(said, weekdays=((0, 0),))
        case Unit.YEAR:
            return replace(said, months=said.months or (1,), month_days=(1,))
        case _:
            return said


def _with_times(said: Said) -> tuple[Said, tuple[int, ...]]:
    """Return what was said with times as hours, minutes and seconds, and the positions that these need."""
    assert said.every is not None
    positions = _said_positions(said)
    if said.every[0] in ELAPSED_UNITS:
        return said, positions
    if not said.times:
        begins = said.start is not None and said.start.clock is not None
        if said.hours or said.minutes or said.seconds or begins:
            return said, positions
        return replace(said, hours=(0,), minutes=(0,)), positions
    product = times_of_day.product(said.times)
    seconds = () if product.seconds == (0,) else product.seconds
    timed = replace(said, hours=product.hours, minutes=product.minutes, seconds=seconds)
    if not product.positions:
        return timed, positions
    if positions:
        raise UnclearError(
            "these times need positions of their own", ("positions", "times"), ("one time",)
        )
    return _positioned(timed, product)


def _positioned(said: Said, product: times_of_day.Product) -> tuple[Said, tuple[int, ...]]:
    """Times that are no product of hours and minutes are positions among those that are, day by day."""
    if said.every == (Unit.WEEK, 1) and not said.count:
        said = replace(said, every=(Unit.DAY, 1))
    days = days_max(said)
    positions = tuple(
        day * product.size + place for day in range(days) for place in product.positions
    )
    if len(positions) > _POSITIONS_MAX or positions[-1] > _POSITIONS_MAX:
        raise UnclearError(
            "these times are too many for one rule",
            ("between", "times"),
            ("fewer times", "two automations"),
        )
    return said, positions


def days_max(said: Said) -> int:
    """Return how many days one period of the rule may name, at most."""
    assert said.every is not None
    unit = said.every[0]
    if unit is Unit.DAY:
        return 1
    if unit is Unit.WEEK:
        return len(said.weekdays) or 1
    months = len(said.months) or 12 if unit is Unit.YEAR else 1
    if said.month_days:
        return len(said.month_days) * months
    if said.year_days:
        return len(said.year_days)
    if said.weeks:
        return len(said.weeks) * len(said.weekdays)
    is_yearly = unit is Unit.YEAR and not said.months
    plain = 53 if is_yearly else _MONTH_WEEKDAYS * months
    return sum((1 if is_yearly else months) if nth else plain for nth, _ in said.weekdays) or 1


def _said_positions(said: Said) -> tuple[int, ...]:
    assert said.every is not None
    if said.workdays:
        return said.workdays
    if said.positions and said.positions_unit is not said.every[0]:
        raise UnclearError(
            "the positions are counted in another unit than the rule repeats in",
            ("positions",),
            ("the unit of the rule",),
        )
    return said.positions


def _by_parts(said: Said) -> Sequence[str]:
    weekdays = said.weekdays or tuple((0, day) for day in WORKDAYS if said.workdays)
    _check_scope(said)
    names = [f"{nth or ''}{WEEKDAY_NAMES[day]}" for nth, day in weekdays]
    return [
        *_named("BYMONTH", said.months),
        *_named("BYWEEKNO", said.weeks),
        *_named("BYYEARDAY", said.year_days),
        *_named("BYMONTHDAY", said.month_days),
        *([f"BYDAY={','.join(names)}"] if names else []),
        *_named("BYHOUR", said.hours),
        *_named("BYMINUTE", said.minutes),
        *_named("BYSECOND", said.seconds),
    ]


def _named(name: str, numbers: Sequence[int]) -> Sequence[str]:
    return [f"{name}={','.join(map(str, numbers))}"] if numbers else []


_MISPLACED: Final[Sequence[tuple[Callable[[Unit, Said], bool], str, str, str]]] = (
    (
        lambda unit, said: bool(said.weeks) and unit is not Unit.YEAR,
        "weeks",
        "weeks are counted in a year",
        "every year in week 20 on Monday",
    ),
    (
        lambda unit, said: bool(said.year_days) and unit in (Unit.DAY, Unit.WEEK, Unit.MONTH),
        "year_days",
        "days of the year are counted in a year",
        "every year on day 100 of the year",
    ),
    (
        lambda unit, said: bool(said.month_days or said.workdays) and unit is Unit.WEEK,
        "month_days",
        "a week has no such days",
        "every month on day 13 of the month if it is Friday",
    ),
)


def _check_scope(said: Said) -> None:
    assert said.every is not None
    unit = said.every[0]
    for is_wrong, about, message, fix in _MISPLACED:
        if is_wrong(unit, said):
            raise UnclearError(message, (about,), (fix,))
    if not any(nth for nth, _ in said.weekdays):
        return
    if unit not in (Unit.MONTH, Unit.YEAR):
        raise UnclearError(
            "a position among weekdays is counted in a month or a year",
            ("weekdays",),
            ("every month on the 1st Monday", "every week on Monday"),
        )
    by_year = unit is Unit.YEAR and not said.months
    if said.weekdays_scope is not None and by_year != (said.weekdays_scope is Scope.YEAR):
        raise UnclearError(
            "a position in the month, or in the year?",
            ("weekdays_scope",),
            (
                "every month on the 1st Monday of the month",
                "every year on the 20th Monday of the year",
            ),
        )


def _end(said: Said) -> Sequence[str]:
    if said.count is not None:
        return [f"COUNT={said.count}"]
    if said.until is None:
        return []
    day = said.until if said.until.clock else replace(said.until, clock=(23, 59, 59))
    return [f"UNTIL={day.moment:%Y%m%dT%H%M%S}{'Z' if said.until_utc else ''}"]


def _refuse_cron_only(said: Said) -> None:
    links = (said.weekdays_link, said.month_days_link, said.year_days_link)
    if said.nearest or Link.OR in links:
        raise UnclearError(
            "only cron has this",
            ("nearest", "weekdays_link", "month_days_link"),
            ("(cron) at the end", "two automations"),
        )
