"""From a document to `Timing`: when it is due, which window a slot is for, how slots are answered."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from duly.model.errors import ValidationError
from duly.model.instant import Instant, from_datetime
from duly.model.plan import (
    CatchUp,
    CatchUpBounded,
    CatchUpLatest,
    CatchUpNone,
    Overlap,
    OverlapAllow,
    OverlapQueueOne,
    OverlapSkip,
    Timing,
)
from duly.model.timing import AnchorClass, Covers, Period, RuleSpec, StrftimePeriod, WindowRule
from duly.model.zone import Zone
from duly.recurrence import window
from duly.recurrence.default_period import default_period
from duly.recurrence.read import named_zone, read_rule
from duly.recurrence.schedule import Schedule, compile_rule
from duly.recurrence.slot import Mark
from duly.recurrence.surprises import surprises
from duly.recurrence.zone import resolve
from duly.service.definition import document as d
from duly.service.definition import duration
from duly.service.definition.context import Findings, PlanContext
from duly.service.definition.work_plan import START_US

Value = TypeVar("Value")
DEFAULT_VERSION: Final = "0"
_SHOWN_MAX: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A timing, and the schedule it stands for; None: manual runs only, or faults were found."""

    timing: Timing
    schedule: Schedule | None


def timing_of(document: d.Document, context: PlanContext, findings: Findings) -> Timed | None:
    """Return the timing part of a plan; None when faults keep it from being made."""
    schedule = document.schedule or d.Schedule()
    named = schedule.model_dump(exclude_none=True)
    zone = _tried(
        findings,
        lambda: context.load_zone(named_zone(named) or context.zone),
        "/schedule/timezone",
    )
    if zone is None:
        return None
    rule = _rule(document, zone, context, findings)
    compiled = None if rule is None else _tried(findings, lambda: compile_rule(rule, zone), "")
    is_broken = rule is not None and compiled is None
    if findings.faults and is_broken:
        return None
    timing = Timing(
        rule=rule,
        zone=zone.name,
        anchor=None if compiled is None else compiled.anchor,
        window=_window(document.window or d.Window(), compiled, context, findings),
        overlap=_overlap(document),
        catch_up=_catch_up(document),
        valid_from=_bound(document.valid_from, "/valid_from", zone, findings),
        valid_until=_bound(document.valid_until, "/valid_until", zone, findings),
        late_us_max=_tolerance(schedule, context, findings),
        start_us_max=_start_us(document),
        queue_us_max=duration.read(document.deadline) if document.deadline else None,
        priority=document.priority or 0,
        input_version=_input_version(document),
    )
    _check_bounds(timing, findings)
    if compiled is not None and _is_new_rule(timing, context):
        _warn_of_surprises(compiled, context.planned_at, findings)
    return Timed(timing=timing, schedule=compiled)


def _rule(
    document: d.Document, zone: Zone, context: PlanContext, findings: Findings
) -> RuleSpec | None:
    schedule, job_key = document.schedule or d.Schedule(), document.job_key
    given = [name for name in ("rrule", "cron", "once") if getattr(schedule, name) is not None]
    if not given:
        return None
    if len(given) > 1:
        findings.fault("/schedule", f"gives {' and '.join(given)}", "keep exactly one")
        return None
    previous = None if context.previous is None else context.previous.timing.rule
    fields = schedule.model_dump(exclude_none=True)

    def read() -> RuleSpec:
        return read_rule(
            fields, zone=zone, created_at=context.planned_at, previous=previous, seed=job_key
        )

    return _tried(findings, read, "/schedule")


def _tried(findings: Findings, make: Callable[[], Value], below: str) -> Value | None:
    """Return what `make` makes; its faults become findings."""
    try:
        return make()
    except ValidationError as error:
        for fault in error.faults:
            findings.fault(fault.pointer or below, fault.message, fault.fix)
        return None


