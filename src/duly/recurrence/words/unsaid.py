"""What a rule would say: the parts of an accepted rule as the parts of a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, assert_never

from duly.model.instant import SECOND_US
from duly.model.timing import CronRule, OnceInstant, OnceLocal, RruleRule, RuleSpec
from duly.recurrence.words import unsaid_cron
from duly.recurrence.words.calendar_words import WORKDAYS
from duly.recurrence.words.compose_rrule import WEEKDAY_NAMES, days_max
from duly.recurrence.words.said import ELAPSED_UNITS, Day, Link, Said, Scope, Unit
from duly.recurrence.words.times_of_day import product

TIMES_MAX: Final = 24
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def unsaid(rule: RuleSpec, *, with_start: bool) -> Said:
    """Return what a sentence for a rule says. `with_start`: its start too, although nothing depends on it."""
    match rule:
        case RruleRule():
            return _dated(_rrule(rule, with_start=with_start), rule)
        case CronRule():
            return _dated(unsaid_cron.cron(rule), rule)
        case OnceLocal(local=local):
            return Said(once=True, on_date=day_of(local))
        case OnceInstant(due_at=due_at):
            moment = _EPOCH + timedelta(seconds=due_at // SECOND_US)
            return Said(once=True, instant=f"{moment:%Y-%m-%dT%H:%M:%SZ}")
        case _:
            assert_never(rule)


def day_of(text: str) -> Day:
    """Return a date, with its time if there is one, from ISO text or RFC 5545's short form."""
    moment = datetime.fromisoformat(text.removesuffix("Z"))  # local by nature
    has_time = "T" in text or " " in text
    clock = (moment.hour, moment.minute, moment.second) if has_time else None
    return Day(date=moment.date(), clock=clock)


def _dated(said: Said, rule: RruleRule | CronRule) -> Said:
    added: Sequence[str] = getattr(rule, "rdates", ())
    excepted: Sequence[str] = getattr(rule, "exdates", ())
    return replace(said, added=tuple(map(day_of, added)), excepted=tuple(map(day_of, excepted)))


def _rrule(rule: RruleRule, *, with_start: bool) -> Said:
    parts = dict(part.split("=", 1) for part in rule.text.split(";"))
    start = day_of(rule.dtstart)
    unit = Unit(parts["FREQ"])
    until = parts.get("UNTIL")
    said = Said(
        every=(unit, int(parts.get("INTERVAL", "1"))),
        weekdays=_weekdays(parts),
        month_days=_numbers(parts, "BYMONTHDAY"),
        year_days=_numbers(parts, "BYYEARDAY"),
        weeks=_numbers(parts, "BYWEEKNO"),
        months=_numbers(parts, "BYMONTH"),
        hours=_numbers(parts, "BYHOUR"),
        minutes=_numbers(parts, "BYMINUTE"),
        seconds=_numbers(parts, "BYSECOND"),
        positions=_numbers(parts, "BYSETPOS"),
        positions_unit=unit if "BYSETPOS" in parts else None,
        week_start=WEEKDAY_NAMES.index(parts["WKST"]) or None if "WKST" in parts else None,
        count=int(parts["COUNT"]) if "COUNT" in parts else None,
        until=None if until is None else day_of(until),
        until_utc=until is not None and until.endswith("Z"),
        start=start,
    )
    depends = with_start or _depends_on_start(said)
    said = _linked(_timed(_filled(said)))
    return said if depends else replace(said, start=None)


def _depends_on_start(said: Said) -> bool:
    """Say whether another start would give other slots; what a day-based rule takes from it was filled in."""
    assert said.every is not None
    assert said.start is not None
    assert said.start.clock is not None
    unit, interval = said.every
    if interval > 1 or said.count is not None:
        return True
    if unit is Unit.HOUR and not said.minutes:
        return True
    return unit in (Unit.HOUR, Unit.MINUTE) and not said.seconds and said.start.clock[2] != 0


