"""Zones, rules and instants for tests, loaded before the world is switched off."""

from datetime import datetime

from duly.adapters.zones import Zones
from duly.model.instant import Instant, from_datetime
from duly.model.timing import CronRule, RruleRule
from duly.model.zone import Zone
from duly.recurrence.schedule import Schedule, compile_rule
from duly.recurrence.slot import BeyondHorizon, Exhausted, Slot

NAMES = (
    "UTC",
    "America/New_York",
    "Europe/London",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Pacific/Apia",
    "Asia/Taipei",
    "Asia/Shanghai",
    "Asia/Kolkata",
    "America/St_Johns",
    "Africa/Casablanca",
    "America/Havana",
    "Asia/Beirut",
    "Europe/Dublin",
)
ZONES = Zones()
ZONE: dict[str, Zone] = {name: ZONES.load(name) for name in NAMES}
UTC, NEW_YORK, LONDON, LORD_HOWE, SANTIAGO, APIA, TAIPEI, SHANGHAI, KOLKATA = (
    ZONE[name] for name in NAMES[:9]
)


def instant(text: str) -> Instant:
    """Return the instant of ISO text; text without an offset is UTC."""
    moment = datetime.fromisoformat(text)
    return from_datetime(moment if moment.tzinfo else datetime.fromisoformat(text + "Z"))


def rrule(text: str, dtstart: str, zone: Zone = UTC) -> Schedule:
    """Compile an RRULE."""
    return compile_rule(RruleRule(text=text, dtstart=dtstart), zone)


def cron(text: str, zone: Zone = UTC) -> Schedule:
    """Compile a cron expression."""
    return compile_rule(CronRule(text=text), zone)


def slots(schedule: Schedule, after: str, until: str, limit: int = 1_000) -> tuple[Slot, ...]:
    """Return the slots of a span given as ISO text."""
    found = schedule.between(instant(after), instant(until), limit)
    assert found.is_complete
    return found.slots


def locals_of(schedule: Schedule, after: str, until: str) -> list[str]:
    """Return the local times of a span's slots, to the minute."""
    return [slot.local[:16] for slot in slots(schedule, after, until)]


def first(answer: Slot | Exhausted | BeyondHorizon) -> Slot:
    """Return an answer that must be a slot."""
    assert isinstance(answer, Slot)
    return answer
