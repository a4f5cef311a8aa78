"""Explain: why did it run, why did it not, will it run; in sentences, with the facts beside them."""

from dataclasses import dataclass
from typing import Any

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.instant import Instant
from duly.model.occurrence import Occurrence
from duly.model.states import AutomationState, Disposition, Trigger
from duly.model.timing import WindowRule
from duly.model.zone import Zone
from duly.policy import explain as sentences
from duly.recurrence import watermark, window
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Slot
from duly.service import names, text
from duly.service.desk import Desk
from duly.service.queries import endings, reading
from duly.service.registry import Answer, Operation, Request, query
from duly.service.views import (
    KnownRun,
    OccurrenceView,
    RunView,
    occurrence_view,
    reason_of,
    run_view,
    why_of,
)


class Explain(Request):
    """An automation, and the instant to explain; without one, now. A local time is read in its zone."""

    job_key: str
    at: str | None = None


class Explanation(Answer):
    """Sentences for people, and what they rest on."""

    job_key: str
    at: str
    sentences: list[str]
    occurrence: OccurrenceView | None
    run: RunView | None
    next_run: str | None


def explain(desk: Desk, asked: Explain) -> Explanation:
    """Say what became, or becomes, of the slot nearest to an instant."""
    return desk.ledger.read(_explain, (desk, asked))


def _explain(tx: Tx, question: tuple[Desk, Explain]) -> Explanation:
    desk, asked = question
    known = reading.known_automation(tx, asked.job_key)
    schedule, zone = reading.schedule_of(known.timing, desk.zones)
    at = text.parse(asked.at, "/at", zone) if asked.at else tx.at
    slot = None if schedule is None else _slot_at(schedule, at)
    occurrence = _occurrence(tx, known.automation, slot, at)
    run_id = None if occurrence is None else occurrence.run_id
    run = None if run_id is None else endings.known(tx, reading.known_run(tx, run_id).run)
    about = _Asked(
        automation=known.automation,
        slot=slot,
        occurrence=occurrence,
        zone=zone,
        schedule=schedule,
        window=known.timing.window,
        at=tx.at,
    )
    lines = [
        *_about_state(known.automation),
        *_about_slot(about),
        *([] if run is None else _about_run("Its run", run)),
        *_about_newest(tx, known.automation, run_id),
        *_about_waiting(tx, known.automation),
        _about_next(known.automation, schedule, zone, tx.at),
    ]
    return Explanation(
        job_key=asked.job_key,
        at=text.local(at, zone) or "",
        sentences=lines,
        occurrence=None if occurrence is None else occurrence_view(occurrence, None),
        run=None if run is None else run_view(run),
        next_run=text.local(known.automation.next_due, zone),
    )


def _slot_at(schedule: Schedule, at: Instant) -> Slot | None:
    """Return the slot that is due at the instant, or the last one before it."""
    found = schedule.prev(Instant(at + 1))
    return found if isinstance(found, Slot) else None


def _occurrence(
    tx: Tx, automation: Automation, slot: Slot | None, at: Instant
) -> Occurrence | None:
    if slot is not None:
        found = tx.occurrence(automation.automation_id, f"slot:{slot.key}")
        return found or tx.occurrence_covering(automation.automation_id, slot.due_at)
    return tx.occurrence_covering(automation.automation_id, at)


