"""Rules made at random, and their instants found the slow and obvious way: look at every day or every minute."""

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from duly.model.zone import Zone
from tests.recurrence.places import ZONE

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
SLOW = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY")

# Two or three days around each of these clocks are changed; the others are ordinary.
PLACES = (
    ("America/New_York", (date(2026, 3, 8), date(2026, 11, 1))),
    ("Europe/London", (date(2026, 3, 29), date(2026, 10, 25))),
    ("Australia/Lord_Howe", (date(2026, 4, 5), date(2026, 10, 4))),
    ("America/Santiago", (date(2026, 4, 4), date(2026, 9, 6))),
    ("Pacific/Apia", (date(2011, 12, 30),)),
    ("America/St_Johns", (date(2005, 4, 3), date(2005, 10, 30))),
    ("America/Havana", (date(2026, 3, 8), date(2026, 11, 1))),
    ("Asia/Kolkata", (date(2026, 2, 28),)),
    ("UTC", (date(2028, 2, 29), date(2026, 12, 31))),
)


@dataclass(frozen=True, kw_only=True)
class Made:
    """A rule made at random: its text, its parts, where and when it is looked at."""

    parts: Mapping[str, Any]
    start: datetime
    zone: Zone
    day: date

    @property
    def text(self) -> str:
        return ";".join(f"{name}={_written(value)}" for name, value in self.parts.items())


def _written(value: Any) -> str:
    return ",".join(str(item) for item in value) if isinstance(value, list) else str(value)


def _some(low: int, high: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(low, high), min_size=1, max_size=4, unique=True)


@st.composite
def made_rules(draw: st.DrawFn) -> Made:
    """Draw a rule that starts within 500 days before a day worth looking at."""
    parts = _day_parts(draw)
    if draw(st.booleans()):
        parts["BYHOUR"] = draw(_some(0, 23) | st.just([1, 2, 3]))
    if draw(st.booleans()):
        parts["BYMINUTE"] = draw(_some(0, 59) | st.just([0, 15, 30, 45]))
    if parts["FREQ"] == "WEEKLY" and draw(st.booleans()):
        parts["WKST"] = draw(st.sampled_from(WEEKDAYS))
    name, days_of_change = draw(st.sampled_from(PLACES))
    day = draw(st.sampled_from(days_of_change))
    ago = draw(st.integers(-2, 500))
    clock = timedelta(hours=draw(st.integers(0, 23)), minutes=draw(st.integers(0, 59)))
    start = datetime(day.year, day.month, day.day) - timedelta(days=ago) + clock  # noqa: DTZ001
    return Made(parts=parts, start=start, zone=ZONE[name], day=day)


def _day_parts(draw: st.DrawFn) -> dict[str, Any]:
    frequency = draw(st.sampled_from([*SLOW, "HOURLY", "MINUTELY"]))
    parts: dict[str, Any] = {"FREQ": frequency}
    if draw(st.booleans()):
        parts["INTERVAL"] = draw(st.sampled_from([1, 2, 3, 5, 7, 12, 30, 45, 90]))
    if draw(st.booleans()) and frequency in ("YEARLY", "MONTHLY", "DAILY"):
        parts["BYMONTH"] = draw(_some(1, 12) | st.just(list(range(1, 13))))
    may_name_days = "BYMONTH" in parts or frequency != "YEARLY"
    if frequency != "WEEKLY" and may_name_days and draw(st.booleans()):
        days = draw(_some(-31, 31) | st.just(list(range(1, 29))))
        parts["BYMONTHDAY"] = [day for day in days if day] or [1]
    if draw(st.booleans()):
        parts["BYDAY"] = _weekday_items(draw, parts)
    return parts


def _weekday_items(draw: st.DrawFn, parts: Mapping[str, Any]) -> list[str]:
    weekdays = draw(st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=4, unique=True))
    if parts["FREQ"] not in ("YEARLY", "MONTHLY") or draw(st.booleans()):
        return weekdays
    high = 53 if parts["FREQ"] == "YEARLY" and "BYMONTH" not in parts else 5
    numbers = st.integers(-high, high).filter(bool)
    return [f"{draw(numbers)}{weekday}" for weekday in weekdays]


def instants(made: Made, first: datetime, last: datetime) -> list[int]:
    """Return the seconds of a rule's slots in `[first, last)`, both aware."""
    find = _by_days if made.parts["FREQ"] in SLOW else _by_minutes
    return find(made, first, last)


