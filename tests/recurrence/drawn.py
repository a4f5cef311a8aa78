"""Rules and cron lines drawn by number: the same number always draws the same one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
# A zone, and days around which something happens to its clock.
PLACES: Final = (
    ("America/New_York", ("2026-03-08", "2026-11-01")),
    ("Europe/London", ("2026-03-29", "2026-10-25")),
    ("Europe/Dublin", ("2026-03-29", "2026-10-25")),
    ("Australia/Lord_Howe", ("2026-04-05", "2026-10-04")),
    ("America/Santiago", ("2026-04-04", "2026-09-06")),
    ("Africa/Casablanca", ("2026-02-15", "2026-03-22")),
    ("Pacific/Apia", ("2011-12-30", "2011-09-24")),
    ("Asia/Kolkata", ("2028-02-29",)),
    ("UTC", ("2026-12-31", "2038-01-19")),
)


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A rule, its start, a zone's name, and a moment near which it is looked at."""

    rule: str
    start: datetime
    zone: str
    near: datetime


def rule(number: int) -> Drawn:
    """Draw a rule that starts within two years before a day worth looking at; some are refused or never fire."""
    chance = Random(number)
    zone, days = chance.choice(PLACES)
    near = datetime.fromisoformat(chance.choice(days)).replace(tzinfo=UTC)
    text = _rule(chance)
    # What is counted in hours or minutes is over soon.
    most = 1 if "COUNT" in text and ("HOURLY" in text or "MINUTELY" in text) else 700
    back = timedelta(days=chance.randint(0, most), minutes=chance.randint(0, 1_439))
    return Drawn(rule=text, start=(near - back).replace(tzinfo=None), zone=zone, near=near)


def cron(number: int) -> str:
    """Draw a five-field cron line, most with the forms that all programs know."""
    chance = Random(number)
    bounds = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
    return " ".join(_field(chance, low, high) for low, high in bounds)


def _rule(chance: Random) -> str:
    frequency = chance.choice(
        ("YEARLY", "YEARLY", "MONTHLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY")
    )
    parts = [f"FREQ={frequency}"]
    if chance.random() < 0.4:
        parts.append(f"INTERVAL={chance.choice((2, 3, 4, 5, 7, 12, 30, 45, 90))}")
    parts += _day_parts(chance, frequency)
    if chance.random() < 0.5:
        parts.append(f"BYHOUR={_some(chance, 0, 23)}")
    if chance.random() < 0.5:
        parts.append(f"BYMINUTE={_some(chance, 0, 59)}")
    if chance.random() < 0.1:
        parts.append(f"BYSECOND={_some(chance, 0, 59)}")
    if chance.random() < 0.2 and len(parts) > 1:
        parts.append(f"BYSETPOS={chance.choice(('1', '-1', '2', '1,-1', '3,-2'))}")
    if chance.random() < 0.3:
        parts.append(f"WKST={chance.choice(WEEKDAYS)}")
    if chance.random() < 0.15:
        parts.append(f"COUNT={chance.randint(1, 40)}")
    return ";".join(parts)


def _day_parts(chance: Random, frequency: str) -> Sequence[str]:
    parts = []
    if chance.random() < 0.3:
        parts.append(f"BYMONTH={_some(chance, 1, 12, 6)}")
    if frequency != "WEEKLY" and chance.random() < 0.3 and (parts or frequency != "YEARLY"):
        parts.append(f"BYMONTHDAY={_signed(chance, 31)}")
    if frequency in ("YEARLY", "HOURLY") and chance.random() < 0.2:
        parts.append(f"BYYEARDAY={_signed(chance, 366)}")
    weeks = frequency == "YEARLY" and chance.random() < 0.25
    if weeks:
        parts.append(f"BYWEEKNO={_signed(chance, 53)}")
    if weeks or chance.random() < 0.5:
        numbered = not weeks and frequency in ("MONTHLY", "YEARLY") and chance.random() < 0.5
        most = 5 if frequency == "MONTHLY" or any(part[:7] == "BYMONTH" for part in parts) else 53
        days = chance.sample(WEEKDAYS, chance.randint(1, 5))
        parts.append(
            "BYDAY="
            + ",".join(f"{_signed(chance, most, 1) if numbered else ''}{day}" for day in days)
        )
    return parts


def _some(chance: Random, low: int, high: int, most: int = 4) -> str:
    return ",".join(map(str, sorted(chance.sample(range(low, high + 1), chance.randint(1, most)))))


def _signed(chance: Random, high: int, most: int = 6) -> str:
    numbers = chance.sample(range(1, high + 1), chance.randint(1, most))
    return ",".join(str(number * chance.choice((1, 1, -1))) for number in numbers)


def _field(chance: Random, low: int, high: int) -> str:
    kind = chance.random()
    if kind < 0.4:
        return "*"
    if kind < 0.55:
        return f"*/{chance.randint(2, (high - low) // 2)}"
    if kind < 0.8:
        return _some(chance, low, high)
    first, last = sorted(chance.sample(range(low, high + 1), 2))
    step = chance.randint(1, last - first)
    return f"{first}-{last}/{step}" if kind > 0.9 else f"{first}-{last}"
