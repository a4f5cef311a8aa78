"""Admission by time: every due slot gets exactly one answer, and the watermark moves over it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from duly.ledger.api.tx import Tx
from duly.model.automation import DueAutomation
from duly.model.errors import VersionConflictError
from duly.model.ids import AutomationId, RunId
from duly.model.instant import Instant
from duly.model.plan import Timing
from duly.model.states import Disposition
from duly.model.timing import Watermark, Window
from duly.policy import admission
from duly.policy.admission import Answer, DueSlots, MissedRange, SlotAnswer
from duly.policy.notify import NoticeKind
from duly.transactions import alarm, zone_data
from duly.transactions.alarm import News
from duly.transactions.burst import ACTOR, alike, answered_by, new_run, only_start, start_alike
from duly.transactions.due import Due, due_of, works_of
from duly.transactions.plans import Zones, is_once
from duly.transactions.slots import (
    Answered,
    Raised,
    add_range,
    add_run,
    add_slot,
    audit_answers,
    newest,
)
from duly.transactions.standing import NOBODY, standing
from duly.transactions.suspension import Failed, is_own_fault, suspend_failed

# Due automations are read some at a time: a busy machine may find time for no more in one transaction.
_PAGE: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitDue:
    """Answer the due slots of up to `limit` automations, longest due first, by zone data of a release `tzdata`."""

    limit: int
    zones: Zones
    tzdata: str


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
    only_elapsed = zone_data.is_older(tx, command.tzdata)
    while tally.automations < command.limit and (tally == _Tally() or tx.has_time()):
        size = min(_PAGE, command.limit - tally.automations)
        page = tx.due_automations(size, only_elapsed=only_elapsed)
        answered = _admit_page(tx, page, command.zones)
        tally += answered
        # What somebody else answered stays on the list of an old snapshot: do not turn in circles.
        if len(page) < _PAGE or answered.lost == len(page):
            break
    next_due = tx.next_due(only_elapsed=only_elapsed)
    return Admitted(
        automations=tally.automations,
        runs=tally.runs,
        next_due=next_due,
        failed=tally.failed,
        is_more=tally.automations > tally.lost and next_due is not None and next_due <= tx.at,
        lost=tally.lost,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tally:
    """What a part of an admission has done."""

    automations: int = 0
    runs: int = 0
    failed: int = 0
    lost: int = 0

    def __add__(self, other: "_Tally") -> "_Tally":
        return _Tally(
            automations=self.automations + other.automations,
            runs=self.runs + other.runs,
            failed=self.failed + other.failed,
            lost=self.lost + other.lost,
        )


def _admit_page(tx: Tx, page: list[DueAutomation], zones: Zones) -> _Tally:
    """Answer a page as one part; only where that fails, each automation apart, to find the one that is to blame."""
    failures: list[Exception] = []
    tally = _Tally()
    with tx.part(failures):
        for found, dues in alike(page, zones, tx.at):
            if tally.automations and not tx.has_time():
                break
            tally += _admit_alike(tx, found, dues, zones)
    if not failures:
        return tally
    tally = _Tally()
    for due in page:
        if tally.automations and not tx.has_time():
            break
        tally += _admit_apart(tx, due, zones)
    return tally


def _admit_alike(tx: Tx, found: Due, dues: list[DueAutomation], zones: Zones) -> _Tally:
    """Answer automations that share what is due, at least one, as many as there is time for."""
    only = only_start(found)
    free = [] if only is None else [due for due in dues if not due.has_open_runs]
    tally = _Tally()
    if only is not None and len(free) > 1:
        started = start_alike(tx, found, only, free)
        tally += _Tally(automations=started, runs=started)
        dues = [due for due in dues if due.has_open_runs]
    for due in dues:
        if tally.automations and not tx.has_time():
            break
        tally += _Tally(automations=1, runs=answer_due(tx, due, zones).runs)
    return tally


def _admit_apart(tx: Tx, due: DueAutomation, zones: Zones) -> _Tally:
    failures: list[Exception] = []
    runs = 0
    with tx.part(failures):
        runs = answer_due(tx, due, zones).runs
    if not failures:
        return _Tally(automations=1, runs=runs)
    if isinstance(failures[0], VersionConflictError):
        return _Tally(automations=1, lost=1)
    _suspend(tx, due, failures[0])
    return _Tally(automations=1, failed=1)


def _suspend(tx: Tx, due: DueAutomation, failure: Exception) -> None:
    if not is_own_fault(failure):
        raise failure
    failed = Failed(automation_id=due.automation_id, failure=failure, actor=ACTOR)
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
    found = due_of(due.timing, due.mark, zones, tx.at)
    if found.slots is None or _is_answered_once(tx, due, found.timing, found.slots):
        return _advance(tx, due, found, runs=0)
    case = _Case(due=due, found=found, made=_Made(_existing(tx, due, found)))
    plan = _plan(tx, case, found.slots, zones)
    entries = [_record(tx, case, answer) for answer in plan]
    answered = _advance(tx, due, found, runs=case.made.count)
    _audit(tx, due, answered, entries)
    if isinstance(plan[0], MissedRange):
        tell_missed(tx, due.automation_id, plan[0])
    return answered


def _is_answered_once(tx: Tx, due: DueAutomation, timing: Timing, slots: DueSlots) -> bool:
    """Say whether the slot of a `once` was answered ahead of its time, by a run that somebody asked for."""
    if not is_once(timing):
        return False
    return tx.occurrence(due.automation_id, f"slot:{slots.first.key}") is not None


def _advance(tx: Tx, due: DueAutomation, found: Due, *, runs: int) -> AnsweredDue:
    if not tx.record_mark(due, found.mark, found.next_due):
        raise VersionConflictError(f"automation {due.automation_id} was answered in between")
    return AnsweredDue(runs=runs, mark=found.mark, next_due=found.next_due)


class _Made:
    """The runs of one admission as they are made: the newest by window, and the last that a caught-up slot made."""

    __slots__ = ("chain", "count", "of")

    def __init__(self, existing: Mapping[str, RunId]) -> None:
        self.of = dict(existing)
        self.chain: RunId | None = None
        self.count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One automation's due slots, with all that their answers need."""

    due: DueAutomation
    found: Due
    made: _Made


