"""Publishing files as effects: pending before anything is written, succeeded with the hash that was written."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

from duly.ledger.api.tx import Tx
from duly.model import canonical, codec, ids, placeholders
from duly.model.automation import Automation
from duly.model.claims import Claim
from duly.model.effect import Effect, EffectCall, Publication
from duly.model.errors import LeaseLostError
from duly.model.ids import EffectId
from duly.model.instant import Instant
from duly.model.plan import Isolation, Overwrite, Work
from duly.model.reasons import Reason
from duly.model.run import Run, RunPin
from duly.model.states import EffectEvent, EffectState
from duly.policy import effects, lifecycle, publication
from duly.policy.effects import Existing, OnChange
from duly.policy.publication import LastPublished, Turn
from duly.transactions import late
from duly.transactions.late import WRITES, LateReportOf
from duly.transactions.moves import held, holder_of, is_holding, known, scope_of
from duly.transactions.paths import other_owner
from duly.transactions.plans import work_of

PUBLISH: Final = "publish"
"""The action whose effects are published files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file to put in its place: path beneath the root, SHA-256 before (None: no file) and after."""

    path: str
    before_sha: str | None
    after_sha: str
    bytes: int
    mode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePayload:
    """What an effect of publishing stores: everything that reading back needs."""

    root: str
    path: str
    before: str | None
    after: str
    bytes: int
    mode: int

    @property
    def absolute(self) -> str:
        """The published path."""
        return f"{self.root.rstrip('/')}/{self.path}"


def payload_of(effect: Effect) -> FilePayload:
    """Return the file that an effect of publishing is about."""
    return codec.load(FilePayload, effect.payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginPublications:
    """The files of an attempt; nothing may be written after `not_after`."""

    claim: Claim
    root: str
    files: tuple[FileChange, ...]
    not_after: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationStart:
    """What is to happen with one file. `reason`: why a person has to look.

    `SEND` and `UPDATE`: write it, the effect is pending. `RECORDED`: it is there already. `SUPERSEDED`: keep its bytes,
    and leave the path to `later_window`. `RECONCILE`: read back and settle it first, then begin again.
    """

    effect: Effect
    what: Existing
    reason: Reason | None = None
    later_window: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What every file of one command stands on."""

    run: Run
    pin: RunPin
    automation: Automation
    work: Work


def begin_publications(tx: Tx, command: BeginPublications) -> tuple[PublicationStart, ...]:
    """Make effects pending for files that may be written now, in the order given.

    Where one file needs a person or has to be reconciled first, none is begun. Raises LeaseLostError, having written
    nothing.
    """
    ground = _ground(tx, command.claim)
    starts = tuple(_decide(tx, ground, command.root, change) for change in command.files)
    if all(start.what not in (Existing.REVIEW, Existing.RECONCILE) for start in starts):
        for start in starts:
            _begin(tx, command, start)
    body = {_path(start): start.what.value for start in starts}
    tx.audit(scope_of(ground.run.run_id), "publications.begun", body, holder_of(ground.run))
    return starts


def _ground(tx: Tx, claim: Claim) -> _Ground:
    run = held(tx, claim)
    pin = tx.run_pin(run.run_id)
    automation = tx.automation(run.automation_id)
    assert pin is not None and automation is not None
    revision = tx.revision(pin.automation_id, pin.revision)
    assert revision is not None
    return _Ground(run=run, pin=pin, automation=automation, work=work_of(revision.work))


def _decide(tx: Tx, ground: _Ground, root: str, change: FileChange) -> PublicationStart:
    wanted = _wanted(tx, ground, root, change)
    if _is_owned_by_other(tx, ground, payload_of(wanted)):
        return PublicationStart(effect=wanted, what=Existing.REVIEW, reason=Reason.PATH_OWNED)
    found = tx.effect(wanted.effect_id)
    what = Existing.SEND if found is None else _existing(ground, found, wanted)
    if found is not None and what in (Existing.RECORDED, Existing.RECONCILE):
        return PublicationStart(effect=found, what=what)
    if found is not None and what is Existing.REVIEW:
        reason = Reason.PUBLICATION_REFUSED
        return PublicationStart(effect=found, what=what, reason=reason)
    start = PublicationStart(
        effect=wanted if found is None else _again(found, wanted),
        what=what,
    )
    # In place it is written already.
    return start if ground.work.isolation is Isolation.IN_PLACE else _in_turn(tx, ground, start)


