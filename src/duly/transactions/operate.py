"""What people do to runs: cancel, resume, resolve. Each with the person's name, in the run's audit chain."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from duly.ledger.api.tx import Tx
from duly.model.effect import Effect
from duly.model.errors import ConflictError, NotFoundError, VersionConflictError
from duly.model.ids import EffectId, RunId
from duly.model.reasons import Reason
from duly.model.run import Run
from duly.model.states import EffectEvent, EffectState, ErrorClass, Outcome, RunEvent, RunState
from duly.policy import lifecycle
from duly.policy.ending import Ending
from duly.transactions.moves import Why, advanced, ended, known, move, scope_of
from duly.transactions.publish import PUBLISH, payload_of, publication_behind

_OPEN: Final = (EffectState.PENDING, EffectState.UNKNOWN)
_RESOLVABLE: Final = frozenset(
    {Outcome.COMPLETED, Outcome.NO_CHANGE, Outcome.FAILED_BEFORE_WRITE, Outcome.CANCELLED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRun:
    """A person's wish that a run ends."""

    run_id: RunId
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelAnswer:
    """`is_done`: the run is cancelled. Else its holder, or the next one, ends it at a safe point."""

    run: Run
    is_done: bool


def cancel_run(tx: Tx, command: CancelRun) -> CancelAnswer:
    """Cancel a run nobody works on at once; ask the holder of any other, and whoever proves its children dead.

    Raises ConflictError for a run that has ended, or whose effects are open.
    """
    run = known(tx, command.run_id)
    if run.state is RunState.CANCELLED:
        return CancelAnswer(run=run, is_done=True)
    if run.state in (RunState.COMPLETED, RunState.FAILED):
        raise ConflictError(f"the run has ended: {run.state.value}", fix="nothing is left to do")
    is_worked_on = run.claim_id is not None or (run.may_live and run.state in lifecycle.LIVE)
    if is_worked_on:
        return CancelAnswer(run=_ask(tx, run, command), is_done=False)
    _refuse_open_effects(tx, run)
    reason = _cancelled_how(tx, run)
    ending = Ending(outcome=Outcome.CANCELLED, grade=None, reason=reason, error_class=None)
    after = ended(tx, replace(run, cancel_actor=command.actor), ending, may_live=run.may_live)
    why = Why(actor=command.actor, reason=reason.value, detail={"note": command.reason})
    cancelled = move(tx, run, after, RunEvent.CANCEL, why)
    tx.wake("settled")
    return CancelAnswer(run=cancelled, is_done=True)


def _ask(tx: Tx, run: Run, command: CancelRun) -> Run:
    tx.wake(f"cancel:{run.run_id}")
    if run.cancel_actor is not None:
        return run
    after = replace(run, cancel_actor=command.actor)
    if not tx.record_run(after):
        raise VersionConflictError(f"run {run.run_id} changed in between", fix="try again")
    body = {"state": run.state.value, "note": command.reason}
    tx.audit(scope_of(run.run_id), "run.cancel_asked", body, command.actor)
    return replace(after, version=run.version + 1)


def _cancelled_how(tx: Tx, run: Run) -> Reason:
    """Say, from the ledger, what a cancelled run may have changed."""
    effects = tx.effects_of_run(run.run_id)
    if any(effect.state is EffectState.SUCCEEDED for effect in effects):
        return Reason.CANCELLED_AFTER_WRITE
    if tx.executions(run.run_id):
        return Reason.CANCELLED_MAY_HAVE_WRITTEN
    return Reason.CANCELLED_BEFORE_WRITE


