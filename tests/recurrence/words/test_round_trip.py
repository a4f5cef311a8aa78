"""A rule said in words reads back as the same rule, in every language."""

import dataclasses
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.model.errors import ValidationError
from duly.model.instant import Instant
from duly.model.timing import CronRule, OnceInstant, OnceLocal, RruleRule, RuleSpec
from duly.recurrence import cron
from duly.recurrence.faults import CRON, Faults
from duly.recurrence.read import read_rule
from duly.recurrence.schedule import compile_rule
from duly.recurrence.words import Language, read, say
from tests.recurrence.places import TAIPEI

ELAPSED = ("SECONDLY", "MINUTELY", "HOURLY")
NAMES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def canonical(rule: RuleSpec, *, with_start: bool) -> object:
    """Return what two spellings of one rule share: parts without defaults, with what comes from the start filled in."""
    match rule:
        case CronRule():
            parts = cron.parse(rule.text, Faults(CRON))
            assert parts is not None
            ordinals, workdays = sorted(parts.ordinals), sorted(parts.workdays)
            return dataclasses.replace(parts, ordinals=tuple(ordinals), workdays=tuple(workdays))
        case RruleRule():
            return _parts(rule, with_start=with_start), _dates(rule)
        case _:
            return rule


def _dates(rule: RruleRule) -> tuple[object, object]:
    return tuple(getattr(rule, "rdates", ())), tuple(getattr(rule, "exdates", ()))


def _parts(rule: RruleRule, *, with_start: bool) -> dict[str, object]:
    parts: dict[str, Any] = {}
    for part in rule.text.split(";"):
        name, value = part.split("=")
        many = name.startswith("BY")
        parts[name] = frozenset(item.lstrip("+") for item in value.split(",")) if many else value
    if parts.get("INTERVAL") == "1":
        del parts["INTERVAL"]
    if parts.get("WKST") == "MO":
        del parts["WKST"]
    start = datetime.fromisoformat(rule.dtstart)
    if parts["FREQ"] not in ELAPSED:
        _fill(parts, start)
    depends = bool(with_start or {"INTERVAL", "COUNT"} & parts.keys())
    depends |= parts["FREQ"] == "HOURLY" and "BYMINUTE" not in parts
    depends |= start.second != 0 and parts["FREQ"] in ELAPSED and "BYSECOND" not in parts
    if depends and parts["FREQ"] != "SECONDLY":
        parts["DTSTART"] = rule.dtstart
    return parts


def _fill(parts: dict[str, Any], start: datetime) -> None:
    parts.setdefault("BYHOUR", frozenset((str(start.hour),)))
    parts.setdefault("BYMINUTE", frozenset((str(start.minute),)))
    if start.second:
        parts.setdefault("BYSECOND", frozenset((str(start.second),)))
    if {"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"} & parts.keys():
        return
    if parts["FREQ"] == "WEEKLY":
        parts["BYDAY"] = frozenset((NAMES[start.weekday()],))
    if parts["FREQ"] in ("MONTHLY", "YEARLY"):
        parts["BYMONTHDAY"] = frozenset((str(start.day),))
    if parts["FREQ"] == "YEARLY":
        parts.setdefault("BYMONTH", frozenset((str(start.month),)))


def numbers(low: int, high: int, most: int = 6) -> st.SearchStrategy[str]:
    values = st.integers(low, high).filter(lambda number: low >= 0 or number != 0)
    return st.lists(values, min_size=1, max_size=most, unique=True).map(
        lambda items: ",".join(map(str, items))
    )


def weekdays(nth: int) -> st.SearchStrategy[str]:
    ordinals = st.integers(-nth, nth) if nth else st.just(0)
    items = st.tuples(ordinals, st.sampled_from(NAMES)).map(
        lambda pair: f"{pair[0] or ''}{pair[1]}"
    )
    return st.lists(items, min_size=1, max_size=5, unique=True).map(",".join)


STARTS = st.builds(
    lambda moment, second: moment.replace(microsecond=0, second=second).isoformat(),
    st.datetimes(datetime.fromisoformat("1971-01-01"), datetime.fromisoformat("2190-01-01")),
    st.sampled_from((0, 0, 0, 30)),
)


SIMPLE = {
    "BYMONTH": numbers(1, 12),
    "BYHOUR": numbers(0, 23),
    "BYMINUTE": st.one_of(numbers(0, 59), st.just("0"), st.just("0,15,30,45")),
    "BYSECOND": numbers(0, 59),
    "BYMONTHDAY": numbers(-31, 31),
    "BYYEARDAY": numbers(-366, 366),
    "BYWEEKNO": numbers(-53, 53),
    "BYDAY": weekdays(0),
}
MISPLACED = {
    "SECONDLY": {"BYWEEKNO"},
    "MINUTELY": {"BYWEEKNO"},
    "HOURLY": {"BYWEEKNO"},
    "DAILY": {"BYWEEKNO", "BYYEARDAY"},
    "WEEKLY": {"BYWEEKNO", "BYYEARDAY", "BYMONTHDAY"},
    "MONTHLY": {"BYWEEKNO", "BYYEARDAY"},
    "YEARLY": set(),
}
ENDS = (
    [],
    [],
    ["COUNT=10"],
    ["UNTIL=22001231T235959"],
    ["UNTIL=22001231T120000"],
    ["UNTIL=22001231T120030Z"],
)


