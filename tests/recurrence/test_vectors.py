"""Answers that two independent means agree on; and the examples of RFC 5545 §3.8.5.3, typed as dates by hand."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.model.instant import Instant, from_datetime
from duly.model.zone import Zone
from duly.recurrence.read import read_rule
from duly.recurrence.schedule import Schedule, compile_rule
from tests.recurrence import places, walker

FOLDER = Path(__file__).parent / "vectors"
END = from_datetime(datetime(2200, 1, 1, tzinfo=UTC))


def _lines(path: Path) -> Sequence[Mapping[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


FACTS = _lines(FOLDER / "rfc5545.jsonl")
VECTORS = {
    path.stem: _lines(path) for path in sorted(FOLDER.glob("*.jsonl")) if path.stem != "rfc5545"
}
ZONES: Mapping[str, Zone] = {
    name: places.ZONES.load(name)
    for name in {vector["zone"] for vectors in VECTORS.values() for vector in vectors}
}


def _compiled(schedule: Mapping[str, str], zone: Zone) -> Schedule:
    return compile_rule(read_rule(schedule, zone=zone, created_at=Instant(0)), zone)


def _answer(vector: Mapping[str, Any]) -> tuple[list[list[str]], bool]:
    schedule = _compiled(vector["schedule"], ZONES[vector["zone"]])
    after = from_datetime(datetime.fromisoformat(vector["after"]))
    # One more is asked for where the rule must have ended.
    found = schedule.between(after, END, len(vector["slots"]) + vector["ends"])
    times = (
        datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=slot.due_at)
        for slot in found.slots
    )
    pairs = [
        [slot.local, time.isoformat()[:19] + "Z"]
        for slot, time in zip(found.slots, times, strict=True)
    ]
    return pairs, found.is_complete


@pytest.mark.parametrize("group", VECTORS)
def test_every_vector_is_answered(group: str) -> None:
    for vector in VECTORS[group]:
        assert _answer(vector) == (vector["slots"], vector["ends"]), vector["id"]


def test_there_are_600_vectors_and_two_means_agree_on_each() -> None:
    vectors = [vector for group in VECTORS.values() for vector in group]
    assert len(vectors) >= 600
    assert len({vector["id"] for vector in vectors}) == len(vectors)
    assert all({"engine", "walker"} <= set(vector["agreed"]) for vector in vectors)


def test_the_vectors_hold_every_place_with_a_clock_of_its_own() -> None:
    assert set(ZONES) >= {
        "Africa/Casablanca",
        "America/New_York",
        "America/Santiago",
        "Asia/Kathmandu",
        "Asia/Kolkata",
        "Asia/Taipei",
        "Australia/Lord_Howe",
        "Europe/Dublin",
        "Europe/London",
        "Pacific/Apia",
        "UTC",
    }


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact["rule"])
def test_the_examples_of_the_rfc_are_answered(fact: Mapping[str, Any]) -> None:
    start = datetime.fromisoformat(fact["start"])
    expected = [_local(date, start) for date in fact["dates"]]
    schedule = _compiled({"rrule": fact["rule"], "dtstart": fact["start"]}, places.NEW_YORK)
    before = from_datetime(start.replace(tzinfo=places.NEW_YORK.info) - timedelta(seconds=1))
    found = schedule.between(before, END, len(expected) + fact["ends"])
    assert [slot.local[:16] for slot in found.slots] == expected
    assert found.is_complete == fact["ends"]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact["rule"])
def test_the_walker_knows_the_examples_of_the_rfc_too(fact: Mapping[str, Any]) -> None:
    start = datetime.fromisoformat(fact["start"])
    zone = places.NEW_YORK.info
    expected = [_local(date, start) for date in fact["dates"]]
    last = datetime.fromisoformat(expected[-1]).replace(tzinfo=zone)
    walk = walker.Walk(
        rule=fact["rule"],
        start=start,
        zone=zone,
        first=start.replace(tzinfo=zone),
        last=last + timedelta(days=400 if fact["ends"] else 0, seconds=1),
    )
    found = [each.astimezone(zone).isoformat()[:16] for each in walker.instants(walk)]
    assert found == expected


def _local(date: str, start: datetime) -> str:
    """Return a date as local time; without a time of its own it has that of DTSTART."""
    return date if "T" in date else f"{date}T{start:%H:%M}"