def _existing(ground: _Ground, found: Effect, wanted: Effect) -> Existing:
    is_same = found.payload_sha256 == wanted.payload_sha256
    return effects.decide_existing(
        found.state, same_payload=is_same, on_change=_on_change(ground), approved=False
    )


def _in_turn(tx: Tx, ground: _Ground, start: PublicationStart) -> PublicationStart:
    """Leave alone what by the record is not this run's to replace."""
    payload = payload_of(start.effect)
    newest = tx.newest_publication(ground.pin.workspace_id, payload.absolute)
    turn = publication.decide_turn(
        None if newest is None else _last(tx, ground, newest),
        payload.before,
        is_result=payload.path == _result_path(ground),
        is_update=start.what is Existing.UPDATE,
    )
    match turn:
        case Turn.MINE:
            return start
        case Turn.SUPERSEDED:
            assert newest is not None
            return replace(start, what=Existing.SUPERSEDED, later_window=newest.window_key)
        case Turn.ALTERED:
            return replace(start, what=Existing.REVIEW, reason=Reason.EFFECT_ALTERED)
        case _:
            assert_never(turn)


def _last(tx: Tx, ground: _Ground, newest: Publication) -> LastPublished:
    pin, other = ground.pin, tx.run_pin(newest.run_id)
    assert other is not None
    is_later = (other.span_end, other.span_start) > (pin.span_end, pin.span_start)
    is_of_another = other.automation_id == pin.automation_id and other.window_key != pin.window_key
    return LastPublished(sha256=newest.sha256, is_of_later_window=is_of_another and is_later)


def _result_path(ground: _Ground) -> str | None:
    """Return the path of the result artifact beneath the root, for the run's window."""
    if ground.work.result_artifact is None:
        return None
    values = {
        "job_key": ground.work.job_key,
        "window": ground.pin.window_key,
        "input_version": ground.pin.input_version,
    }
    return placeholders.expand_path(ground.work.result_artifact, values)


def _wanted(tx: Tx, ground: _Ground, root: str, change: FileChange) -> Effect:
    """Return the effect as it would be if it were new."""
    identity = canonical.to_json({"path": change.path, "root": root})
    payload = FilePayload(
        root=root,
        path=change.path,
        before=change.before_sha,
        after=change.after_sha,
        bytes=change.bytes,
        mode=change.mode,
    )
    pin = ground.pin
    return Effect(
        effect_id=ids.effect_id(
            pin.workspace_id, pin.automation_id, pin.window_key, PUBLISH, identity
        ),
        automation_id=pin.automation_id,
        window_key=pin.window_key,
        action=PUBLISH,
        identity=identity,
        state=EffectState.PENDING,
        # What was there before is a condition of writing, not what is written.
        payload_sha256=canonical.hash_of({"after": change.after_sha, "mode": change.mode}),
        payload=codec.dump(payload),
        update_number=1,
        external_id=None,
        result=None,
        run_id=pin.run_id,
        fence=ground.run.fence,
        since=tx.at,
        created_at=tx.at,
    )


def _again(found: Effect, wanted: Effect) -> Effect:
    """Return a known effect, pending once more with what is wanted now."""
    state = lifecycle.advance_effect(found.state, EffectEvent.SEND_AGAIN)
    is_update = found.state is EffectState.SUCCEEDED
    return replace(
        wanted,
        state=state,
        update_number=found.update_number + is_update,
        created_at=found.created_at,
    )


def _on_change(ground: _Ground) -> OnChange:
    if ground.pin.redo_effects == OnChange.RECORDED.value:
        return OnChange.RECORDED
    if ground.work.overwrite is Overwrite.DENIED:
        return OnChange.REVIEW
    return OnChange(ground.pin.redo_effects or OnChange.UPDATE.value)