@st.composite
def rrules(draw: st.DrawFn) -> RruleRule:
    frequency = draw(st.sampled_from(sorted(MISPLACED)))
    chosen = draw(st.sets(st.sampled_from(sorted(SIMPLE)), max_size=4)) - MISPLACED[frequency]
    if frequency == "YEARLY":
        chosen |= {"BYDAY"} if "BYWEEKNO" in chosen else set()
        chosen |= {"BYMONTH"} if "BYMONTHDAY" in chosen else set()
    parts = [f"FREQ={frequency}"]
    interval = draw(st.sampled_from((1, 1, 2, 7, 15)))
    parts += [f"INTERVAL={interval}"] if interval > 1 else []
    parts += [f"{name}={draw(strategy(frequency, name, chosen))}" for name in sorted(chosen)]
    if chosen and draw(st.integers(0, 3)) == 0:
        parts.append(f"BYSETPOS={draw(numbers(-9, 9, 3))}")
    parts += draw(st.sampled_from(ENDS))
    parts += draw(st.one_of(st.just([]), st.sampled_from(NAMES).map(lambda day: [f"WKST={day}"])))
    rule = RruleRule(text=";".join(parts), dtstart=draw(STARTS))
    return dated(rule) if HAS_DATES and draw(st.booleans()) else rule


def strategy(frequency: str, name: str, chosen: set[str]) -> st.SearchStrategy[str]:
    """Return what a part may hold beside the others; weekdays are counted in months and years alone."""
    if name != "BYDAY" or "BYWEEKNO" in chosen or frequency not in ("MONTHLY", "YEARLY"):
        return SIMPLE[name]
    return weekdays(5 if frequency == "MONTHLY" or "BYMONTH" in chosen else 53)


HAS_DATES = "rdates" in {field.name for field in dataclasses.fields(RruleRule)}


def dated(rule: RruleRule) -> RruleRule:
    """Return a rule with dates of its own."""
    more: dict[str, Any] = {
        "rdates": ("2200-01-02T03:04:05",),
        "exdates": ("2200-12-25", "2200-12-26T09:00:00"),
    }
    return dataclasses.replace(rule, **more)


def fields(low: int, high: int) -> st.SearchStrategy[str]:
    plain = numbers(low, high)
    steps = st.integers(2, (high - low) // 2 or 2).map(lambda step: f"*/{step}")
    spans = st.tuples(st.integers(low, high), st.integers(low, high)).map(
        lambda pair: f"{min(pair)}-{max(pair)}"
    )
    return st.one_of(st.just("*"), plain, steps, spans, st.tuples(steps, plain).map(",".join))


CRONS = st.builds(
    lambda *parts: CronRule(text=" ".join(parts)),
    fields(0, 59),
    fields(0, 23),
    st.one_of(fields(1, 31), st.sampled_from(("L", "LW", "15W", "1,L-2", "1W,LW,L"))),
    fields(1, 12),
    st.one_of(fields(0, 6), st.sampled_from(("5L", "1#2", "MON-FRI", "7", "SUN,2#1,3L"))),
)
ONCES = st.one_of(
    STARTS.map(lambda local: OnceLocal(local=local)),
    st.integers(0, 6_000_000_000).map(lambda at: OnceInstant(due_at=Instant(at * 1_000_000))),
)


def back(text: str, start: str) -> RuleSpec:
    """Return the rule that a sentence means; a rule without a start begins at `start`."""
    spoken = read(text)
    assert spoken.zone_name == "Asia/Taipei"
    schedule = spoken.schedule
    if "rrule" not in schedule:
        return read_rule(schedule, zone=TAIPEI, created_at=Instant(0))
    more = {
        name: tuple(schedule[f"{name[:-1]}"])
        for name in ("rdates", "exdates")
        if name[:-1] in schedule
    }  # type: ignore[arg-type]
    return RruleRule(
        text=str(schedule["rrule"]), dtstart=str(schedule.get("dtstart", start)), **more
    )


@pytest.mark.parametrize("language", Language)
@given(rule=st.one_of(rrules(), CRONS, ONCES), with_start=st.booleans())
@settings(max_examples=100)
def test_a_rule_said_in_words_reads_back_as_the_same_rule(
    language: Language, rule: RuleSpec, with_start: bool
) -> None:
    if isinstance(rule, CronRule) and not _is_accepted(rule):
        return
    start = rule.dtstart if isinstance(rule, RruleRule) else ""
    text = say(rule, "Asia/Taipei", language, with_start=with_start)
    again = back(text, start)
    assert canonical(again, with_start=with_start) == canonical(rule, with_start=with_start), text


def _is_accepted(rule: RuleSpec) -> bool:
    try:
        compile_rule(rule, TAIPEI)
    except ValidationError:
        return False
    return True
