"""Behind the agent: compare, verify, publish; every fact of the ending is gathered here and decided by policy."""

from dataclasses import dataclass, replace
from typing import Final

from duly.adapters.work.requests import (
    ChangedFile,
    Examine,
    Examined,
    FileFate,
    Part,
    PublishedFile,
    PublishFiles,
)
from duly.engine.requests import Steps, Write, now, outside, surely
from duly.engine.runner import program
from duly.engine.runner.attempt import VERIFY, Attempt
from duly.engine.runner.leave import SettleAs
from duly.model.errors import LeaseLostError
from duly.model.instant import Instant
from duly.model.plan import Command, Isolation, Timeouts
from duly.model.run import Artifact
from duly.model.states import EffectEvent, Outcome, RunEvent
from duly.policy import outcome
from duly.policy.effects import Existing
from duly.policy.ending import ArtifactCheck, EndFacts, Exit, Exited, Publication, VerifyResult
from duly.transactions.publish import (
    BeginPublications,
    FileChange,
    PublicationResult,
    PublicationStart,
    SettlePublications,
    begin_publications,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """How far publishing came, whether any file is in its place, and the differences to what was replaced."""

    fate: Publication
    is_any: bool
    differences: dict[str, str | None]


NOTHING: Final = Published(fate=Publication.NOT_TRIED, is_any=False, differences={})


def finish(attempt: Attempt, part: Part, ended: Exit) -> Steps[SettleAs]:
    """Say how the run ends after its agent did, having published what is in scope if that completes it."""
    yield from attempt.enter(RunEvent.REVIEW)
    examined: Examined = yield from outside(Examine(part=part))
    verified = yield from _verify(attempt, part, ended)
    facts = _facts(attempt, examined, ended, verified)
    ending, published = outcome.decide(facts), NOTHING
    if ending.outcome is Outcome.COMPLETED and _files(examined):
        yield from attempt.enter(RunEvent.EXECUTE)
        published = yield from _publish(attempt, part, _files(examined))
        is_published = facts.published or published.fate is not Publication.REFUSED
        ending = outcome.decide(replace(facts, publication=published.fate, published=is_published))
    artifacts = yield from _artifacts(attempt, examined, published)
    return SettleAs(
        ending=ending,
        artifacts=artifacts if ending.outcome is Outcome.COMPLETED else (),
        detail={
            "out_of_scope": list(examined.out_of_scope[:20]),
            "difference": examined.difference_sha256,
        },
    )


def _verify(attempt: Attempt, part: Part, ended: Exit) -> Steps[VerifyResult]:
    command = attempt.facts.work.expect.verify
    if command is None:
        return VerifyResult.NOT_DECLARED
    if not isinstance(ended, Exited):
        return VerifyResult.COULD_NOT_RUN
    checking = replace(part, name=VERIFY, argv=command.argv, token=attempt.node.new_id())
    ran = yield from program.run(attempt, checking, limits_of(command))
    if not isinstance(ran.exit, Exited):
        return VerifyResult.COULD_NOT_RUN
    return VerifyResult.PASSED if ran.exit.code == 0 else VerifyResult.FAILED


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
    not_after = attempt.node.not_after(attempt.claim)
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
    pairs = zip(files, begun, strict=True)
    chosen = {file.path: start for file, start in pairs if start.what is not Existing.RECORDED}
    if not chosen:
        return Published(fate=Publication.DONE, is_any=True, differences={})
    wanted = tuple(file for file in files if file.path in chosen)
    request = PublishFiles(part=part, files=wanted, not_after=not_after)
    fates: tuple[PublishedFile, ...] = yield from outside(request)
    after = {file.path: file.after for file in wanted}
    results = tuple(_result(chosen[fate.path], fate, after[fate.path]) for fate in fates)
    settlement = SettlePublications(claim=attempt.claim, results=results)
    if not (yield from surely(Write(settle_publications, settlement))):
        raise LeaseLostError(f"another claim was made for run {attempt.claim.run_id}")
    differences = {fate.path: fate.difference_sha256 for fate in fates}
    is_any = any(fate.fate is FileFate.PUBLISHED for fate in fates)
    return Published(fate=_fate(fates), is_any=is_any, differences=differences)


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
    return Publication.DONE if found <= {FileFate.PUBLISHED} else Publication.REFUSED


def _artifacts(
    attempt: Attempt, examined: Examined, published: Published
) -> Steps[tuple[Artifact, ...]]:
    if examined.artifact is None:
        return ()
    woke = yield from now()
    file = examined.artifact
    return (
        Artifact(
            run_id=attempt.claim.run_id,
            fence=attempt.claim.fence,
            path=file.path,
            sha256=file.after,
            bytes=file.bytes,
            difference_sha256=published.differences.get(file.path),
            at=Instant(woke.at),
        ),
    )
