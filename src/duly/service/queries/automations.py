"""Automations as people look at them: list, show, next slots, export."""

from typing import Any

from pydantic import Field

from duly.ledger.api.runs import RunFilter
from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.instant import Instant
from duly.model.run import Run
from duly.model.states import AutomationState
from duly.service import text
from duly.service.definition.normal import as_written
from duly.service.desk import WORKSPACE, Desk
from duly.service.queries import endings, reading
from duly.service.queries.reading import Known
from duly.service.registry import Answer, Operation, Request, query
from duly.service.slots import coming
from duly.service.views import (
    AutomationView,
    KnownEnding,
    OccurrenceView,
    RunView,
    SlotView,
    automation_view,
    occurrence_view,
)

PAGE_MAX = 500


class ListAutomations(Request):
    """Which automations to list, in order of job_key."""

    after: str = ""
    limit: int = Field(default=100, ge=1, le=PAGE_MAX)
    deleted: bool = False


class AutomationList(Answer):
    """A page of automations; `next_after` continues it."""

    automations: list[AutomationView]
    next_after: str | None


class NameAutomation(Request):
    """One automation by its job_key."""

    job_key: str


class RevisionView(Answer):
    """One revision."""

    number: int
    digest: str
    actor: str
    created_at: str


class AutomationDetail(Answer):
    """Everything about one automation."""

    automation: AutomationView
    definition: dict[str, Any]
    digest: str
    watermark: str
    next_slots: list[SlotView]
    revisions: list[RevisionView]
    runs: list[RunView]
    occurrences: list[OccurrenceView]
    paths: list[str]


class NextSlots(Request):
    """How many coming slots of one automation."""

    job_key: str
    count: int = Field(default=10, ge=1, le=1000)


class SlotList(Answer):
    """Coming slots, soonest first; `is_complete`: there are no more."""

    job_key: str
    timezone: str
    slots: list[SlotView]
    is_complete: bool


class Export(Answer):
    """A definition as it was written."""

    job_key: str
    revision: int
    definition: dict[str, Any]


def list_automations(desk: Desk, asked: ListAutomations) -> AutomationList:
    """List automations; reading answers no slot and changes nothing."""
    return desk.ledger.read(_list, (desk, asked))


def _list(tx: Tx, question: tuple[Desk, ListAutomations]) -> AutomationList:
    desk, asked = question
    page = tx.automations(WORKSPACE, asked.after, asked.limit + 1)
    shown = [one for one in page[: asked.limit] if asked.deleted or not _is_deleted(one)]
    runs = tx.newest_runs([a.automation_id for a in shown])
    newest = {run.automation_id: endings.ending(tx, run) for run in runs}
    return AutomationList(
        automations=[
            _view(desk, reading.with_revision(tx, a), newest.get(a.automation_id)) for a in shown
        ],
        next_after=page[asked.limit - 1].job_key if len(page) > asked.limit else None,
    )


def _is_deleted(automation: Automation) -> bool:
    return automation.state is AutomationState.DELETED


def _view(desk: Desk, known: Known, newest: KnownEnding | None) -> AutomationView:
    zone = desk.zones.load(known.timing.zone)
    return automation_view(known.automation, known.written, newest, zone)


def show_automation(desk: Desk, asked: NameAutomation) -> AutomationDetail:
    """Show one automation with its next slots, revisions, newest runs and answers."""
    return desk.ledger.read(_show, (desk, asked.job_key))


def _show(tx: Tx, question: tuple[Desk, str]) -> AutomationDetail:
    desk, job_key = question
    known = reading.known_automation(tx, job_key)
    automation_id = known.automation.automation_id
    newest = tx.newest_runs([automation_id])
    return AutomationDetail(
        automation=_view(desk, known, endings.ending(tx, newest[0]) if newest else None),
        definition=known.written,
        digest=known.revision.digest,
        watermark=known.automation.mark.slot_key,
        next_slots=_slots(desk, known, 5, tx.at)[0],
        revisions=[
            RevisionView(
                number=revision.number,
                digest=revision.digest,
                actor=revision.actor,
                created_at=text.utc(revision.created_at) or "",
            )
            for revision in tx.revisions(automation_id)
        ],
        runs=[endings.view(tx, run) for run in _newest_runs(tx, known.automation)],
        occurrences=[
            occurrence_view(one, None) for one in tx.occurrences(automation_id, tx.at, 10)
        ],
        paths=tx.paths_of(automation_id),
    )


def _newest_runs(tx: Tx, automation: Automation) -> list[Run]:
    return tx.runs(RunFilter(automation_id=automation.automation_id, limit=10))


def next_slots(desk: Desk, asked: NextSlots) -> SlotList:
    """Return what a rule names next; a paused automation's slots are named too, though they will not fire."""
    known = desk.ledger.read(reading.known_automation, asked.job_key)
    slots, is_complete = _slots(desk, known, asked.count, desk.clock())
    return SlotList(
        job_key=asked.job_key, timezone=known.timing.zone, slots=slots, is_complete=is_complete
    )


def _slots(desk: Desk, known: Known, count: int, at: Instant) -> tuple[list[SlotView], bool]:
    schedule, _ = reading.schedule_of(known.timing, desk.zones)
    return coming(schedule, at, count)


def export(desk: Desk, asked: NameAutomation) -> Export:
    """Return the definition in force, in the form that `apply` takes."""
    known = desk.ledger.read(reading.known_automation, asked.job_key)
    return Export(
        job_key=asked.job_key,
        revision=known.automation.revision,
        definition=as_written(known.written),
    )


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("automation.list", "list automations", ListAutomations, AutomationList, list_automations),
    query(
        "automation.show", "show one automation", NameAutomation, AutomationDetail, show_automation
    ),
    query("automation.next", "name the coming slots", NextSlots, SlotList, next_slots),
    query("automation.export", "return a definition as written", NameAutomation, Export, export),
)
