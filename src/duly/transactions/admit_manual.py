"""Admission by hand: a person names a window, and gets its run, made or met again."""

from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.errors import ConflictError, Fault, ValidationError, VersionConflictError
from duly.model.ids import AutomationId, RunId
from duly.model.occurrence import Occurrence
from duly.model.plan import Timing
from duly.model.reasons import Reason
from duly.model.run import RunPin
from duly.model.states import AutomationState, Disposition, EffectState, Trigger
from duly.model.timing import Window
from duly.policy import overlap, rerun
from duly.policy.catch_up import LateSlot
from duly.policy.effects import OnChange
from duly.policy.overlap import Queue
from duly.recurrence import watermark
from duly.recurrence.slot import Slot
from duly.recurrence.window import current_window, named_window
from duly.transactions import respan, zone_data
from duly.transactions.moves import known
from duly.transactions.plans import Zones, is_once, schedule_of, timing_of, zone_of
from duly.transactions.slots import (
    Answered,
    NewRun,
    Raised,
    add_run,
    add_slot,
    audit_answers,
    newest,
)
from duly.transactions.spans import automation_known, revision_of
from duly.transactions.standing import OWN_WINDOW, standing

_REDO: Final = "+redo."
_OPEN: Final = (EffectState.PENDING, EffectState.UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNow:
    """A person's wish to have a window worked on. `key`: its Idempotency-Key.

    `window_key` None: the current window. `redo_reason`: do it again though it was done, with `redo_effects`
    (`recorded`, `update` or `review`) for what it changed outside.
    """

    automation_id: AutomationId
    key: str
    window_key: str | None
    input_version: str | None
    redo_reason: str | None
    redo_effects: str | None
    actor: str
    zones: Zones


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAnswer:
    """The occurrence that answers a wish, and its run. `is_paused`: slots of that automation do not fire now."""

    occurrence: Occurrence
    run_id: RunId | None
    is_replay: bool
    is_paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """A command with all that it is decided on."""

    command: RunNow
    automation: Automation
    timing: Timing
    window: Window
    pins: tuple[RunPin, ...]


def run_now(tx: Tx, command: RunNow) -> RunAnswer:
    """Make or join the run of a window; the same key gets the same answer for ever. It is never skipped.

    Raises ConflictError for a deleted automation, a redo over open effects, or a span that was worked on under another
    window rule; ValidationError for a window that does not exist yet, or a redo that leaves its effects open.
    """
    automation = automation_known(tx, command.automation_id)
    is_paused = automation.state is not AutomationState.ACTIVE
    found = tx.occurrence(command.automation_id, _key(command))
    if found is not None:
        return RunAnswer(occurrence=found, run_id=found.run_id, is_replay=True, is_paused=is_paused)
    _check(automation, command)
    wish = _wish_of(tx, automation, command)
    version = _input_version(tx, wish)
    met = next((pin.run_id for pin in wish.pins if pin.input_version == version), None)
    if met is None:
        answered = _admit(tx, wish, version)
    else:
        answered = _answered(wish, (Disposition.JOINED, Reason.SAME_WORK), met)
        tx.wake("joined")
    occurrence = _occurrence(tx, wish, answered)
    if not tx.add_occurrence(occurrence):
        raise VersionConflictError(f"{_key(command)} was answered in between", fix="try again")
    _audit(tx, wish, occurrence, version)
    if is_once(wish.timing):
        _consume(tx, wish, occurrence)
    return RunAnswer(
        occurrence=occurrence, run_id=occurrence.run_id, is_replay=False, is_paused=is_paused
    )


def _key(command: RunNow) -> str:
    return f"manual:{command.key}"


def _check(automation: Automation, command: RunNow) -> None:
    if automation.state is AutomationState.DELETED:
        raise ConflictError(
            f"{automation.job_key} was deleted",
            fix=f"bring it back with `duly automation restore {automation.job_key}`",
        )
    effects = {item.value for item in OnChange}
    if command.redo_reason is not None and command.redo_effects not in effects:
        raise ValidationError(
            [
                Fault(
                    pointer="/redo_effects",
                    message="a redo says what becomes of the effects of the run before",
                    fix="say recorded, update or review",
                )
            ]
        )


def _wish_of(tx: Tx, automation: Automation, command: RunNow) -> _Wish:
    timing = timing_of(revision_of(tx, automation).timing)
    zone, schedule = zone_of(timing, command.zones), schedule_of(timing, command.zones)
    zone_data.check(tx, zone, timing.anchor)
    if command.window_key is None:
        own = f"{OWN_WINDOW}{command.key}"
        window = current_window(timing.window, tx.at, zone, schedule, own)
    else:
        window = named_window(timing.window, command.window_key, tx.at, zone, schedule)
    pins = tx.runs_of_window(automation.automation_id, window.key)
    return _Wish(
        command=command, automation=automation, timing=timing, window=window, pins=tuple(pins)
    )


def _input_version(tx: Tx, wish: _Wish) -> str:
    """Return the input version that is asked for: given, a redo's own, or that of the window's newest run."""
    last = newest(wish.pins)
    given = wish.command.input_version or (
        wish.timing.input_version if last is None else last.input_version
    )
    if wish.command.redo_reason is None:
        return given
    open_effects = [
        effect.effect_id
        for effect in tx.effects_of_window(wish.automation.automation_id, wish.window.key)
        if effect.state in _OPEN
    ]
    if open_effects:
        raise ConflictError(
            f"nobody knows yet what became of {', '.join(open_effects)}",
            fix="resolve these effects first, then redo",
        )
    base = given.split(_REDO, 1)[0]
    earlier = sum(1 for pin in wish.pins if pin.input_version.startswith(f"{base}{_REDO}"))
    return f"{base}{_REDO}{earlier + 1}"


def _admit(tx: Tx, wish: _Wish, version: str) -> Answered:
    """Make a run: at once, behind the one it amends, or when there is room."""
    command = wish.command
    if not wish.pins and command.redo_reason is None:
        respan.check(tx, wish.automation, wish.timing, wish.window)
    last = newest(wish.pins)
    amends = None if last is None else last.run_id
    reason = _waits_for(tx, wish, amends)
    new = NewRun(
        automation_id=wish.automation.automation_id,
        workspace_id=wish.automation.workspace_id,
        revision=wish.automation.revision,
        timing=wish.timing,
        window=wish.window,
        input_version=version,
        cause=Trigger.MANUAL,
        actor=command.actor,
        reason=reason or Reason.ASKED,
        is_waiting=reason is not None,
        behind=amends if reason is not None else None,
        amends=amends,
        redo_reason=command.redo_reason,
        redo_effects=command.redo_effects,
    )
    run_id = add_run(tx, new)
    tx.wake("ready" if reason is None else "settled")
    disposition = Disposition.STARTED if reason is None else Disposition.QUEUED
    return _answered(wish, (disposition, new.reason), run_id)


def _waits_for(tx: Tx, wish: _Wish, amends: RunId | None) -> Reason | None:
    if amends is not None:
        earlier = rerun.amend_waits(known(tx, amends).state)
        if earlier is not None:
            return earlier
    stands = standing(tx, wish.automation.automation_id, wish.command.zones)
    verdict = overlap.decide_asked(wish.timing.overlap, stands.facts)
    return verdict.reason if isinstance(verdict, Queue) else None


def _answered(wish: _Wish, answer: tuple[Disposition, Reason], run_id: RunId | None) -> Answered:
    disposition, reason = answer
    return Answered(
        automation_id=wish.automation.automation_id,
        revision=wish.automation.revision,
        disposition=disposition,
        reason=reason,
        run_id=run_id,
        window_key=wish.window.key,
        actor=wish.command.actor,
    )


def _occurrence(tx: Tx, wish: _Wish, answered: Answered) -> Occurrence:
    return Occurrence(
        automation_id=answered.automation_id,
        occurrence_key=_key(wish.command),
        cause=Trigger.MANUAL,
        disposition=answered.disposition,
        reason=answered.reason.value,
        revision=answered.revision,
        run_id=answered.run_id,
        window_key=answered.window_key,
        due_at=None,
        last_due_at=None,
        last_slot_key=None,
        slot_count=0,
        actor=answered.actor,
        at=tx.at,
    )


def _audit(tx: Tx, wish: _Wish, occurrence: Occurrence, version: str) -> None:
    body = {
        "occurrence": occurrence.occurrence_key,
        "disposition": occurrence.disposition.value,
        "reason": occurrence.reason,
        "run": occurrence.run_id,
        "window": occurrence.window_key,
        "input_version": version,
        "redo": wish.command.redo_reason,
        "effects": wish.command.redo_effects,
    }
    scope = f"automation:{wish.automation.automation_id}"
    tx.audit(scope, "run.asked", body, wish.command.actor)


def _consume(tx: Tx, wish: _Wish, occurrence: Occurrence) -> None:
    """Answer the slot of a `once` as joined, if it is still to come: it never fires.

    The watermark stays: raised to a future slot, it would silence whatever rule an edit puts in its place.
    """
    schedule = schedule_of(wish.timing, wish.command.zones)
    assert schedule is not None
    only = watermark.next_uncovered(schedule, wish.automation.mark)
    key = f"slot:{only.key}" if isinstance(only, Slot) else ""
    if not isinstance(only, Slot) or tx.occurrence(wish.automation.automation_id, key):
        return
    met = _answered(wish, (Disposition.JOINED, Reason.SAME_WORK), occurrence.run_id)
    entry = add_slot(tx, LateSlot(key=only.key, due_at=only.due_at), met)
    after = replace(wish.automation, next_due=None, updated_at=tx.at)
    if not tx.record_automation(after):
        raise VersionConflictError(f"{wish.automation.job_key} changed in between")
    mark = wish.automation.mark
    marks = Raised(before=mark, after=mark, next_due=None)
    whose = (wish.automation.automation_id, wish.automation.revision)
    audit_answers(tx, whose, marks, [entry], wish.command.actor)
