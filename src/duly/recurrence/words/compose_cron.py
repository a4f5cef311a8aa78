"""Makes a cron expression of what was said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from duly.recurrence.words import times_of_day
from duly.recurrence.words.said import ELAPSED_UNITS, Link, Said, Unit
from duly.recurrence.words.unclear import UnclearError

_SECONDS: Final = (0, 59)
_MINUTES: Final = (0, 59)
_HOURS: Final = (0, 23)
_DAYS: Final = (1, 31)
_WEEKDAYS: Final = (0, 6)
_NONE_OF_IT: Final = (
    (
        lambda said: said.start or said.until or said.count,
        ("start", "until", "count"),
        "a start or an end",
    ),
    (lambda said: said.positions, ("positions",), "positions"),
    (lambda said: said.year_days or said.weeks, ("year_days", "weeks"), "days and weeks of a year"),
    (lambda said: said.every and said.every[1] > 1, ("every",), "such steps"),
    (lambda said: any(nth < -1 for nth, _ in said.weekdays), ("weekdays",), "such weekdays"),
    (lambda said: said.workdays not in ((), (-1,)), ("workdays",), "such workdays"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clock:
    seconds: str | None
    minutes: str
    hours: str


def cron_schedule(said: Said) -> Mapping[str, object]:
    """Return `cron`, with `seconds_first` when seconds were said; the frequency is known."""
    for is_said, about, name in _NONE_OF_IT:
        if is_said(said):
            raise UnclearError(f"cron has no {name}", about, ("it without (cron)",))
    assert said.every is not None
    clock = _elapsed(said) if said.every[0] in ELAPSED_UNITS else _wall(said)
    days, weekdays = _days(said)
    months = _listed(said.months) or "*"
    fields = [clock.minutes, clock.hours, days, months, weekdays]
    if clock.seconds is None:
        return {"cron": " ".join(fields)}
    return {"cron": " ".join([clock.seconds, *fields]), "seconds_first": True}


def _elapsed(said: Said) -> _Clock:
    """One field must begin with `*`: it is what makes a cron expression follow elapsed time."""
    assert said.every is not None
    unit = said.every[0]
    if unit is Unit.SECOND:
        return _Clock(
            seconds=_starred(said.seconds, _SECONDS) or _listed(said.seconds),
            minutes=_starred(said.minutes, _MINUTES) or _listed(said.minutes),
            hours=_starred(said.hours, _HOURS) or _listed(said.hours),
        )
    seconds = _listed(said.seconds) or None
    minutes, hours = _starred(said.minutes, _MINUTES), _starred(said.hours, _HOURS)
    if minutes is None and hours is None and said.seconds:
        seconds = _starred(said.seconds, _SECONDS)
        hours = None
    return _Clock(
        seconds=seconds,
        minutes=minutes or _listed(said.minutes),
        hours=hours or _listed(said.hours),
    )


def _wall(said: Said) -> _Clock:
    hours, minutes, seconds = said.hours or (0,), said.minutes or (0,), said.seconds
    if said.times:
        product = times_of_day.product(said.times)
        if product.positions:
            raise UnclearError(
                "cron has no such times: every hour goes with every minute",
                ("times", "between"),
                ("it without (cron)",),
            )
        hours, minutes = product.hours, product.minutes
        seconds = () if product.seconds == (0,) else product.seconds
    return _Clock(seconds=_listed(seconds) or None, minutes=_listed(minutes), hours=_listed(hours))


def _days(said: Said) -> tuple[str, str]:
    assert said.every is not None
    days = _day_field(said, is_starred=False)
    weekdays = _weekday_field(said, is_starred=False)
    if days is None and weekdays is None and said.weekdays_link is not Link.OR:
        return _first_of(said)
    if days is None or weekdays is None:
        return days or "*", weekdays or "*"
    if Link.OR in (said.weekdays_link, said.month_days_link):
        return days, weekdays
    starred = _day_field(said, is_starred=True)
    if starred is not None:
        return starred, weekdays
    starred = _weekday_field(said, is_starred=True)
    if starred is None:
        raise UnclearError(
            "cron joins days of the month and weekdays by OR",
            ("weekdays_link", "weekdays"),
            ("or on Monday", "it without (cron)"),
        )
    return days, starred


def _first_of(said: Said) -> tuple[str, str]:
    assert said.every is not None
    match said.every[0]:
        case Unit.WEEK:
            return "*", "1"
        case Unit.MONTH | Unit.YEAR:
            return "1", "*"
        case _:
            return "*", "*"


def _day_field(said: Said, *, is_starred: bool) -> str | None:
    numbers = tuple(day for day in said.month_days if day > 0)
    if not (said.month_days or said.nearest or said.workdays):
        return None
    first = _starred(numbers, _DAYS) if is_starred and numbers else _listed(numbers)
    if first is None or (is_starred and not numbers):
        return None
    ends = ["L" if day == -1 else f"L-{-day - 1}" for day in said.month_days if day < 0]
    nearest = [f"{day}W" for day in said.nearest]
    last = ["LW"] if said.workdays else []
    return ",".join([*([first] if first else []), *ends, *nearest, *last])


def _weekday_field(said: Said, *, is_starred: bool) -> str | None:
    if not said.weekdays:
        return None
    plain = tuple(sorted((day + 1) % 7 for nth, day in said.weekdays if not nth))
    first = _starred(plain, _WEEKDAYS) if is_starred and plain else _listed(plain)
    if first is None or (is_starred and not plain):
        return None
    nths = [
        f"{(day + 1) % 7}L" if nth == -1 else f"{(day + 1) % 7}#{nth}"
        for nth, day in said.weekdays
        if nth
    ]
    return ",".join([*([first] if first else []), *nths])


def _starred(numbers: Sequence[int], bounds: tuple[int, int]) -> str | None:
    """Return a field that begins with `*` and names just these numbers; None when there is none; all of none is `*`."""
    low, high = bounds
    if not numbers or len(numbers) == high - low + 1:
        return "*"
    wanted = set(numbers)
    for step in range(2, high - low + 1):
        stepped = set(range(low, high + 1, step))
        if stepped <= wanted:
            rest = _listed(sorted(wanted - stepped))
            return f"*/{step},{rest}" if rest else f"*/{step}"
    return None


def _listed(numbers: Sequence[int]) -> str:
    """Return numbers as lists and ranges."""
    pieces: list[str] = []
    position = 0
    while position < len(numbers):
        end = position
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        if end - position >= 2:
            pieces.append(f"{numbers[position]}-{numbers[end]}")
        else:
            pieces += [str(number) for number in numbers[position : end + 1]]
        position = end + 1
    return ",".join(pieces)
