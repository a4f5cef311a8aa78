"""Writes the vectors of time rules, each agreed by the engine and a means of its own; says where they differ.

Run: .venv/bin/python tools/recurrence_vectors.py [GROUP ...]. Groups that the engine refuses in part are not written.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from croniter import croniter
from cronsim import CronSim, CronSimError
from dateutil.rrule import rrulestr

from duly.adapters.zones import Zones
from duly.model.errors import ValidationError
from duly.model.instant import SECOND_US, Instant, from_datetime
from duly.recurrence.read import read_rule
from duly.recurrence.schedule import Schedule, compile_rule
from tests.recurrence import cron_walker, walker
from tests.recurrence.vectors import asked
from tests.recurrence.vectors.asked import Asked

FOLDER: Final = Path(__file__).parent.parent / "tests" / "recurrence" / "vectors"
ZONES: Final = Zones()
# How far the slow means looks when the engine says that nothing follows.
AFTER_THE_END: Final = timedelta(days=10 * 366)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def main() -> int:
    """Write the groups that are named, or all."""
    names = sys.argv[1:] or list(asked.GROUPS)
    failed = [_write(name) for name in names]
    return 1 if any(failed) else 0


def _write(name: str) -> int:
    vectors, failed = [], 0
    for number, each in enumerate(asked.GROUPS[name](), 1):
        try:
            vectors.append({"id": f"{name}-{number:03}", **_vector(each)})
        except (ValidationError, ValueError) as error:
            failed += 1
            print(f"{name}: {each.schedule} in {each.zone} after {each.after}: {error}")
    if not failed:
        lines = "".join(json.dumps(vector) + "\n" for vector in vectors)
        (FOLDER / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    print(f"{name}: {len(vectors)} agreed, {failed} not")
    return failed


def _vector(each: Asked) -> Mapping[str, object]:
    zone = ZONES.load(each.zone)
    after = from_datetime(datetime.fromisoformat(each.after))
    rule = read_rule(each.schedule, zone=zone, created_at=Instant(0))
    schedule = compile_rule(rule, zone)
    slots, ends = _ours(schedule, after, each.slots)
    first = EPOCH + timedelta(microseconds=after + SECOND_US)
    expected = [datetime.fromisoformat(utc) for _, utc in slots]
    last = (expected[-1] if expected else first) + (AFTER_THE_END if ends else timedelta(seconds=1))
    agreed = ["engine", _independent(each, first, last, expected)]
    agreed += [name for name in ("dateutil", "croniter", "cronsim") if _says(name, each, expected)]
    return {
        "schedule": dict(each.schedule),
        "zone": each.zone,
        "after": each.after,
        "slots": slots,
        "ends": ends,
        "agreed": agreed,
    }


def _ours(schedule: Schedule, after: Instant, limit: int) -> tuple[list[tuple[str, str]], bool]:
    found = schedule.between(after, from_datetime(datetime(2200, 1, 1, tzinfo=UTC)), limit)
    return [
        (slot.local, (EPOCH + timedelta(microseconds=slot.due_at)).isoformat()[:19] + "Z")
        for slot in found.slots
    ], found.is_complete


def _independent(each: Asked, first: datetime, last: datetime, expected: Sequence[datetime]) -> str:
    zone = ZONES.load(each.zone).info
    if "once" in each.schedule:
        moment = datetime.fromisoformat(each.schedule["once"])
        found: Sequence[datetime] = [
            (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
        ]
    elif "cron" in each.schedule:
        found = cron_walker.instants(each.schedule["cron"], zone, first, last)
    else:
        start = datetime.fromisoformat(each.schedule["dtstart"])
        walk = walker.Walk(
            rule=each.schedule["rrule"], start=start, zone=zone, first=first, last=last
        )
        found = walker.instants(walk)
    if list(found) != list(expected):
        shown = [str(one) for one in found[:8]]
        raise ValueError(f"the walker says {shown}, the engine {[str(e) for e in expected]}")
    return "walker"


def _says(name: str, each: Asked, expected: Sequence[datetime]) -> bool:
    """Say whether another library, which is asked in UTC only, agrees."""
    kind = "rrule" if name == "dateutil" else "cron"
    if each.zone != "UTC" or kind not in each.schedule or not expected:
        return False
    after = datetime.fromisoformat(each.after)
    text = each.schedule[kind]
    try:
        if name == "dateutil":
            start = datetime.fromisoformat(each.schedule["dtstart"]).replace(tzinfo=UTC)
            theirs = list(islice(rrulestr(text, dtstart=start).xafter(after), len(expected)))
        elif name == "cronsim":
            theirs = list(islice(CronSim(text, after), len(expected)))
        else:
            following = croniter(text, after)
            theirs = [following.get_next(datetime) for _ in expected]
    except (ValueError, CronSimError, StopIteration):
        return False
    return theirs == list(expected)


if __name__ == "__main__":
    sys.exit(main())
