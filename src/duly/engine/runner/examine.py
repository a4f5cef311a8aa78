"""Behind the agent: compare, verify, publish; every fact of the ending is gathered here and decided by policy."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from duly.adapters.work.errors import CannotWorkError
from duly.adapters.work.requests import (
    ChangedFile,
    Compare,
    Examine,
    Examined,
    FileFate,
    KeepFiles,
    Part,
    PublishedFile,
    PublishFiles,
)
from duly.engine.requests import Steps, Wait, Write, now, outside, surely, wait
from duly.engine.runner import program
from duly.engine.runner.attempt import VERIFY, Attempt, CancelRequestedError
from duly.engine.runner.leave import SettleAs
from duly.model.errors import LeaseLostError
from duly.model.instant import SECOND_US, Instant
from duly.model.plan import Command, Isolation, Timeouts
from duly.model.run import Artifact
from duly.model.states import EffectEvent, ErrorClass, Outcome, RunEvent
from duly.policy import outcome
from duly.policy.effects import Existing
from duly.policy.ending import (
    ArtifactCheck,
    Cancelled,
    EndFacts,
    Ending,
    Exit,
    Exited,
    Publication,
    VerifyResult,
)
from duly.transactions.publish import (
    BeginPublications,
    FileChange,
    FilePayload,
    PublicationResult,
    PublicationStart,
    SettlePublications,
    begin_publications,
    payload_of,
    settle_publications,
)

_EVENTS: Final = {
    FileFate.PUBLISHED: EffectEvent.APPLY,
    FileFate.CONFLICT: EffectEvent.REFUSE,
    FileFate.REFUSED: EffectEvent.REFUSE,
    FileFate.NOT_SENT: EffectEvent.REFUSE,
    FileFate.UNKNOWN: EffectEvent.LOSE,
}


_STOPS: Final = frozenset({Existing.REVIEW, Existing.RECONCILE})
_NOT_WRITTEN: Final = frozenset({Existing.RECORDED, Existing.SUPERSEDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """How far publishing came, whether any file is in its place, and the differences to what was replaced.

    `recorded`: files whose earlier publication is the answer; what the agent wrote this time differs and is not used.
    `superseded`: files whose path a later window's result holds, with that window; their bytes are kept.
    """

    fate: Publication
    is_any: bool
    differences: Mapping[str, str | None]
    recorded: Mapping[str, FilePayload]
    superseded: Mapping[str, str]


NOTHING: Final = Published(
    fate=Publication.NOT_TRIED,
    is_any=False,
    differences=MappingProxyType({}),
    recorded=MappingProxyType({}),
    superseded=MappingProxyType({}),
)


def finish(attempt: Attempt, part: Part, ended: Exit) -> Steps[SettleAs]:
    """Say how the run ends after its agent did, having published what is in scope if that completes it."""
    ended = yield from _enter(attempt, RunEvent.REVIEW, ended)
    try:
        examined: Examined = yield from outside(Examine(part=part))
    except CannotWorkError as error:
        return _unreadable(error)
    verified, ended = yield from _verify(attempt, part, ended)
    facts = _facts(attempt, examined, ended, verified)
    if outcome.decide(facts).outcome is Outcome.COMPLETED and _files(examined):
        ended = yield from _enter(attempt, RunEvent.EXECUTE, ended)
        facts = replace(facts, exit=ended)
    ending, published = outcome.decide(facts), NOTHING
    if ending.outcome is Outcome.COMPLETED and _files(examined):
        published = yield from _publish(attempt, part, _files(examined))
        is_published = facts.published or published.is_any
        ending = outcome.decide(replace(facts, publication=published.fate, published=is_published))
    artifacts = yield from _artifacts(attempt, examined, published)
    return SettleAs(
        ending=ending,
        artifacts=artifacts if ending.outcome is Outcome.COMPLETED else (),
        detail={
            "out_of_scope": list(examined.out_of_scope[:20]),
            "difference": examined.difference_sha256,
            "superseded": dict(published.superseded),
        },
    )


def _unreadable(error: CannotWorkError) -> SettleAs:
    """Return the ending of a run whose agent left something that cannot be looked at."""
    ending = Ending(
        outcome=Outcome.NEEDS_REVIEW,
        grade=None,
        reason=error.reason,
        error_class=ErrorClass.POLICY,
    )
    return SettleAs(ending=ending, detail={"message": error.message, "fix": error.fix})


def _enter(attempt: Attempt, event: RunEvent, ended: Exit) -> Steps[Exit]:
    """Move the run on; a person who asked for its end meanwhile counts as how it ended."""
    try:
        yield from attempt.enter(event)
    except CancelRequestedError:
        return Cancelled(was_started=True)
    return ended


def _verify(attempt: Attempt, part: Part, ended: Exit) -> Steps[tuple[VerifyResult, Exit]]:
    """Run the check behind the agent; answers its result, and how the run has ended with it."""
    command = attempt.facts.work.expect.verify
    if command is None:
        return VerifyResult.NOT_DECLARED, ended
    if not isinstance(ended, Exited):
        return VerifyResult.COULD_NOT_RUN, ended
    checking = replace(part, name=VERIFY, argv=command.argv, token=attempt.node.new_id())
    try:
        checked = yield from program.run(attempt, checking, limits_of(command))
    except CannotWorkError:
        # The agent has run: whatever is missing for the check is no reason to say that nothing did.
        return VerifyResult.COULD_NOT_RUN, ended
    match checked:
        case Exited(code=code):
            return VerifyResult.PASSED if code == 0 else VerifyResult.FAILED, ended
        case Cancelled():
            return VerifyResult.COULD_NOT_RUN, Cancelled(was_started=True)
        case _:
            return VerifyResult.COULD_NOT_RUN, ended


def limits_of(command: Command) -> Timeouts:
    """Return the limits of a precheck or verify command."""
    return Timeouts(start_us=command.wall_us, silence_us=None, wall_us=command.wall_us)


def _facts(attempt: Attempt, examined: Examined, ended: Exit, verified: VerifyResult) -> EndFacts:
    work = attempt.facts.work
    is_in_place = work.isolation is Isolation.IN_PLACE
    is_changed = bool(examined.in_scope or examined.out_of_scope)
    return EndFacts(
        exit=ended,
        exit_codes=work.expect.exit_codes,
        artifact=_artifact_check(attempt, examined),
        verify=verified,
        in_scope_changes=bool(examined.in_scope),
        out_of_scope=examined.out_of_scope,
        tree_changed=is_in_place and is_changed,
        published=bool(attempt.facts.publications),
        restart=work.agent.restart,
        isolation=work.isolation,
    )


def _artifact_check(attempt: Attempt, examined: Examined) -> ArtifactCheck:
    if attempt.facts.work.expect.artifact is None:
        return ArtifactCheck.NOT_DECLARED
    if examined.artifact is None:
        return ArtifactCheck.ABSENT
    return ArtifactCheck.EMPTY if examined.is_artifact_empty else ArtifactCheck.PRESENT


def _files(examined: Examined) -> tuple[ChangedFile, ...]:
    """Return what is to be published; an artifact written again with the same bytes is published again."""
    artifact = () if examined.artifact is None else (examined.artifact,)
    named = {file.path: file for file in (*examined.in_scope, *artifact)}
    return tuple(named[path] for path in sorted(named))


def _publish(attempt: Attempt, part: Part, files: tuple[ChangedFile, ...]) -> Steps[Published]:
    """Publish; what was too late for this holder's own deadline is tried again once the lease is renewed."""
    published = NOTHING
    while published.fate is Publication.NOT_TRIED:
        not_after = yield from _held_until(attempt)
        published = yield from _try(attempt, part, files, not_after)
    return published


