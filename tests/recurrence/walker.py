"""The slow and obvious reading of RFC 5545 §3.3.10: walk every period, day and minute. Shares no code with the engine.

It knows `datetime` and the zone it is given alone, and is a second means beside the engine for vectors and oracles.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from typing import Final

DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
ONE_DAY: Final = timedelta(days=1)
_UNITS: Final = {
    "HOURLY": timedelta(hours=1),
    "MINUTELY": timedelta(minutes=1),
    "SECONDLY": timedelta(seconds=1),
}


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A rule, where it is read, and the span `[first, last)` of aware times that is asked for."""

    rule: str
    start: datetime
    zone: tzinfo
    first: datetime
    last: datetime

    @property
    def parts(self) -> Mapping[str, str]:
        return parts_of(self.rule)


@cache
def parts_of(rule: str) -> Mapping[str, str]:
    return dict(piece.split("=") for piece in rule.split(";"))


def instants(walk: Walk) -> Sequence[datetime]:
    """Return the instants of a rule in the span, in UTC and in order."""
    elapsed = walk.parts["FREQ"] in _UNITS
    found = _elapsed(walk) if elapsed else (_meant(each, walk.zone) for each in _locals(walk))
    return sorted({each for each in _ended(walk, found) if walk.first <= each < walk.last})


def numbers(parts: Mapping[str, str], name: str) -> Sequence[int]:
    return _listed(parts[name]) if name in parts else ()


@cache
def _listed(text: str) -> Sequence[int]:
    return tuple(int(item) for item in text.split(","))


