"""Admission by time: every due slot gets exactly one answer, and the watermark moves over it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from duly.ledger.api.tx import Tx
from duly.model.automation import DueAutomation
from duly.model.errors import VersionConflictError
from duly.model.ids import AutomationId, RunId
from duly.model.instant import Instant
from duly.model.plan import Timing
from duly.model.states import Disposition, Trigger
from duly.model.timing import Watermark, Window
from duly.policy import admission
from duly.policy.admission import LISTED_MAX, DueSlots, MissedRange, SlotAnswer, Works
from duly.policy.catch_up import LateSlot
from duly.policy.notify import NoticeKind
from duly.recurrence import watermark
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Backlog, BeyondHorizon, Exhausted, Slot
from duly.recurrence.window import window_of
from duly.recurrence.work import WorkBudgetExceededError
from duly.transactions import alarm
from duly.transactions.alarm import News
from duly.transactions.plans import Zones, is_once, schedule_of, timing_of
from duly.transactions.slots import (
    Answered,
    NewRun,
    add_range,
    add_run,
    add_slot,
    mark_body,
    newest,
)
from duly.transactions.standing import NOBODY, Standing, standing
from duly.transactions.suspension import Failed, is_own_fault, suspend_failed

_ACTOR: Final = "scanner"

# Due automations are read a few at a time: a busy machine may find time for no more in one transaction.
_PAGE: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitDue:
    """Answer the due slots of up to `limit` automations, longest due first."""

    limit: int
    zones: Zones


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """What one admission did. `failed` automations were suspended, `lost` ones were answered by somebody else.

    `is_more`: automations are due still. `next_due`: the earliest due instant now.
    """

    automations: int
    runs: int
    next_due: Instant | None
    failed: int
    is_more: bool
    lost: int = 0


def admit_due(tx: Tx, command: AdmitDue) -> Admitted:
    """Answer due slots, as many automations as the transaction has time for; one that fails is suspended, alone."""
    tally = _Tally()
    while tally.automations < command.limit and (tally.automations == 0 or tx.has_time()):
        page = tx.due_automations(min(_PAGE, command.limit - tally.automations))
        lost = tally.lost
        _admit_page(tx, page, command.zones, tally)
        # What somebody else answered stays on the list of an old snapshot: do not turn in circles.
        if len(page) < _PAGE or tally.lost - lost == len(page):
            break
    next_due = tx.next_due()
    return Admitted(
        automations=tally.automations,
        runs=tally.runs,
        next_due=next_due,
        failed=tally.failed,
        is_more=tally.automations > tally.lost and next_due is not None and next_due <= tx.at,
        lost=tally.lost,
    )


class _Tally:
    """What one admission has done so far; it counts up."""

    __slots__ = ("automations", "failed", "lost", "runs")

    def __init__(self) -> None:
        self.automations = self.runs = self.failed = self.lost = 0


def _admit_page(tx: Tx, page: list[DueAutomation], zones: Zones, tally: _Tally) -> None:
    for automation in page:
        if tally.automations and not tx.has_time():
            return
        tally.automations += 1
        failures: list[Exception] = []
        with tx.part(failures):
            tally.runs += answer_due(tx, automation, zones).runs
        for failure in failures:
            is_lost = isinstance(failure, VersionConflictError)
            tally.lost += is_lost
            tally.failed += not is_lost
            if not is_lost:
                _suspend(tx, automation, failure)


def _suspend(tx: Tx, due: DueAutomation, failure: Exception) -> None:
    if not is_own_fault(failure):
        raise failure
    failed = Failed(automation_id=due.automation_id, failure=failure, actor=_ACTOR)
    suspend_failed(tx, failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredDue:
    """How many runs an automation's due slots made, and where its watermark stands now."""

    runs: int
    mark: Watermark
    next_due: Instant | None


def answer_due(tx: Tx, due: DueAutomation, zones: Zones) -> AnsweredDue:
    """Answer every due slot of one automation.

    Raises VersionConflictError when somebody else answered, ZoneUnknownError, WorkBudgetExceededError.
    """
    timing = timing_of(due.timing)
    schedule = schedule_of(timing, zones)
    if schedule is None:
        return _advance(tx, due, None, due.mark)
    found = watermark.backlog(schedule, due.mark, tx.at, LISTED_MAX)
    if not found.newest:
        return _advance(tx, due, schedule, due.mark)
    mark = watermark.of_slot(found.newest[-1], schedule.zone.name)
    if is_answered_once(tx, due, timing, found.newest[-1]):
        return _advance(tx, due, schedule, mark)
    slots = due_slots(found)
    case = _case_of(tx, due, (timing, schedule, zones), slots, found.newest)
    plan = admission.plan_slots(timing, slots, case.standing.facts, tx.at, case.works)
    entries = [_record(tx, case, answer) for answer in plan]
    answered = _advance(tx, due, schedule, mark, runs=case.made.count)
    _audit(tx, due, answered, entries)
    if isinstance(plan[0], MissedRange):
        tell_missed(tx, due.automation_id, plan[0])
    return answered


def is_answered_once(tx: Tx, due: DueAutomation, timing: Timing, slot: Slot) -> bool:
    """Say whether the slot of a `once` was answered ahead of its time, by a run that somebody asked for."""
    return is_once(timing) and tx.occurrence(due.automation_id, f"slot:{slot.key}") is not None