def _by_days(made: Made, first: datetime, last: datetime) -> list[int]:
    found: set[int] = set()
    hours = made.parts.get("BYHOUR", [made.start.hour])
    minutes = made.parts.get("BYMINUTE", [made.start.minute])
    day = first.date() - timedelta(days=3)
    while day <= last.date() + timedelta(days=3):
        if _in_phase(made, day) and _is_named(made, day):
            for hour in hours:
                for minute in minutes:
                    local = datetime(day.year, day.month, day.day, hour, minute)  # noqa: DTZ001
                    moment = local.replace(tzinfo=made.zone.info).astimezone(UTC)
                    if local >= made.start and first <= moment < last:
                        found.add(int(moment.timestamp()))
        day += timedelta(days=1)
    return sorted(found)


def _by_minutes(made: Made, first: datetime, last: datetime) -> list[int]:
    found: list[int] = []
    begin = made.start.replace(tzinfo=made.zone.info).astimezone(UTC)
    hourly = made.parts["FREQ"] == "HOURLY"
    step = made.parts.get("INTERVAL", 1) * (60 if hourly else 1)
    spread = hourly and "BYMINUTE" in made.parts
    origin = begin - timedelta(minutes=made.start.minute) if spread else begin
    moment = max(first, begin)
    while moment < last:
        local = moment.astimezone(made.zone.info)
        beat = int((moment - origin).total_seconds()) // 60 % step
        if (beat < 60 if spread else beat == 0) and _reads_well(made, local):
            found.append(int(moment.timestamp()))
        moment += timedelta(minutes=1)
    return found


def _reads_well(made: Made, local: datetime) -> bool:
    parts = made.parts
    return (
        local.hour in parts.get("BYHOUR", range(24))
        and local.minute in parts.get("BYMINUTE", range(60))
        and _is_named(made, local.date())
    )


def _in_phase(made: Made, day: date) -> bool:
    interval: int = made.parts.get("INTERVAL", 1)
    return _periods_between(made, made.start.date(), day) % interval == 0


def _periods_between(made: Made, start: date, day: date) -> int:
    match made.parts["FREQ"]:
        case "YEARLY":
            return day.year - start.year
        case "MONTHLY":
            return day.year * 12 + day.month - start.year * 12 - start.month
        case "WEEKLY":
            begins = WEEKDAYS.index(made.parts.get("WKST", "MO"))
            return (_week_start(day, begins) - _week_start(start, begins)).days // 7
        case _:
            return (day - start).days


def _week_start(day: date, begins: int) -> date:
    return day - timedelta(days=(day.weekday() - begins) % 7)


def _is_named(made: Made, day: date) -> bool:
    parts, frequency = made.parts, made.parts["FREQ"]
    has_days = "BYDAY" in parts or "BYMONTHDAY" in parts
    months = parts.get("BYMONTH", range(1, 13))
    if frequency == "YEARLY" and not has_days:
        months = parts.get("BYMONTH", [made.start.month])
    if day.month not in months:
        return False
    if not has_days and frequency == "WEEKLY":
        return day.weekday() == made.start.weekday()
    if not has_days and frequency in ("YEARLY", "MONTHLY"):
        return day.day == made.start.day
    return _has_month_day(parts, day) and _has_weekday(parts, day)


def _has_month_day(parts: Mapping[str, Any], day: date) -> bool:
    if "BYMONTHDAY" not in parts:
        return True
    length = calendar.monthrange(day.year, day.month)[1]
    return bool({day.day, day.day - length - 1} & set(parts["BYMONTHDAY"]))


def _has_weekday(parts: Mapping[str, Any], day: date) -> bool:
    if "BYDAY" not in parts:
        return True
    by_month = parts["FREQ"] == "MONTHLY" or "BYMONTH" in parts
    return any(_is_weekday(item, day, by_month) for item in parts["BYDAY"])


def _is_weekday(item: str, day: date, by_month: bool) -> bool:
    if WEEKDAYS[day.weekday()] != item[-2:]:
        return False
    if len(item) == 2:
        return True
    number = int(item[:-2])
    same = _same_weekdays(day, by_month)
    index = number - 1 if number > 0 else len(same) + number
    return 0 <= index < len(same) and same[index] == day


def _same_weekdays(day: date, by_month: bool) -> Sequence[date]:
    first = day.replace(day=1) if by_month else day.replace(month=1, day=1)
    days = [first + timedelta(days=number) for number in range(31 if by_month else 366)]
    return [
        each
        for each in days
        if each.weekday() == day.weekday()
        and each.year == day.year
        and (not by_month or each.month == day.month)
    ]