def _held_until(attempt: Attempt) -> Steps[Instant]:
    """Return this holder's own deadline, once it is not over. Raises LeaseLostError when it will not come back."""
    woke = yield from now()
    while attempt.node.holds(attempt.claim) and woke.key != attempt.keys.lost:
        if (until := attempt.node.not_after(attempt.claim)) > woke.at:
            return until
        keys, again_us = (attempt.keys.renewed, attempt.keys.lost), woke.awake_us + SECOND_US
        woke = yield from wait(Wait(keys=keys, until_awake_us=again_us))
    raise LeaseLostError(f"another claim was made for run {attempt.claim.run_id}")


def _try(
    attempt: Attempt, part: Part, files: tuple[ChangedFile, ...], not_after: Instant
) -> Steps[Published]:
    command = BeginPublications(
        claim=attempt.claim,
        root=attempt.facts.work.root,
        files=tuple(_change(file) for file in files),
        not_after=not_after,
    )
    begun: tuple[PublicationStart, ...]
    begun = yield from surely(Write(begin_publications, command))
    if any(start.what in _STOPS for start in begun):
        return replace(NOTHING, fate=Publication.REFUSED)
    starts = {file.path: start for file, start in zip(files, begun, strict=True)}
    kept = yield from _keep(part, files, starts)
    chosen = {path: start for path, start in starts.items() if start.what not in _NOT_WRITTEN}
    if not chosen:
        return kept
    wanted = tuple(file for file in files if file.path in chosen)
    request = PublishFiles(part=part, files=wanted, not_after=not_after)
    fates: tuple[PublishedFile, ...] = yield from outside(request)
    after = {file.path: file.after for file in wanted}
    results = tuple(_result(chosen[fate.path], fate, after[fate.path]) for fate in fates)
    settlement = SettlePublications(claim=attempt.claim, results=results)
    if not (yield from surely(Write(settle_publications, settlement))):
        raise LeaseLostError(f"another claim was made for run {attempt.claim.run_id}")
    differences = {fate.path: fate.difference_sha256 for fate in fates}
    fate = _fate(fates)
    return replace(
        kept,
        fate=kept.fate if fate is Publication.DONE else fate,
        is_any=kept.is_any or any(fate.fate is FileFate.PUBLISHED for fate in fates),
        differences={**kept.differences, **differences},
    )