def _about_state(automation: Automation) -> list[str]:
    if automation.state is AutomationState.ACTIVE:
        return []
    why = why_of(automation.state_reason)
    because = f": {why}" if why else ""
    since = text.stamp(automation.state_since)
    return [f"It has been {automation.state.value} since {since}{because}."]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The slot that is asked about, and what is known of it now."""

    automation: Automation
    slot: Slot | None
    occurrence: Occurrence | None
    zone: Zone
    schedule: Schedule | None
    window: WindowRule
    at: Instant


def _about_slot(asked: _Asked) -> list[str]:
    slot, occurrence = asked.slot, asked.occurrence
    if slot is None:
        return ["Its rule names no slot at or before that time."]
    named = f"The slot {text.local(slot.due_at, asked.zone)}"
    if occurrence is None:
        return [f"{named} {_why_no_answer(asked, slot)}."]
    late = f" {(occurrence.at - slot.due_at) // 1_000_000} s after it was due"
    said = f"{named} was {occurrence.disposition.value}{late}"
    if occurrence.slot_count > 1:
        said += f", with {occurrence.slot_count} slots in all"
    return [f"{said}{_because(occurrence)}.", *_next_step(asked, occurrence)]


def _why_no_answer(asked: _Asked, slot: Slot) -> str:
    automation = asked.automation
    if slot.due_at > asked.at:
        return "is still to come"
    if slot.due_at < automation.created_at:
        return (
            f"is older than the automation, which was made at {text.stamp(automation.created_at)}"
        )
    if watermark.covers(automation.mark, slot, asked.zone):
        return "lies before the last change of its rule, and was none of the old one's"
    if automation.state is not AutomationState.ACTIVE:
        return f"does not fire, because the automation is {automation.state.value}"
    return "is due, and nothing has looked since: `duly doctor` says why"


def _about_run(what: str, known: KnownRun) -> list[str]:
    view = run_view(known)
    said = f"{what} {names.short(view.id)}, window {names.window(view.window_key)}: {view.words}."
    return [said, view.next_step] if view.next_step else [said]


def _about_newest(tx: Tx, automation: Automation, told: str | None) -> list[str]:
    """Tell of the newest run where it is another one: somebody may have asked for it by hand."""
    newest = tx.newest_runs([automation.automation_id])
    if not newest or newest[0].run_id == told:
        return []
    known = endings.known(tx, newest[0])
    asked = "asked for by hand " if known.pin.cause is Trigger.MANUAL else ""
    return _about_run(f"The newest run, {asked}at {text.stamp(newest[0].created_at)}:", known)


def _because(occurrence: Occurrence) -> str:
    why = why_of(occurrence.reason)
    is_plain = occurrence.disposition is Disposition.STARTED
    return f", because {why}" if why and not is_plain else ""


def _next_step(asked: _Asked, occurrence: Occurrence) -> list[str]:
    reason = reason_of(occurrence.reason)
    step = "" if reason is None else sentences.explain(reason).next_step
    key = occurrence.window_key or _newest_window(asked, occurrence)
    named = names.named(step, asked.automation.job_key, key, occurrence.run_id)
    return [named] if step else []


def _newest_window(asked: _Asked, occurrence: Occurrence) -> str | None:
    """Return the window of a missed range's newest slot, as the rule in force names it; None: it names no such slot."""
    due_at = occurrence.last_due_at or occurrence.due_at
    if asked.schedule is None or due_at is None:
        return None
    slot = _slot_at(asked.schedule, due_at)
    if slot is None or slot.due_at != due_at:
        return None
    return window.window_of(asked.window, slot, asked.schedule).key


def _about_waiting(tx: Tx, automation: Automation) -> list[str]:
    waiting = [run for run in tx.open_runs(automation.automation_id) if run.wait_reason is not None]
    return [
        f"The run {names.short(run.run_id)} waits{_since(run.wait_since)}: {why_of(run.wait_reason)}."
        for run in waiting
    ]


def _since(at: Instant | None) -> str:
    return "" if at is None else f" since {text.stamp(at)}"


def _about_next(automation: Automation, schedule: Schedule | None, zone: Zone, at: Instant) -> str:
    if schedule is None:
        return "It has no schedule: it runs only when somebody asks."
    if automation.next_due is not None:
        return f"It runs next at {text.local(automation.next_due, zone)} ({zone.name})."
    upcoming = schedule.next(at)
    if not isinstance(upcoming, Slot):
        return "Its rule names no further slot."
    return (
        f"Its rule names {text.local(upcoming.due_at, zone)}, but it is {automation.state.value}."
    )


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("explain", "say why something ran, did not, or will", Explain, Explanation, explain),
)
