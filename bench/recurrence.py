"""Time rules beside dateutil, croniter and cronsim: sides take turns, the best of several rounds counts.

Run: .venv/bin/python bench/recurrence.py
"""

import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from croniter import croniter
from cronsim import CronSim
from dateutil.rrule import rrulestr

from duly.adapters.zones import Zones
from duly.model.errors import ValidationError
from duly.model.instant import DAY_US, Instant, from_datetime
from duly.model.timing import Covers, CronRule, Period, RruleRule, WindowRule
from duly.recurrence import watermark
from duly.recurrence.schedule import compile_rule
from duly.recurrence.slot import Slot
from duly.recurrence.window import window_of
from tests.recurrence import hostile

ZONE = Zones().load("America/New_York")
FROM = "2010-01-01T00:00:00"
MOMENT = datetime(2026, 6, 1, 12, 0, 30, tzinfo=UTC)
AT = from_datetime(MOMENT)
WEEK = Instant(AT - 7 * DAY_US)

MINUTELY = compile_rule(RruleRule(text="FREQ=MINUTELY", dtstart=FROM), ZONE)
DAILY = compile_rule(RruleRule(text="FREQ=DAILY;BYHOUR=9", dtstart=FROM), ZONE)
QUARTERS = compile_rule(CronRule(text="*/15 * * * *"), ZONE)
EVERY_DAY = WindowRule(period=Period.DAY, covers=Covers.PREVIOUS)


def best(action: Callable[[], object], times: int, rounds: int = 5) -> float:
    """Return the CPU seconds of one call, in the best round."""
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(times):
            action()
        taken.append((time.process_time() - began) / times)
    return min(taken)


def compare(name: str, sides: Mapping[str, tuple[Callable[[], object], int]]) -> None:
    """Print what each side takes, and how much more than the first."""
    taken = dict.fromkeys(sides, float("inf"))
    for _ in range(3):
        for side, (action, times) in sides.items():
            taken[side] = min(taken[side], best(action, times, rounds=1))
    first = next(iter(taken.values()))
    row = "   ".join(
        f"{side} {cost * 1e6:,.1f} µs ({cost / first:,.1f} times)" for side, cost in taken.items()
    )
    print(f"{name:34} {row}")


MARK = watermark.raise_to(Instant(AT - DAY_US), DAILY.anchor, ZONE)


def scan() -> None:
    """Do what a scan does for one automation that is due."""
    for slot in watermark.uncovered(DAILY, MARK, AT, 200).slots:
        window_of(EVERY_DAY, slot, DAILY)
        DAILY.next(slot.due_at)


def slowest_hostile_rule() -> tuple[float, str]:
    """Return the CPU seconds of the slowest hostile rule's compilation, and the rule."""
    slowest = (0.0, "")
    for kind, text in hostile.texts():
        if kind != "once":
            spec = CronRule(text=text) if kind == "cron" else RruleRule(text=text, dtstart=FROM)
            slowest = max(slowest, (best(lambda spec=spec: _tried(spec), 1, rounds=3), text))  # type: ignore[misc]
    return slowest


def _tried(spec: CronRule | RruleRule) -> None:
    try:
        schedule = compile_rule(spec, ZONE)
    except ValidationError:
        return
    answer = schedule.next(AT)
    if isinstance(answer, Slot):
        window_of(EVERY_DAY, answer, schedule)


def main() -> None:
    """Print the table."""
    theirs = rrulestr("FREQ=DAILY;BYHOUR=9", dtstart=datetime.fromisoformat(FROM))
    local = MOMENT.replace(tzinfo=None)
    compare(
        "next, DAILY from 2010",
        {"duly": (lambda: DAILY.next(AT), 2_000), "dateutil": (lambda: theirs.after(local), 3)},
    )
    minutely = rrulestr("FREQ=MINUTELY", dtstart=datetime.fromisoformat("2026-01-01T00:00:00"))
    compare(
        "next, MINUTELY (theirs from 2026)",
        {
            "duly": (lambda: MINUTELY.next(AT), 2_000),
            "dateutil": (lambda: minutely.after(local), 1),
        },
    )
    text = "*/15 9-17 * * 1-5"
    compare(
        "cron, parse and next",
        {
            "duly": (lambda: compile_rule(CronRule(text=text), ZONE).next(AT), 500),
            "cronsim": (lambda: next(CronSim(text, MOMENT.astimezone(ZONE.info))), 500),
            "croniter": (lambda: croniter(text, MOMENT).get_next(), 200),
        },
    )
    for name, action, times in (
        ("compile and next, DAILY", lambda: compile_rule(DAILY.spec, ZONE).next(AT), 500),
        ("window of a slot", lambda: window_of(EVERY_DAY, DAILY.next(AT), DAILY), 1_000),  # type: ignore[arg-type]
        ("scan of one due automation", scan, 1_000),
        ("672 missed slots of a week", lambda: QUARTERS.between(WEEK, AT, 1_000), 10),
        (
            "count of a year of quarter hours",
            lambda: QUARTERS.count(Instant(AT - 365 * DAY_US), AT),
            3,
        ),
    ):
        print(f"{name:34} {best(action, times) * 1e6:,.1f} µs")
    seconds, rule = slowest_hostile_rule()
    print(f"{'slowest hostile rule':34} {seconds * 1e3:,.1f} ms   {rule[:60]}")


if __name__ == "__main__":
    main()