def _meant(local: datetime, zone: tzinfo) -> datetime:
    """A repeated time is its first instant; in a gap, the offset before it counts."""
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _ended(walk: Walk, found: Iterator[datetime]) -> Iterator[datetime]:
    parts = walk.parts
    count = int(parts.get("COUNT", "1000000"))
    until = datetime.max.replace(tzinfo=UTC)
    if "UNTIL" in parts:
        written = parts["UNTIL"]
        local = datetime.strptime(written.removesuffix("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007
        until = _meant(local, UTC if written.endswith("Z") else walk.zone)
    for number, moment in enumerate(found):
        # Around a gap the order may turn, so the end of the span is looked for a day further on.
        if number >= count or moment > walk.last + ONE_DAY:
            return
        if moment <= until:
            yield moment


# Periods of days -------------------------------------------------------------------------------------------------


def _locals(walk: Walk) -> Iterator[datetime]:
    """Yield the wall times from DTSTART on, period by period."""
    parts = walk.parts
    positions = numbers(parts, "BYSETPOS")
    times = _times(parts, walk.start)
    number = 0
    while True:
        period = _period(parts, walk.start.date(), number * int(parts.get("INTERVAL", "1")))
        if not period or datetime.combine(period[0], datetime.min.time()) > (
            walk.last.replace(tzinfo=None) + 3 * ONE_DAY
        ):
            return
        number += 1
        if "COUNT" not in parts and period[-1] < (walk.first - 3 * ONE_DAY).date():
            continue
        days = [day for day in period if names_day(parts, walk.start.date(), day)]
        found = [
            datetime.combine(day, datetime.min.time()) + time for day in days for time in times
        ]
        yield from (each for each in picked(found, positions) if each >= walk.start)


def picked(found: Sequence[datetime], positions: Sequence[int]) -> Sequence[datetime]:
    """Return the members at the positions, in their own order; all of them when there are none."""
    if not positions:
        return found
    size = len(found)
    wanted = {number - 1 if number > 0 else size + number for number in positions}
    return [each for index, each in enumerate(found) if index in wanted]


def _times(parts: Mapping[str, str], start: datetime) -> Sequence[timedelta]:
    return sorted(
        timedelta(hours=hour, minutes=minute, seconds=second)
        for hour in set(numbers(parts, "BYHOUR")) or {start.hour}
        for minute in set(numbers(parts, "BYMINUTE")) or {start.minute}
        for second in set(numbers(parts, "BYSECOND")) or {start.second}
    )


def _period(parts: Mapping[str, str], start: date, ahead: int) -> Sequence[date]:
    """Return the days of the period that lies so many periods after the one of DTSTART."""
    try:
        match parts["FREQ"]:
            case "DAILY":
                return [start + ahead * ONE_DAY]
            case "WEEKLY":
                first = week_begin(start, parts) + 7 * ahead * ONE_DAY
                return [first + number * ONE_DAY for number in range(7)]
            case "MONTHLY":
                month = start.year * 12 + start.month - 1 + ahead
                return _days_between(_month(month), _month(month + 1))
            case _:
                year = start.year + ahead
                return _days_between(date(year, 1, 1), date(year + 1, 1, 1))
    except (OverflowError, ValueError):
        return []


def _month(index: int) -> date:
    return date(index // 12, index % 12 + 1, 1)


def _days_between(first: date, last: date) -> Sequence[date]:
    return [first + number * ONE_DAY for number in range((last - first).days)]


def week_begin(day: date, parts: Mapping[str, str]) -> date:
    return day - ((day.weekday() - DAYS.index(parts.get("WKST", "MO"))) % 7) * ONE_DAY


# Days ------------------------------------------------------------------------------------------------------------


def names_day(parts: Mapping[str, str], start: date, day: date) -> bool:
    """Say whether a day agrees with every part that speaks of days, or with DTSTART where none does."""
    if "BYMONTH" in parts and day.month not in numbers(parts, "BYMONTH"):
        return False
    if not {"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"} & set(parts):
        return _agrees_with_start(parts, start, day)
    return (
        _counts(parts, "BYMONTHDAY", day, _span(day, "month"))
        and _counts(parts, "BYYEARDAY", day, _span(day, "year"))
        and ("BYWEEKNO" not in parts or _in_week(parts, day))
        and ("BYDAY" not in parts or _on_weekday(parts, day))
    )


def _agrees_with_start(parts: Mapping[str, str], start: date, day: date) -> bool:
    match parts["FREQ"]:
        case "WEEKLY":
            return day.weekday() == start.weekday()
        case "MONTHLY":
            return day.day == start.day
        case "YEARLY":
            return day.day == start.day and ("BYMONTH" in parts or day.month == start.month)
        case _:
            return True


def _span(day: date, what: str) -> tuple[date, date]:
    """Return the first and last day of the month or year that a day lies in."""
    if what == "year":
        return date(day.year, 1, 1), date(day.year, 12, 31)
    month = day.year * 12 + day.month - 1
    return _month(month), _month(month + 1) - ONE_DAY


def _counts(parts: Mapping[str, str], name: str, day: date, span: tuple[date, date]) -> bool:
    before, after = (day - span[0]).days, (span[1] - day).days
    return name not in parts or not {before + 1, -after - 1}.isdisjoint(numbers(parts, name))


def _in_week(parts: Mapping[str, str], day: date) -> bool:
    """The first week of a year is the first with four days of it at least."""
    week = week_begin(day, parts)
    year = (week + 3 * ONE_DAY).year
    first = week_begin(date(year, 1, 4), parts)
    weeks = (week_begin(date(year + 1, 1, 4), parts) - first).days // 7
    number = (week - first).days // 7
    return not {number + 1, number - weeks}.isdisjoint(numbers(parts, "BYWEEKNO"))


def _on_weekday(parts: Mapping[str, str], day: date) -> bool:
    by_month = parts["FREQ"] == "MONTHLY" or "BYMONTH" in parts
    first, last = _span(day, "month" if by_month else "year")
    before, after = (day - first).days // 7, (last - day).days // 7
    return any(
        item[-2:] == DAYS[day.weekday()]
        and (len(item) == 2 or int(item[:-2]) in (before + 1, -after - 1))
        for item in parts["BYDAY"].split(",")
    )


# Periods of hours and less ---------------------------------------------------------------------------------------


def _elapsed(walk: Walk) -> Iterator[datetime]:
    """Yield instants a real distance apart, whatever clocks do, whose local reading agrees."""
    parts = walk.parts
    begin = _meant(walk.start, walk.zone)
    origin, step = _spread(parts, begin, walk.start)
    unit = _UNITS[parts["FREQ"]]
    # An hour whose minute is left open has one minute, as far into it as DTSTART is.
    width = unit if "BYMINUTE" in parts else min(unit, _UNITS["MINUTELY"])
    stride = unit * int(parts.get("INTERVAL", "1"))
    number = 0
    if "COUNT" not in parts and walk.first > origin:
        number = max((walk.first - origin) // stride - 1, 0)
    while origin + number * stride <= walk.last:
        period = origin + number * stride
        number += 1
        members = [period + each * step for each in range(width // step)] if step else [period]
        agreed = [each for each in members if _reads_well(walk, each.astimezone(walk.zone))]
        yield from (e for e in picked(agreed, numbers(parts, "BYSETPOS")) if e >= begin)


def _spread(
    parts: Mapping[str, str], begin: datetime, start: datetime
) -> tuple[datetime, timedelta | None]:
    """Return where the first period begins, and the step by which its members are looked for; None: it has one."""
    within_minute = timedelta(seconds=start.second)
    if parts["FREQ"] == "HOURLY" and "BYMINUTE" in parts:
        seconds = 1 if "BYSECOND" in parts else 60
        cut = within_minute if seconds == 1 else timedelta()
        return begin - timedelta(minutes=start.minute) - cut, timedelta(seconds=seconds)
    if parts["FREQ"] != "SECONDLY" and "BYSECOND" in parts:
        return begin - within_minute, timedelta(seconds=1)
    return begin, None


def _reads_well(walk: Walk, local: datetime) -> bool:
    parts = walk.parts
    return (
        ("BYSECOND" not in parts or local.second in numbers(parts, "BYSECOND"))
        and ("BYMINUTE" not in parts or local.minute in numbers(parts, "BYMINUTE"))
        and ("BYHOUR" not in parts or local.hour in numbers(parts, "BYHOUR"))
        and names_day(parts, walk.start.date(), local.date())
    )