def _existing(tx: Tx, due: DueAutomation, found: Due) -> dict[str, RunId]:
    """Return the newest runs that the due slots' windows have, by window key."""
    runs: dict[str, RunId] = {}
    for key in {window.key for window in found.windows.values()}:
        last = newest(tx.runs_of_window(due.automation_id, key))
        if last is not None:
            runs[key] = last.run_id
    return runs


def _plan(tx: Tx, case: _Case, slots: DueSlots, zones: Zones) -> tuple[Answer, ...]:
    """Return the answers of due slots, as the runs say that their windows have and that stand before new ones."""
    found, existing = case.found, case.made.of
    if not existing and not case.due.has_open_runs:
        return found.answers
    is_free = all(window.key in existing for window in found.windows.values())
    stands = NOBODY if is_free else standing(tx, case.due.automation_id, zones)
    works = works_of(found.windows, frozenset(existing))
    return admission.plan_slots(found.timing, slots, stands.facts, tx.at, works)


def _record(tx: Tx, case: _Case, answer: Answer) -> dict[str, Any]:
    if isinstance(answer, MissedRange):
        answered = Answered(
            automation_id=case.due.automation_id,
            revision=case.due.revision,
            disposition=Disposition.MISSED,
            reason=answer.reason,
        )
        return add_range(tx, answer, answered)
    window = case.found.windows[answer.slot.key]
    run_id = _run_of(tx, case, answer, window)
    return add_slot(tx, answer.slot, answered_by(case.due, answer, window, run_id))


def _run_of(tx: Tx, case: _Case, answer: SlotAnswer, window: Window) -> RunId | None:
    """Return the run of a slot, having made it where the answer says so."""
    if answer.disposition is Disposition.JOINED:
        tx.wake("joined")
        return case.made.of[window.key]
    if answer.disposition not in (Disposition.STARTED, Disposition.QUEUED):
        return None
    behind = case.made.chain if answer.chained else None
    new = new_run(case.due, case.found, answer, window, behind)
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
    marks = Raised(before=due.mark, after=answered.mark, next_due=answered.next_due)
    audit_answers(tx, (due.automation_id, due.revision), marks, entries, ACTOR)


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