def _keep(
    part: Part, files: tuple[ChangedFile, ...], starts: Mapping[str, PublicationStart]
) -> Steps[Published]:
    """Return what is not written: published already, or superseded; with the differences to what stands there."""
    superseded = {
        path: start.later_window
        for path, start in starts.items()
        if start.what is Existing.SUPERSEDED and start.later_window is not None
    }
    recorded = {
        path: payload_of(start.effect)
        for path, start in starts.items()
        if start.what is Existing.RECORDED
    }
    others = tuple(f for f in files if f.path in recorded and recorded[f.path].after != f.after)
    aside = tuple(file for file in files if file.path in superseded)
    found: tuple[str | None, ...] = ()
    if others or aside:
        found = yield from outside(Compare(part=part, files=(*others, *aside)))
    is_kept = not aside or (yield from outside(KeepFiles(part=part, files=aside)))
    return Published(
        fate=Publication.DONE if is_kept else Publication.REFUSED,
        is_any=bool(recorded),
        differences={f.path: sha256 for f, sha256 in zip((*others, *aside), found, strict=True)},
        recorded=recorded,
        superseded=superseded,
    )


def _change(file: ChangedFile) -> FileChange:
    return FileChange(
        path=file.path,
        before_sha=file.before,
        after_sha=file.after,
        bytes=file.bytes,
        mode=file.mode,
    )


def _result(start: PublicationStart, fate: PublishedFile, after: str) -> PublicationResult:
    event = _EVENTS[fate.fate]
    return PublicationResult(
        effect_id=start.effect.effect_id,
        event=event,
        external_id=after if event is EffectEvent.APPLY else None,
        detail=fate.detail,
    )


def _fate(fates: tuple[PublishedFile, ...]) -> Publication:
    found = {fate.fate for fate in fates}
    if FileFate.UNKNOWN in found:
        return Publication.UNKNOWN
    if found <= {FileFate.PUBLISHED}:
        return Publication.DONE
    is_late = found <= {FileFate.PUBLISHED, FileFate.NOT_SENT}
    return Publication.NOT_TRIED if is_late else Publication.REFUSED


def _artifacts(
    attempt: Attempt, examined: Examined, published: Published
) -> Steps[tuple[Artifact, ...]]:
    if examined.artifact is None:
        return ()
    woke = yield from now()
    file = examined.artifact
    kept = published.recorded.get(file.path)
    return (
        Artifact(
            run_id=attempt.claim.run_id,
            fence=attempt.claim.fence,
            path=file.path,
            sha256=file.after if kept is None else kept.after,
            bytes=file.bytes if kept is None else kept.bytes,
            difference_sha256=published.differences.get(file.path),
            at=Instant(woke.at),
        ),
    )