def _refuse_open_effects(tx: Tx, run: Run) -> None:
    open_effects = [item for item in tx.effects_of_run(run.run_id) if item.state in _OPEN]
    if open_effects:
        names = ", ".join(effect.effect_id for effect in open_effects)
        raise ConflictError(
            f"nobody knows yet what became of {names}",
            fix="say for each whether it happened with `duly runs resolve-effect`",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeRun:
    """A person looked at a run that stopped, and lets it go on."""

    run_id: RunId
    actor: str
    reason: str


def resume_run(tx: Tx, command: ResumeRun) -> Run:
    """Queue a blocked or failed run again; the person vouches for what happened before.

    Raises IllegalMoveError for any other.
    """
    run = known(tx, command.run_id)
    after = restarted(tx, run, RunEvent.RESUME, Reason.RESUMED.value)
    why = Why(actor=command.actor, reason=Reason.RESUMED.value, detail={"note": command.reason})
    resumed = move(tx, run, after, RunEvent.RESUME, why)
    tx.wake("ready")
    return resumed


def restarted(tx: Tx, run: Run, event: RunEvent, reason: str | None) -> Run:
    """Return a stopped run as it waits for another attempt, without the old outcome."""
    return advanced(
        tx,
        run,
        event,
        claimable_at=tx.at,
        wait_reason=None,
        wait_since=None,
        start_by=None,
        outcome=None,
        grade=None,
        reason=reason,
        settled_at=None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveRun:
    """A person says how a blocked run ended, with the evidence for it in `note`."""

    run_id: RunId
    outcome: Outcome
    note: str
    actor: str


def resolve_run(tx: Tx, command: ResolveRun) -> Run:
    """Settle a blocked run by a person's word, once no effect of it is open.

    Raises ConflictError for open effects or an outcome that settles nothing, IllegalMoveError for a run not blocked.
    """
    run = known(tx, command.run_id)
    if command.outcome not in _RESOLVABLE:
        raise ConflictError(
            f"{command.outcome.value} settles nothing", fix="say completed, failed or cancelled"
        )
    if run.state is not RunState.BLOCKED:
        raise ConflictError(
            f"the run is {run.state.value}, not blocked", fix="only a blocked run is resolved"
        )
    _refuse_open_effects(tx, run)
    is_failed = command.outcome is Outcome.FAILED_BEFORE_WRITE
    ending = Ending(
        outcome=command.outcome,
        grade=None,
        reason=Reason.RESOLVED,
        error_class=ErrorClass.PERMANENT if is_failed else None,
    )
    after = ended(tx, run, ending, may_live=run.may_live)
    detail = {"outcome": command.outcome.value, "note": command.note, "was": run.reason}
    why = Why(actor=command.actor, reason=Reason.RESOLVED.value, detail=detail)
    resolved = move(tx, run, after, lifecycle.event_of(command.outcome), why)
    tx.wake("settled")
    return resolved


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveEffect:
    """A person says what became of an effect: it happened under `external_id`, or (None) it did not."""

    effect_id: EffectId
    external_id: str | None
    note: str
    actor: str


def resolve_effect(tx: Tx, command: ResolveEffect) -> Effect:
    """Close an open effect by a person's word, a published file with its publication.

    A file is known by its hash, whatever the person calls it. Raises ConflictError while somebody holds its run.
    """
    effect = tx.effect(command.effect_id)
    if effect is None:
        raise NotFoundError(f"there is no effect {command.effect_id}")
    run = known(tx, effect.run_id)
    if run.claim_id is not None:
        raise ConflictError("a worker holds its run", fix="cancel the run, or wait for it")
    event = EffectEvent.REFUSE if command.external_id is None else EffectEvent.APPLY
    after = replace(
        effect,
        state=lifecycle.advance_effect(effect.state, event),
        external_id=_external_id(effect, command),
        result=command.note,
        since=tx.at,
    )
    if not tx.resolve_effect(run, after):
        raise VersionConflictError(f"run {run.run_id} changed in between", fix="try again")
    body: dict[str, Any] = {
        "effect": effect.effect_id,
        "event": event.value,
        "external_id": after.external_id,
        "said": command.external_id,
        "note": command.note,
    }
    if effect.action == PUBLISH and event is EffectEvent.APPLY:
        body["published"] = _record_publication(tx, run, effect)
    tx.audit(scope_of(run.run_id), "effect.resolved", body, command.actor)
    return after


def _external_id(effect: Effect, command: ResolveEffect) -> str | None:
    is_file = effect.action == PUBLISH and command.external_id is not None
    return payload_of(effect).after if is_file else command.external_id


def _record_publication(tx: Tx, run: Run, effect: Effect) -> Mapping[str, Any]:
    """Record what a person says was published; returns what the audit says of it."""
    pin = tx.run_pin(run.run_id)
    assert pin is not None
    payload = payload_of(effect)
    newest = tx.newest_publication(pin.workspace_id, payload.absolute)
    # What was published there since is what stands there; the person speaks of a time before.
    is_replaced = newest is not None and newest.at > effect.since
    record = publication_behind(newest, pin, effect, tx.at)
    if not is_replaced and not tx.resolve_publication(run, record):
        raise VersionConflictError(f"run {run.run_id} changed in between", fix="try again")
    return {
        "path": payload.absolute,
        "before": payload.before,
        "after": payload.after,
        "is_replaced": is_replaced,
    }
