"""Reads a definition's `schedule` into a rule, strictly: what cannot be honoured is refused by name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from duly.model.errors import Fault, ValidationError
from duly.model.instant import Instant, from_datetime
from duly.model.timing import CronRule, OnceInstant, OnceLocal, RruleRule, RuleSpec
from duly.model.zone import Zone
from duly.recurrence import cron, cron_spread, faults, rrule_text
from duly.recurrence.faults import Faults, refusal, shown
from duly.recurrence.local_time import local_text, parse_local
from duly.recurrence.rrule_text import RruleParts
from duly.recurrence.schedule import compile_rule
from duly.recurrence.slot import Slot
from duly.recurrence.zone import wall

_KINDS: Final = ("rrule", "cron", "once", "when")
_LATER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "when": "plain words are not supported yet; write cron, rrule or once",
        "rdate": "extra dates are not supported yet; add a second automation",
        "exdate": "excluded dates are not supported yet; pause the automation on those days",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RruleText:
    """A rule's text taken apart; `zone_name` comes from TZID, or is UTC for a DTSTART that ends in Z."""

    rule: str
    dtstart: str | None
    zone_name: str | None


def named_zone(schedule: Mapping[str, object]) -> str | None:
    """Return the zone that a `schedule` names by `timezone` or by DTSTART's TZID; None when it names none.

    Raises ValidationError when it names two.
    """
    named = schedule.get("timezone")
    text = schedule.get("rrule")
    written = _take_apart(text).zone_name if isinstance(text, str) else None
    if named is None:
        return written
    if not isinstance(named, str):
        raise refusal(faults.TIMEZONE, "the zone is not text", "write a name such as Asia/Taipei")
    if written is not None and written != named:
        message = f"timezone is {shown(named)}, but DTSTART says {shown(written)}"
        raise refusal(faults.TIMEZONE, message, "keep one of them")
    return named


def read_rule(
    schedule: Mapping[str, object],
    *,
    zone: Zone,
    created_at: Instant,
    previous: RuleSpec | None = None,
    seed: str | None = None,
) -> RuleSpec:
    """Return the rule that a `schedule` writes; raise ValidationError with its faults.

    `zone` is the one that `named_zone` names, or the default. `previous` is the rule that an edit replaces: its
    DTSTART's date lives on unless the schedule gives one, or FREQ, INTERVAL or COUNT changed. `seed` is what `H` in
    cron is spread by; None: there is no automation yet, and `H` is refused.
    """
    _refuse_shape(schedule)
    kind = next(name for name in _KINDS if schedule.get(name) is not None)
    text = schedule[kind]
    if not isinstance(text, str):
        raise refusal(f"/schedule/{kind}", "this is not text", "put it in quotes")
    rule: RuleSpec
    if kind == "rrule":
        rule = _read_rrule(text, schedule.get("dtstart"), zone, (created_at, previous))
    elif kind == "cron":
        rule = _read_cron(text, schedule.get("seconds_first") is True, seed)
    else:
        rule = _read_once(text)
    compile_rule(rule, zone)
    return rule


def carry_dtstart(old: RuleSpec | None, new: RruleRule, zone: Zone) -> RruleRule:
    """Return an edited rule with the DTSTART of the rule it replaces, cut to what its own BY parts leave open.

    A change of FREQ, INTERVAL or COUNT begins a new phase: `new` keeps its own DTSTART.
    """
    if not isinstance(old, RruleRule):
        return new
    before, now = _parts(old.text), _parts(new.text)
    if (before.frequency, before.interval, before.count) != (
        now.frequency,
        now.interval,
        now.count,
    ):
        return new
    start = parse_local(old.dtstart)
    assert start is not None
    carried = replace(new, dtstart=local_text(_cut(start, now)))
    compile_rule(carried, zone)
    return carried


def _refuse_shape(schedule: Mapping[str, object]) -> None:
    found = [
        Fault(
            pointer=f"/schedule/{name}",
            message=f"{name}: {message.partition(';')[0]}",
            fix=message.partition("; ")[2],
        )
        for name, message in _LATER.items()
        if schedule.get(name) is not None
    ]
    given = [name for name in _KINDS if schedule.get(name) is not None]
    if len(given) != 1:
        message = f"the schedule gives {' and '.join(given) or 'no rule'}"
        found.append(Fault(pointer="/schedule", message=message, fix="give rrule, cron or once"))
    if schedule.get("dtstart") is not None and given and "rrule" not in given:
        message = "dtstart means something with rrule only"
        found.append(Fault(pointer=faults.DTSTART, message=message, fix="leave it out"))
    if schedule.get("seconds_first") is not None:
        found += _seconds_first_faults(schedule)
    if found:
        raise ValidationError(found)


def _seconds_first_faults(schedule: Mapping[str, object]) -> list[Fault]:
    pointer = "/schedule/seconds_first"
    if schedule.get("cron") is None:
        message = "seconds_first means something with cron only"
        return [Fault(pointer=pointer, message=message, fix="leave it out")]
    if not isinstance(schedule["seconds_first"], bool):
        return [Fault(pointer=pointer, message="this is not true or false", fix="write true")]
    return []