def _window(
    chosen: d.Window, schedule: Schedule | None, context: PlanContext, findings: Findings
) -> WindowRule:
    """The default period follows the rule at creation; edits keep it, so that window names keep their meaning."""
    covers = Covers(chosen.covers or "current")
    if chosen.period is not None:
        rule = WindowRule(period=_period(chosen.period), covers=covers)
        _tried(findings, lambda: window.check_window(rule), "/window/period")
        return rule
    if context.previous is not None:
        return WindowRule(period=context.previous.timing.window.period, covers=covers)
    period = Period.DAY if schedule is None else default_period(schedule)
    return WindowRule(period=period, covers=covers)


def _period(text: str) -> Period | StrftimePeriod:
    named = {period.value: period for period in Period}
    return named.get(text) or StrftimePeriod(pattern=text)


def _overlap(document: d.Document) -> Overlap:
    match document.overlap:
        case d.Allow(allow=count):
            return OverlapAllow(count=count)
        case "queue_one":
            return OverlapQueueOne()
        case _:
            return OverlapSkip()


def _catch_up(document: d.Document) -> CatchUp:
    match document.catch_up:
        case d.Bounded(bounded=options):
            return CatchUpBounded(count=options.count, age_us_max=duration.read(options.max_age))
        case d.Latest(latest=options):
            return CatchUpLatest(age_us_max=duration.read(options.max_age))
        case "latest":
            return CatchUpLatest(age_us_max=None)
        case _:
            return CatchUpNone()


def _bound(text: str | None, pointer: str, zone: Zone, findings: Findings) -> Instant | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        findings.fault(
            pointer, f"{text!r} is not a time", "write 2026-12-24, or 2026-12-24T18:00:00"
        )
        return None
    return resolve(moment, zone) if moment.tzinfo is None else from_datetime(moment)


def _check_bounds(timing: Timing, findings: Findings) -> None:
    if timing.valid_from is None or timing.valid_until is None:
        return
    if timing.valid_until <= timing.valid_from:
        findings.fault("/valid_until", "is not after `valid_from`", "correct one of them")


def _is_new_rule(timing: Timing, context: PlanContext) -> bool:
    before = context.previous
    return before is None or (before.timing.rule, before.timing.zone) != (timing.rule, timing.zone)


def _warn_of_surprises(schedule: Schedule, at: Instant, findings: Findings) -> None:
    """Say which slots near the next two clock changes do not fire as their local time reads."""
    odd = surprises(schedule, at)
    moved = [slot.local for slot in odd if Mark.MOVED_BY_GAP in slot.marks]
    twice = [slot.local for slot in odd if Mark.MOVED_BY_GAP not in slot.marks]
    if moved:
        message = f"names local times that a clock change skips; these slots fire at {_few(moved)}"
        findings.warn("/schedule", message, "choose another time of day, if that is not meant")
    if twice and schedule.anchor is AnchorClass.WALL:
        message = f"names local times that happen twice; only the first fires: {_few(twice)}"
        findings.warn("/schedule", message, "choose another time of day, if that is not meant")


def _few(texts: list[str]) -> str:
    more = len(texts) - _SHOWN_MAX
    return ", ".join(texts[:_SHOWN_MAX]) + (f" and {more} more" if more > 0 else "")


def _tolerance(schedule: d.Schedule, context: PlanContext, findings: Findings) -> int:
    if schedule.tolerance is None:
        return context.tolerance_us
    tolerance_us = duration.read(schedule.tolerance)
    if tolerance_us < context.tolerance_us_min:
        smallest = duration.write(context.tolerance_us_min)
        findings.fault(
            "/schedule/tolerance",
            "is shorter than the time between two scans, so a healthy service would miss slots",
            f"write {smallest} or more",
        )
    return tolerance_us


def _start_us(document: d.Document) -> int:
    timeouts = document.agent.timeouts
    return duration.read(timeouts.start) if timeouts and timeouts.start else START_US


def _input_version(document: d.Document) -> str:
    version = document.inputs.version if document.inputs else None
    return version or DEFAULT_VERSION