def _filled(said: Said) -> Said:
    """Return a day-based rule with the parts that it takes from its start."""
    assert said.every is not None
    assert said.start is not None
    assert said.start.clock is not None
    unit, start = said.every[0], said.start
    if unit in ELAPSED_UNITS:
        return said
    hour, minute, second = start.clock or (0, 0, 0)
    said = replace(
        said,
        hours=said.hours or (hour,),
        minutes=said.minutes or (minute,),
        seconds=said.seconds or ((second,) if second else ()),
    )
    if said.weekdays or said.month_days or said.year_days or said.weeks:
        return said
    match unit:
        case Unit.WEEK:
            return replace(said, weekdays=((0, start.date.weekday()),))
        case Unit.MONTH:
            return replace(said, month_days=(start.date.day,))
        case Unit.YEAR:
            months = said.months or (start.date.month,)
            return replace(said, months=months, month_days=(start.date.day,))
        case _:
            return said


def _timed(said: Said) -> Said:
    """Return a day-based rule with its times of day as a list, where that is shorter and means the same."""
    assert said.every is not None
    if said.every[0] in ELAPSED_UNITS:
        return said
    seconds = said.seconds or (0,)
    # A list of times that begin with second 0 alone is read without BYSECOND.
    if said.seconds == (0,):
        return said
    times = tuple(
        (hour, minute, second)
        for hour in said.hours
        for minute in said.minutes
        for second in seconds
    )
    blank = replace(said, hours=(), minutes=(), seconds=())
    if said.positions:
        chosen = _chosen(said, times)
        if chosen is not None:
            return replace(blank, times=chosen, positions=(), positions_unit=None)
    return replace(blank, times=times) if len(times) <= TIMES_MAX else said


def _chosen(
    said: Said, times: Sequence[tuple[int, int, int]]
) -> tuple[tuple[int, int, int], ...] | None:
    """Return the times of day that positions choose, when they choose the same ones on every day."""
    assert said.every is not None
    if said.every == (Unit.WEEK, 1) and said.count is None:
        return None
    if not 0 < said.positions[0] <= len(times):
        return None
    days = days_max(said)
    first = tuple(place for place in said.positions if place <= len(times))
    whole = tuple(day * len(times) + place for day in range(days) for place in first)
    if whole != said.positions:
        return None
    chosen = tuple(times[place - 1] for place in first)
    made = product(chosen)
    same = (made.hours, made.minutes, made.seconds) == (
        said.hours,
        said.minutes,
        said.seconds or (0,),
    )
    return chosen if same and made.positions == first else None


def _linked(said: Said) -> Said:
    """Return what was said with one kind of days that names, and the others narrowing it."""
    assert said.every is not None
    unit = said.every[0]
    workdays = tuple((0, day) for day in WORKDAYS)
    if (
        said.weekdays == workdays
        and said.positions
        and unit is Unit.MONTH
        and not said.month_days
        and len(said.times) == 1
        and not said.year_days
    ):
        return replace(
            said, weekdays=(), workdays=said.positions, positions=(), positions_unit=None
        )
    if any(nth for nth, _ in said.weekdays):
        scope = Scope.YEAR if unit is Unit.YEAR and not said.months else Scope.MONTH
        said = replace(said, weekdays_scope=scope)
    if said.year_days and said.month_days:
        said = replace(said, month_days_link=Link.IF)
    if said.weekdays and (said.year_days or said.month_days):
        said = replace(said, weekdays_link=Link.IF)
    return said


def _numbers(parts: Mapping[str, str], name: str) -> tuple[int, ...]:
    return tuple(sorted({int(item) for item in parts[name].split(",")})) if name in parts else ()


def _weekdays(parts: Mapping[str, str]) -> tuple[tuple[int, int], ...]:
    items = parts["BYDAY"].split(",") if "BYDAY" in parts else []
    return tuple(sorted({(int(item[:-2] or 0), WEEKDAY_NAMES.index(item[-2:])) for item in items}))