def _is_owned_by_other(tx: Tx, ground: _Ground, payload: FilePayload) -> bool:
    automation, path = ground.automation, payload.absolute
    # What it owns was compared with all others when it was defined.
    mine = tx.paths_of(automation.automation_id)
    if any(publication.may_collide(path, owned) for owned in mine):
        return False
    return other_owner(tx, automation, payload.root, path) is not None


def _begin(tx: Tx, command: BeginPublications, start: PublicationStart) -> None:
    if start.what in (Existing.RECORDED, Existing.SUPERSEDED):
        return
    effect, claim = start.effect, command.claim
    is_written = tx.add_effect(claim, effect) or tx.record_effect(claim, effect)
    call = EffectCall(
        effect_id=effect.effect_id,
        update_number=effect.update_number,
        run_id=claim.run_id,
        fence=claim.fence,
        claim_id=claim.claim_id,
        payload_sha256=effect.payload_sha256,
        not_after=command.not_after,
        at=tx.at,
    )
    # A refused write may be tried again under the same fence; the first call's row stands for both.
    tx.add_effect_call(claim, call)
    if not is_written:
        raise LeaseLostError(f"another claim on {claim.run_id} was made")


def _path(start: PublicationStart) -> str:
    return payload_of(start.effect).path


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationResult:
    """What became of one effect; `external_id` is the hash that stands at the path, given when it was applied."""

    effect_id: EffectId
    event: EffectEvent
    external_id: str | None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlePublications:
    """What became of the files of an attempt."""

    claim: Claim
    results: tuple[PublicationResult, ...]


def settle_publications(tx: Tx, command: SettlePublications) -> bool:
    """Record what became of each file. False: the claim was lost, and a late report was kept instead."""
    run = known(tx, command.claim.run_id)
    if not is_holding(run, command.claim):
        late.report_late(tx, _late_report_of(command))
        return False
    pin = tx.run_pin(run.run_id)
    assert pin is not None
    changes: dict[str, Mapping[str, Any]] = {}
    for result in command.results:
        effect = tx.effect(result.effect_id)
        assert effect is not None
        payload = payload_of(effect)
        _settle_one(tx, command.claim, pin, (effect, result))
        changes[payload.path] = {
            "event": result.event.value,
            "before": payload.before,
            "after": result.external_id,
        }
    tx.audit(scope_of(run.run_id), "publications.settled", changes, holder_of(run))
    return True


def _settle_one(tx: Tx, claim: Claim, pin: RunPin, found: tuple[Effect, PublicationResult]) -> None:
    effect, result = found
    if effect.external_id is not None and effect.external_id == result.external_id:
        return
    after = replace(
        effect,
        state=lifecycle.advance_effect(effect.state, result.event),
        external_id=result.external_id,
        result=result.detail,
        run_id=claim.run_id,
        fence=claim.fence,
        since=tx.at,
    )
    if not tx.record_effect(claim, after):
        raise LeaseLostError(f"another claim on {claim.run_id} was made")
    if after.state is EffectState.SUCCEEDED:
        _publish(tx, claim, pin, after)


def _publish(tx: Tx, claim: Claim, pin: RunPin, effect: Effect) -> None:
    newest = tx.newest_publication(pin.workspace_id, payload_of(effect).absolute)
    if not tx.add_publication(claim, publication_behind(newest, pin, effect, tx.at)):
        raise LeaseLostError(f"another claim on {claim.run_id} was made")


def publication_behind(
    newest: Publication | None, pin: RunPin, effect: Effect, at: Instant
) -> Publication:
    """Return the publication that an applied effect of `pin`'s run is, behind the newest of its path."""
    payload = payload_of(effect)
    return Publication(
        workspace_id=pin.workspace_id,
        path=payload.absolute,
        number=1 if newest is None else newest.number + 1,
        automation_id=pin.automation_id,
        window_key=pin.window_key,
        run_id=pin.run_id,
        effect_id=effect.effect_id,
        sha256=payload.after,
        previous_sha256=payload.before,
        at=at,
    )


def _late_report_of(command: SettlePublications) -> LateReportOf:
    results = {item.effect_id: item.event.value for item in command.results}
    has_written = any(item.event is not EffectEvent.REFUSE for item in command.results)
    body = {"results": results, WRITES: has_written}
    return LateReportOf(claim=command.claim, verb="settle_publications", body=body)