def _read_rrule(
    text: str, dtstart: object, zone: Zone, origin: tuple[Instant, RuleSpec | None]
) -> RruleRule:
    written = _take_apart(text)
    if written.zone_name is not None and written.zone_name != zone.name:
        message = f"DTSTART is in {shown(written.zone_name)}, the automation in {zone.name}"
        raise refusal(faults.RRULE, message, f"set timezone to {written.zone_name}")
    parts = _parts(written.rule)
    start = _given_start(written.dtstart, dtstart)
    if start is not None:
        return RruleRule(text=written.rule, dtstart=local_text(start))
    created_at, previous = origin
    rule = RruleRule(text=written.rule, dtstart=_default_start(parts, created_at, zone))
    return carry_dtstart(previous, _counted_from_first(rule, parts, created_at, zone), zone)


def _given_start(in_text: str | None, in_key: object) -> datetime | None:
    given = in_text if in_key is None else in_key
    if given is None:
        return None
    start = parse_local(given) if isinstance(given, str) else None
    if start is None:
        raise ValidationError([faults.bad_dtstart(str(given))])
    if in_text is not None and parse_local(in_text) != start:
        raise refusal(faults.DTSTART, "dtstart and the rule's DTSTART differ", "keep one of them")
    return start


def _default_start(parts: RruleParts, created_at: Instant, zone: Zone) -> str:
    local = wall(created_at, zone).replace(tzinfo=None, second=0, microsecond=0)
    return local_text(_cut(local, parts))


def _cut(start: datetime, parts: RruleParts) -> datetime:
    """Return a start with what is finer than the finest BY part set to zero."""
    if parts.minutes:
        return start.replace(second=0)
    if parts.hours:
        return start.replace(minute=0, second=0)
    if parts.weekdays or parts.month_days or parts.months or parts.year_days:
        return start.replace(hour=0, minute=0, second=0)
    return start


def _counted_from_first(
    rule: RruleRule, parts: RruleParts, created_at: Instant, zone: Zone
) -> RruleRule:
    """COUNT counts what will fire: DTSTART becomes the first slot after the creation, in the same phase."""
    if parts.count is None:
        return rule
    text = ";".join(part for part in rule.text.split(";") if not part.startswith("COUNT="))
    first = compile_rule(replace(rule, text=text), zone).next(created_at)
    return replace(rule, dtstart=first.local[:19]) if isinstance(first, Slot) else rule


def _parts(text: str) -> RruleParts:
    found = Faults(faults.RRULE)
    parts = rrule_text.parse(text, found)
    found.raise_if_any()
    assert parts is not None
    return parts


_DTSTART: Final = re.compile(r"DTSTART(?:;TZID=([^:;]+))?:([0-9T]+)(Z?)", re.ASCII)


def _take_apart(text: str) -> _RruleText:
    if len(text) > rrule_text.TEXT_CHARS_MAX:
        raise refusal(faults.RRULE, "the rule is too long", f"{rrule_text.TEXT_CHARS_MAX} at most")
    rules: list[str] = []
    starts: list[re.Match[str]] = []
    found = Faults(faults.RRULE)
    for line in text.strip().splitlines():
        match = _DTSTART.fullmatch(line.strip())
        name = re.split("[:;=]", line.strip().upper(), maxsplit=1)[0]
        if match is not None:
            starts.append(match)
        elif name in _REFUSED_LINES:
            found.add(f"{name}: {_REFUSED_LINES[name]}")
        else:
            rules.append(line.strip().replace(" ", "").upper().removeprefix("RRULE:"))
    if len(rules) > 1 or len(starts) > 1:
        found.add("the text holds more than one rule or start", "add a second automation")
    if not rules and not found.found:
        found.add("the text holds no rule", "write FREQ=DAILY;BYHOUR=9")
    found.raise_if_any()
    if not starts:
        return _RruleText(rule=rules[0], dtstart=None, zone_name=None)
    zone_name, local, utc = starts[0].groups()
    return _RruleText(rule=rules[0], dtstart=local, zone_name="UTC" if utc else zone_name)


_REFUSED_LINES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "DTSTART": "write DTSTART;TZID=Asia/Taipei:20260301T090000",
        "EXRULE": "excluding rules were removed from RFC 5545 and are not supported",
        "EXDATE": "excluded dates are not supported yet",
        "RDATE": "extra dates are not supported yet",
        "DTEND": "a slot has no end",
        "DURATION": "a slot has no end",
    }
)

_OFFSET: Final = re.compile(r"(.+?)(Z|[+-](?:0[0-9]|1[0-5]):[0-5][0-9])", re.ASCII)


def _read_cron(text: str, seconds_first: bool, seed: str | None) -> CronRule:
    found = Faults(faults.CRON)
    # As written: columns are those of the user's own text, before H is resolved.
    cron.parse(text, found, seconds_first=seconds_first, may_spread=True)
    found.raise_if_any()
    plain = " ".join(text.split())
    if not cron_spread.uses_spread(plain):
        return CronRule(text=plain, seconds_first=seconds_first)
    if seed is None:
        message = "H is a value of each automation's own, and here is none"
        raise refusal(faults.CRON, message, "write a number; `duly diff` shows what H becomes")
    return CronRule(text=cron_spread.resolved(plain, seed), seconds_first=seconds_first)


def _read_once(text: str) -> OnceLocal | OnceInstant:
    match = _OFFSET.fullmatch(text.strip())
    local = parse_local(match[1] if match else text.strip())
    if local is None:
        # The rule's own compilation says what is wrong with it.
        return OnceLocal(local=text.strip())
    if match is None:
        return OnceLocal(local=local_text(local))
    return OnceInstant(due_at=from_datetime(datetime.fromisoformat(local_text(local) + match[2])))
