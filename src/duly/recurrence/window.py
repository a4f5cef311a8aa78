"""Windows: the business period that a slot's work is for, and the span of the world that the work reads.

The span never reaches past the slot's due instant, or past the moment at which somebody asked for the run.
"""

from dataclasses import dataclass
from typing import Final, assert_never

from duly.model.instant import SECOND_US, Instant
from duly.model.timing import Covers, Period, StrftimePeriod, Window, WindowRule
from duly.model.zone import Zone
from duly.recurrence.faults import PartError, refusal, shown
from duly.recurrence.local_time import parse_local
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Slot
from duly.recurrence.source import OneTime
from duly.recurrence.window_key import (
    NAMINGS,
    Naming,
    end_of,
    key_at,
    naming_of,
    parse_key,
    parse_slot_key,
    slot_window_key,
    start_of,
)
from duly.recurrence.zone import second_of

_PERIOD: Final = "/window/period"
_KEY: Final = "/window_key"

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What every question about windows needs; no schedule: nothing but people and events start runs."""

    covers: Covers
    naming: Naming | None
    zone: Zone
    schedule: Schedule | None


def window_of(rule: WindowRule, slot: Slot, schedule: Schedule) -> Window:
    """Return the window of a slot of a schedule."""
    return _window_at(_view(rule, schedule.zone, schedule), slot.due_at // SECOND_US)


def current_window(
    rule: WindowRule, at: Instant, zone: Zone, schedule: Schedule | None, name: str
) -> Window:
    """Return the window of a run that was asked for at `at` without naming one.

    A `once` rule has its slot's window only. With period `slot` the run has a window of its own, called `name`.
    """
    view, now = _view(rule, zone, schedule), at // SECOND_US
    if schedule is not None and isinstance(schedule.source, OneTime):
        return _read_until(_window_at(view, schedule.source.second), at)
    if view.naming is None:
        return _window(name, _slot_span(view, now))
    return _window(key_at(view.naming, now, zone), _span(view, view.naming, now, now))


def named_window(
    rule: WindowRule, key: str, at: Instant, zone: Zone, schedule: Schedule | None
) -> Window:
    """Return the past or current window of a key that a person gave.

    Raises ValidationError when the key names no window of the rule, or one that has not begun at `at`.
    """
    view, now = _view(rule, zone, schedule), at // SECOND_US
    if schedule is not None and isinstance(schedule.source, OneTime):
        return _only_window(view, key, at, schedule.source.second)
    if view.naming is None:
        return _window_at(view, _named_slot(key, now, zone, schedule))
    try:
        start = parse_key(view.naming, key, zone)
    except PartError as error:
        raise refusal(_KEY, error.message, error.fix) from None
    if start > now:
        current = key_at(view.naming, now, zone)
        raise refusal(_KEY, f"window {key} has not begun", f"the current window is {current}")
    end = min(end_of(view.naming, start, zone), now)
    return _window(key, _past_span(view, view.naming, start, end))


def check_window(rule: WindowRule) -> None:
    """Raise ValidationError when a strftime pattern does not name one period by each key."""
    _naming(rule.period)


def _view(rule: WindowRule, zone: Zone, schedule: Schedule | None) -> _View:
    naming = _naming(rule.period)
    return _View(covers=rule.covers, naming=naming, zone=zone, schedule=schedule)


def _naming(period: Period | StrftimePeriod) -> Naming | None:
    if isinstance(period, Period):
        return NAMINGS.get(period)
    try:
        return naming_of(period)
    except PartError as error:
        raise refusal(_PERIOD, error.message, error.fix) from None


def _window_at(view: _View, due: int) -> Window:
    if view.naming is None:
        return _window(slot_window_key(due), _slot_span(view, due))
    return _window(key_at(view.naming, due, view.zone), _span(view, view.naming, due, due))


def _span(view: _View, naming: Naming, second: int, until: int) -> Span:
    """Return what is read for the period that holds a second, up to `until`."""
    match view.covers:
        case Covers.CURRENT:
            start = start_of(naming, second, view.zone)
            return start, min(end_of(naming, second, view.zone), until)
        case Covers.PREVIOUS:
            start = start_of(naming, second, view.zone)
            return start_of(naming, start - 1, view.zone), start
        case Covers.SINCE_LAST_SLOT:
            return _slot_before(view, until), until
        case _:
            assert_never(view.covers)


def _past_span(view: _View, naming: Naming, start: int, end: int) -> Span:
    """Return the span of a window without a slot at hand: as its last slot would read it, if it has one."""
    if view.covers is not Covers.SINCE_LAST_SLOT:
        return _span(view, naming, start, end)
    last = _prev(view, end + 1)
    if last is None or last < start:
        return start, end
    return _slot_before(view, last), last


def _slot_span(view: _View, due: int) -> Span:
    """Return the span of period `slot`: a slot's period is the time since the slot before it."""
    last = _slot_before(view, due)
    return (_slot_before(view, last), last) if view.covers is Covers.PREVIOUS else (last, due)


def _slot_before(view: _View, second: int) -> int:
    """Return the last slot before a second.

    Without one: as far back as the next two slots lie apart, else the beginning of the local day.
    """
    last = _prev(view, second)
    if last is not None:
        return last
    first = _next(view, second - 1)
    following = None if first is None else _next(view, first)
    if first is not None and following is not None:
        return second - (following - first)
    return start_of(NAMINGS[Period.DAY], second - 1, view.zone)


def _prev(view: _View, before: int) -> int | None:
    if view.schedule is None:
        return None
    answer = view.schedule.prev(Instant(before * SECOND_US))
    return answer.due_at // SECOND_US if isinstance(answer, Slot) else None


def _next(view: _View, after: int) -> int | None:
    if view.schedule is None:
        return None
    answer = view.schedule.next(Instant(after * SECOND_US))
    return answer.due_at // SECOND_US if isinstance(answer, Slot) else None


def _only_window(view: _View, key: str, at: Instant, due: int) -> Window:
    window = _window_at(view, due)
    if key != window.key:
        raise refusal(_KEY, f"{shown(key)} is not the window of this rule", f"write {window.key}")
    return _read_until(window, at)


def _named_slot(key: str, now: int, zone: Zone, schedule: Schedule | None) -> int:
    if schedule is None:
        raise refusal(_KEY, "without a schedule there are no slots to name", "leave the window out")
    local = parse_local(key)
    second = parse_slot_key(key) if local is None else second_of(local, zone)
    before = schedule.prev(Instant((now + 1) * SECOND_US))
    fix = (
        f"the last slot's window is {slot_window_key(before.due_at // SECOND_US)}"
        if isinstance(before, Slot)
        else "no slot has passed yet"
    )
    if second is None or second > now:
        raise refusal(_KEY, f"{shown(key)} names no slot that has passed", fix)
    at = Instant(second * SECOND_US)
    if not schedule.between(Instant(at - 1), at, 1).slots:
        raise refusal(_KEY, f"the rule has no slot at {key}", fix)
    return second


def _read_until(window: Window, at: Instant) -> Window:
    end = min(window.span_end, at)
    return Window(key=window.key, span_start=min(window.span_start, end), span_end=end)


def _window(key: str, span: Span) -> Window:
    start, end = span
    return Window(
        key=key,
        span_start=Instant(min(start, end) * SECOND_US),
        span_end=Instant(end * SECOND_US),
    )
