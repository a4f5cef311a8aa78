"""A burst: one slot of one rule, started for many automations after one pattern."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from duly.ledger.api.starts import Start
from duly.ledger.api.tx import Tx
from duly.model import ids
from duly.model.automation import DueAutomation
from duly.model.errors import VersionConflictError
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.model.states import Disposition, Trigger
from duly.model.timing import Window
from duly.policy.admission import SlotAnswer
from duly.transactions.due import Due, due_of
from duly.transactions.plans import Zones, is_once
from duly.transactions.slots import (
    Answered,
    NewRun,
    Raised,
    answers_body,
    created_body,
    entry_of,
    occurrence_of,
    pin_of,
    run_of,
)

ACTOR: Final = "scanner"

# A rule never seen before takes up to half a millisecond to read and search.
_RULES_AHEAD: Final = 6


def alike(
    page: Iterable[DueAutomation], zones: Zones, at: Instant
) -> Iterator[tuple[Due, list[DueAutomation]]]:
    """Put those together whose starts write the same but for ids; each group with what is due of its first.

    A few rules are looked at before their groups are given: a transaction may have no time for more.
    Raises as `due_of` does.
    """
    groups: dict[tuple[int, int, str], tuple[Due, list[DueAutomation]]] = {}
    for due in page:
        if len(groups) == _RULES_AHEAD:
            yield from groups.values()
            groups = {}
        found = due_of(due.timing, due.mark, zones, at)
        key = (id(found.likeness), due.revision, due.workspace_id)
        groups.setdefault(key, (found, []))[1].append(due)
    yield from groups.values()


def only_start(found: Due) -> SlotAnswer | None:
    """Return the one answer that a free automation gives, if it starts a run; a `once` may be answered already."""
    if len(found.answers) != 1 or is_once(found.timing):
        return None
    (only,) = found.answers
    is_start = isinstance(only, SlotAnswer) and only.disposition is Disposition.STARTED
    return only if isinstance(only, SlotAnswer) and is_start else None


def start_alike(tx: Tx, found: Due, answer: SlotAnswer, dues: Sequence[DueAutomation]) -> int:
    """Start the slot for free automations that are alike, at least one, as long as there is time; say for how many.

    Raises VersionConflictError when one of them is not free after all; then nothing of the part may stay.
    """
    window = found.windows[answer.slot.key]
    pattern = tx.pattern(_start(tx, found, answer, dues[0]))
    started = 0
    for due in dues:
        if started and not tx.has_time():
            break
        run_id = ids.run_id(due.automation_id, window.key, found.timing.input_version)
        if not tx.start_like(pattern, due, run_id):
            raise VersionConflictError(f"automation {due.automation_id} is not free")
        started += 1
    tx.wake("ready")
    return started


def new_run(
    due: DueAutomation, found: Due, answer: SlotAnswer, window: Window, behind: RunId | None = None
) -> NewRun:
    """Return the run that a slot's answer asks for."""
    return NewRun(
        automation_id=due.automation_id,
        workspace_id=due.workspace_id,
        revision=due.revision,
        timing=found.timing,
        window=window,
        input_version=found.timing.input_version,
        cause=Trigger.TIMER,
        actor=ACTOR,
        reason=answer.reason,
        slot=answer.slot,
        is_caught_up=answer.caught_up,
        is_waiting=answer.is_waiting,
        behind=behind,
    )


def answered_by(
    due: DueAutomation, answer: SlotAnswer, window: Window, run_id: RunId | None
) -> Answered:
    """Return the answer to a slot as its occurrence will keep it."""
    return Answered(
        automation_id=due.automation_id,
        revision=due.revision,
        disposition=answer.disposition,
        reason=answer.reason,
        run_id=run_id,
        window_key=window.key,
        actor=ACTOR,
    )


def _start(tx: Tx, found: Due, answer: SlotAnswer, due: DueAutomation) -> Start:
    """Return all that the slot writes for one of the automations."""
    window = found.windows[answer.slot.key]
    new = new_run(due, found, answer, window)
    run_id = ids.run_id(due.automation_id, window.key, new.input_version)
    answered = answered_by(due, answer, window, run_id)
    marks = Raised(before=due.mark, after=found.mark, next_due=found.next_due)
    return Start(
        pin=pin_of(tx.at, new, run_id),
        run=run_of(tx.at, new, run_id),
        occurrence=occurrence_of(tx.at, answer.slot, answered),
        mark=found.mark,
        next_due=found.next_due,
        created=created_body(new),
        answered=answers_body(due.revision, marks, [entry_of(tx.at, answer.slot, answered)]),
    )
