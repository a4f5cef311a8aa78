"""Joined occurrences: what became of the run that somebody asked for again, once its files were looked at."""

from dataclasses import dataclass
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.ids import RunId
from duly.model.occurrence import Occurrence, RerunVerdict
from duly.model.plan import Work
from duly.model.reasons import Reason
from duly.model.run import Artifact, Execution, Run, RunPin
from duly.model.states import (
    EffectState,
    ExecutionState,
    Outcome,
    RunEvent,
    Verdict,
)
from duly.policy import rerun
from duly.policy.notify import NoticeKind
from duly.policy.rerun import ArtifactFact, ExecutionFact, RerunFacts
from duly.transactions import alarm
from duly.transactions.alarm import News
from duly.transactions.execute import may_live
from duly.transactions.moves import Why, known, move, scope_of
from duly.transactions.operate import restarted
from duly.transactions.plans import work_of

_ACTOR: Final = "answerer"
_OPEN: Final = (EffectState.PENDING, EffectState.UNKNOWN)
_UNSTARTED: Final = (ExecutionState.INTENT, ExecutionState.NOT_STARTED_PROVEN)
_WORST_FIRST: Final = (
    ArtifactFact.MISSING,
    ArtifactFact.ALTERED,
    ArtifactFact.SUPERSEDED,
    ArtifactFact.INTACT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFacts:
    """What has to be looked at outside: absolute paths with the SHA-256 that should be there, `files`.

    `is_replaced`: further files of the run were replaced by later recorded publications, and count as intact.
    """

    run: Run
    files: tuple[tuple[str, str], ...]
    is_replaced: bool


def join_facts(tx: Tx, occurrence: Occurrence) -> JoinFacts:
    """Read what a joined occurrence's run left."""
    run = known(tx, _run_id(occurrence))
    if run.outcome is not Outcome.COMPLETED:
        return JoinFacts(run=run, files=(), is_replaced=False)
    files: dict[str, str] = {}
    is_replaced = False
    pin, published = _pin(tx, run), tx.publications_of_run(run.run_id)
    for item in published:
        newest = tx.newest_publication(item.workspace_id, item.path)
        if newest is not None and newest.number > item.number:
            is_replaced = is_replaced or newest.run_id != run.run_id
        else:
            files[item.path] = item.sha256
    known_paths = {item.path for item in published}
    for path, artifact in _artifacts(tx, run):
        # A redo has published nothing where the recorded file was the answer, or a later window's stood.
        newest = tx.newest_publication(pin.workspace_id, path)
        is_others = newest is not None and (
            newest.window_key != pin.window_key or newest.at > artifact.at
        )
        if path not in known_paths and is_others:
            is_replaced = True
        elif path not in known_paths:
            files[path] = artifact.sha256
    return JoinFacts(run=run, files=tuple(sorted(files.items())), is_replaced=is_replaced)


def _artifacts(tx: Tx, run: Run) -> list[tuple[str, Artifact]]:
    """Return the run's artifacts by their absolute paths."""
    root = _work(tx, run).root.rstrip("/")
    return [
        (item.path if item.path.startswith("/") else f"{root}/{item.path}", item)
        for item in tx.artifacts(run.run_id)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerJoin:
    """A joined occurrence, and how each of the files of its `JoinFacts` was found, in their order."""

    occurrence: Occurrence
    found: tuple[ArtifactFact, ...]


def answer_join(tx: Tx, command: AnswerJoin) -> RerunVerdict:
    """Record what the occurrence came to, once; a run that failed before any write starts again."""
    occurrence = command.occurrence
    answered = tx.rerun_verdict(occurrence.automation_id, occurrence.occurrence_key)
    if answered is not None:
        return answered
    facts = join_facts(tx, occurrence)
    verdict = _verdict(tx, facts, command.found)
    row = RerunVerdict(
        automation_id=occurrence.automation_id,
        occurrence_key=occurrence.occurrence_key,
        run_id=facts.run.run_id,
        verdict=verdict,
        reason=facts.run.reason,
        at=tx.at,
    )
    tx.add_rerun_verdict(row)
    body = {"occurrence": occurrence.occurrence_key, "verdict": verdict.value}
    tx.audit(scope_of(facts.run.run_id), "run.asked_again", body, _ACTOR)
    _act(tx, facts.run, verdict, command)
    return row


def _verdict(tx: Tx, facts: JoinFacts, found: tuple[ArtifactFact, ...]) -> Verdict:
    run = facts.run
    effects = tx.effects_of_run(run.run_id)
    verdict = rerun.decide(
        RerunFacts(
            state=run.state,
            outcome=run.outcome,
            lease_live=run.lease_until is not None and run.lease_until > tx.at,
            artifact=_artifact(facts, found),
            execution=_execution(tx.executions(run.run_id), run),
            effects_open=any(effect.state in _OPEN for effect in effects),
            restart=_work(tx, run).agent.restart,
            writes_contained=False,
            wrote=any(effect.state is EffectState.SUCCEEDED for effect in effects),
            input_changed=False,
        )
    )
    is_for_person = run.outcome is Outcome.NEEDS_REVIEW
    # Going on behind an unanswered review would let the reviewed work through.
    return Verdict.STOPPED if verdict is Verdict.RECONCILE and is_for_person else verdict


def _artifact(facts: JoinFacts, found: tuple[ArtifactFact, ...]) -> ArtifactFact:
    """Return how the worst of a run's files was found."""
    missing = (ArtifactFact.MISSING,) * (len(facts.files) - len(found))
    replaced = (ArtifactFact.SUPERSEDED,) if facts.is_replaced else ()
    everything = {*found, *missing, *replaced}
    return next((fact for fact in _WORST_FIRST if fact in everything), ArtifactFact.NONE_DECLARED)


def _execution(executions: list[Execution], run: Run) -> ExecutionFact:
    """Return what is known of the programs of a run that nobody works on."""
    if not executions:
        return ExecutionFact.NEVER_STARTED
    if run.may_live or any(may_live(execution) for execution in executions):
        return ExecutionFact.UNPROVABLE_TOO_LONG
    if all(execution.state in _UNSTARTED for execution in executions):
        return ExecutionFact.NOT_STARTED_PROVEN
    is_seen = executions[-1].state is ExecutionState.SETTLED
    return ExecutionFact.SETTLED if is_seen else ExecutionFact.DEAD


def _act(tx: Tx, run: Run, verdict: Verdict, command: AnswerJoin) -> None:
    key = command.occurrence.occurrence_key
    if verdict is Verdict.RESTART:
        event, why = RunEvent.RESTART, Why(actor=_ACTOR, reason=key)
    elif verdict is Verdict.RECONCILE:
        event, why = RunEvent.RESUME, Why(actor=_ACTOR, reason=key)
    else:
        if verdict in (Verdict.REVIEW, Verdict.REVIEW_ARTIFACT):
            _tell(tx, run, command)
        return
    move(tx, run, restarted(tx, run, event, None), event, why)
    tx.wake("ready")


def _tell(tx: Tx, run: Run, command: AnswerJoin) -> None:
    is_missing = ArtifactFact.MISSING in command.found
    reason = Reason.ARTIFACT_MISSING if is_missing else Reason.ARTIFACT_ALTERED
    body = {"outcome": Outcome.NEEDS_REVIEW.value, "reason": reason.value}
    about = f"{run.run_id}:{command.occurrence.occurrence_key}"
    news = News(kind=NoticeKind.NEEDS_REVIEW, about=about, run_id=run.run_id, body=body)
    alarm.raise_news(tx, run.automation_id, news)


def _run_id(occurrence: Occurrence) -> RunId:
    assert occurrence.run_id is not None
    return occurrence.run_id


def _pin(tx: Tx, run: Run) -> RunPin:
    pin = tx.run_pin(run.run_id)
    assert pin is not None
    return pin


def _work(tx: Tx, run: Run) -> Work:
    pin = _pin(tx, run)
    revision = tx.revision(pin.automation_id, pin.revision)
    assert revision is not None
    return work_of(revision.work)