def next_due_of(schedule: Schedule | None, mark: Watermark, at: Instant) -> Instant | None:
    """Return when the first slot behind a watermark is due; None: never.

    Raises WorkBudgetExceededError for a rule that fires too seldom to be searched.
    """
    if schedule is None:
        return None
    following = watermark.next_uncovered(schedule, mark)
    match following:
        case Slot(due_at=due_at):
            return due_at
        case Exhausted():
            return None
        case BeyondHorizon(cursor=cursor) if cursor > at:
            return cursor
        case BeyondHorizon(cursor=cursor):
            raise WorkBudgetExceededError(cursor)


def _advance(
    tx: Tx, due: DueAutomation, schedule: Schedule | None, mark: Watermark, *, runs: int = 0
) -> AnsweredDue:
    next_due = next_due_of(schedule, mark, tx.at)
    if not tx.record_mark(due, mark, next_due):
        raise VersionConflictError(f"automation {due.automation_id} was answered in between")
    return AnsweredDue(runs=runs, mark=mark, next_due=next_due)


class _Made:
    """The runs of one admission as they are made: the newest by window, and the last that a caught-up slot made."""

    __slots__ = ("chain", "count", "of")

    def __init__(self, existing: Mapping[str, RunId]) -> None:
        self.of = dict(existing)
        self.chain: RunId | None = None
        self.count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One automation's due slots, with all that their answers need. `windows` are found by slot key."""

    due: DueAutomation
    timing: Timing
    windows: Mapping[str, Window]
    works: Works
    standing: Standing
    made: _Made


def due_slots(found: Backlog) -> DueSlots:
    """Return what the recurrence found as admission's policy reads it; at least one slot."""
    newest = tuple(LateSlot(key=slot.key, due_at=slot.due_at) for slot in found.newest)
    assert found.first is not None
    first = LateSlot(key=found.first.key, due_at=found.first.due_at)
    return DueSlots(count=found.count, newest=newest, first=first)


def _case_of(
    tx: Tx,
    due: DueAutomation,
    plan: tuple[Timing, Schedule, Zones],
    slots: DueSlots,
    listed: Sequence[Slot],
) -> _Case:
    """Name the work of every slot that may fire, and find the runs that stand before it."""
    timing, schedule, zones = plan
    wanted = {slot.key for slot in admission.wanted(timing, slots, tx.at)}
    windows = {
        slot.key: window_of(timing.window, slot, schedule) for slot in listed if slot.key in wanted
    }
    keys = {slot: window.key for slot, window in windows.items()}
    runs: dict[str, RunId] = {}
    for key in set(keys.values()):
        last = newest(tx.runs_of_window(due.automation_id, key))
        if last is not None:
            runs[key] = last.run_id
    is_free = all(key in runs for key in keys.values())
    return _Case(
        due=due,
        timing=timing,
        windows=windows,
        works=Works(of=keys, existing=frozenset(runs)),
        standing=NOBODY if is_free else standing(tx, due.automation_id, zones),
        made=_Made(runs),
    )


def _record(tx: Tx, case: _Case, answer: MissedRange | SlotAnswer) -> dict[str, Any]:
    if isinstance(answer, MissedRange):
        answered = Answered(
            automation_id=case.due.automation_id,
            revision=case.due.revision,
            disposition=Disposition.MISSED,
            reason=answer.reason,
        )
        return add_range(tx, answer, answered)
    window = case.windows[answer.slot.key]
    answered = Answered(
        automation_id=case.due.automation_id,
        revision=case.due.revision,
        disposition=answer.disposition,
        reason=answer.reason,
        run_id=_run_of(tx, case, answer, window),
        window_key=window.key,
    )
    return add_slot(tx, answer.slot, answered)


def _run_of(tx: Tx, case: _Case, answer: SlotAnswer, window: Window) -> RunId | None:
    """Return the run of a slot, having made it where the answer says so."""
    if answer.disposition is Disposition.JOINED:
        tx.wake("joined")
        return case.made.of[window.key]
    if answer.disposition not in (Disposition.STARTED, Disposition.QUEUED):
        return None
    new = NewRun(
        automation_id=case.due.automation_id,
        workspace_id=case.due.workspace_id,
        revision=case.due.revision,
        timing=case.timing,
        window=window,
        input_version=case.timing.input_version,
        cause=Trigger.TIMER,
        actor=_ACTOR,
        reason=answer.reason,
        slot=answer.slot,
        is_caught_up=answer.caught_up,
        is_waiting=answer.is_waiting,
        behind=case.made.chain if answer.chained else None,
    )
    run_id = case.made.of[window.key] = add_run(tx, new)
    case.made.count += 1
    if answer.caught_up:
        case.made.chain = run_id
    # A waiting run may find its predecessor gone already: promotion has to look.
    tx.wake("settled" if answer.is_waiting else "ready")
    return run_id


def _audit(
    tx: Tx, due: DueAutomation, answered: AnsweredDue, entries: list[dict[str, Any]]
) -> None:
    body = {
        "revision": due.revision,
        "from": mark_body(due.mark),
        "to": mark_body(answered.mark),
        "answers": entries,
        "next_due": answered.next_due,
    }
    tx.audit(f"automation:{due.automation_id}", "slots.answered", body, _ACTOR)


def tell_missed(tx: Tx, automation_id: AutomationId, missed: MissedRange) -> None:
    """Tell a person of missed slots, and that the work can be run by hand."""
    body = {
        "first": missed.first.key,
        "last": missed.last.key,
        "count": missed.count,
        "reason": missed.reason.value,
        "offer": "run_now",
    }
    news = News(kind=NoticeKind.MISSED, about=missed.first.key, run_id=None, body=body)
    alarm.raise_news(tx, automation_id, news)
