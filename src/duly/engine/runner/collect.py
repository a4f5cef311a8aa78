"""The start of an attempt: prove older programs dead, settle open effects, decide, freeze what is read."""

from dataclasses import dataclass, replace
from typing import Final

from duly.adapters.launch.proof import ExecutionFacts
from duly.adapters.work.requests import (
    CheckPlace,
    DeathProof,
    FileFound,
    KeepLeftLog,
    KeptLog,
    Observe,
    Observed,
    Place,
    ProveDead,
    ReadBack,
)
from duly.engine.requests import Steps, Write, now, outside, read, surely
from duly.engine.runner import endings
from duly.engine.runner.attempt import AGENT, Attempt, CancelRequestedError
from duly.engine.runner.leave import Leave, ParkFor, SettleAs
from duly.ledger.api.tx import Tx
from duly.model.effect import Effect
from duly.model.ids import RunId
from duly.model.instant import SECOND_US, Instant
from duly.model.reasons import Reason
from duly.model.run import Execution, Snapshot
from duly.model.states import (
    EffectEvent,
    EffectState,
    ErrorClass,
    ExecutionEvent,
    ExecutionState,
    Outcome,
    RunState,
    Verdict,
)
from duly.policy import rerun
from duly.policy.effects import Known, ReadBackFacts, decide_readback
from duly.policy.ending import Ending
from duly.policy.rerun import ArtifactFact, ExecutionFact, RerunFacts
from duly.transactions.execute import (
    EndExecution,
    Freeze,
    end_execution,
    freeze_snapshot,
    run_facts,
)
from duly.transactions.publish import (
    PublicationResult,
    SettlePublications,
    payload_of,
    settle_publications,
)
from duly.transactions.settle import PARKED, SETTLED

LOOK_AGAIN_US: Final = 15 * SECOND_US
LOOKS: Final = 4
"""An attempt that cannot start gives up its claim and looks again later: this often within a short deadline."""

_MAY_LIVE: Final = frozenset(
    {ExecutionState.DISPATCH_STARTED, ExecutionState.ATTACHED, ExecutionState.OUTCOME_UNKNOWN}
)
_OPEN: Final = frozenset({EffectState.PENDING, EffectState.UNKNOWN})
_MISSING: Final = {
    Place.DIRECTORY_MISSING: Reason.CWD_MISSING,
    Place.PROGRAM_MISSING: Reason.PROGRAM_MISSING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What the attempt works from: its facts as they are now that the past is settled, and what it reads.

    `finished`: an older attempt's agent ended, and its end is recorded; go on behind it.
    """

    attempt: Attempt
    snapshot: Snapshot
    finished: Execution | None


def collect(attempt: Attempt) -> Steps[Collected | Leave]:
    """Make sure that this attempt may go on, and freeze what it reads; or say how it leaves.

    Raises CancelRequestedError once nothing of the run lives and no effect of it is open.
    """
    leave = yield from _prove_older_dead(attempt)
    if leave is not None:
        return leave
    leave = yield from _reconcile(attempt)
    if leave is not None:
        return leave
    facts = yield from read(run_facts, attempt.claim.run_id)
    attempt = replace(attempt, facts=facts)
    if facts.run.cancel_actor is not None:
        raise CancelRequestedError
    leave = _verdict(attempt)
    if leave is not None:
        return leave
    leave = yield from _check_place(attempt)
    if leave is not None:
        return leave
    snapshot = yield from _snapshot(attempt)
    finished = yield from _finished(attempt)
    return Collected(attempt=attempt, snapshot=snapshot, finished=finished)


def _prove_older_dead(attempt: Attempt) -> Steps[Leave | None]:
    for execution in attempt.facts.executions:
        if execution.state is ExecutionState.INTENT:
            yield from _end(
                attempt, execution, ExecutionEvent.PROVE_NOT_STARTED, endings.NOT_STARTED, None
            )
    doubtful = tuple(e for e in attempt.facts.executions if e.state in _MAY_LIVE and not e.is_empty)
    if not doubtful:
        return None
    proof: DeathProof = yield from outside(ProveDead(executions=tuple(map(_facts_of, doubtful))))
    # A person who let the run go on vouches for what nobody can prove.
    if proof is DeathProof.MAY_LIVE and not attempt.facts.is_vouched:
        return (yield from _unprovable(attempt, doubtful))
    for execution in doubtful:
        log: KeptLog | None = yield from outside(KeepLeftLog(token=execution.token))
        yield from _end(attempt, execution, ExecutionEvent.PROVE_DEAD, endings.DEAD, log)
    return None


def _facts_of(execution: Execution) -> ExecutionFacts:
    return ExecutionFacts(
        boot_id=execution.boot_id or "",
        run_token=execution.token,
        launcher_pid=execution.launcher_pid,
        launcher_ticks=execution.launcher_ticks,
        pid=execution.pid,
        start_ticks=execution.start_ticks,
    )


def _end(
    attempt: Attempt, execution: Execution, event: ExecutionEvent, ending: str, log: KeptLog | None
) -> Steps[None]:
    command = EndExecution(
        claim=attempt.claim,
        fence=execution.fence,
        part=execution.part,
        event=event,
        ending=ending,
        exit_code=None,
        log_sha256=None if log is None else log.sha256,
        log_bytes=None if log is None else log.bytes,
        is_empty=True,
    )
    yield from surely(Write(end_execution, command))


def _unprovable(attempt: Attempt, doubtful: tuple[Execution, ...]) -> Steps[Leave]:
    """Wait for a proof, up to a limit behind the lease; then only a person can say that nothing lives."""
    woke = yield from now()
    ends = yield from read(_attempt_ends, attempt.claim.run_id)
    since = max(ends.get(execution.fence, woke.at) for execution in doubtful)
    if woke.at - since < attempt.node.settings.host_unreachable_us:
        delay_us = _look_again(attempt.node.settings.host_unreachable_us)
        return ParkFor(reason=Reason.HOST_UNREACHABLE, delay_us=delay_us)
    return SettleAs(ending=unreachable(), may_live=True)


def unreachable() -> Ending:
    """Return the ending of a run of which a program may live that nobody can prove dead."""
    return _review(Reason.HOST_UNREACHABLE, ErrorClass.UNKNOWN_OUTCOME)


def _attempt_ends(tx: Tx, run_id: RunId) -> dict[int, Instant]:
    """Return when each older attempt was taken back, by its fence."""
    ended = ((attempt.fence, attempt.ended_at) for attempt in tx.attempts(run_id))
    return {fence: at for fence, at in ended if at is not None}


def _reconcile(attempt: Attempt) -> Steps[Leave | None]:
    """Settle publications of unknown fate by what stands at their paths; their writers are dead."""
    unsettled = tuple(effect for effect in attempt.facts.effects if effect.state in _OPEN)
    if not unsettled:
        return None
    payloads = [payload_of(effect) for effect in unsettled]
    request = ReadBack(
        root=attempt.facts.work.root, paths=tuple(payload.path for payload in payloads)
    )
    found: tuple[FileFound, ...] = yield from outside(request)
    woke = yield from now()
    results = [
        _result(effect, file, woke.at) for effect, file in zip(unsettled, found, strict=True)
    ]
    known = tuple(result for result in results if result is not None)
    yield from surely(
        Write(settle_publications, SettlePublications(claim=attempt.claim, results=known))
    )
    if len(known) < len(unsettled):
        return SettleAs(ending=_review(Reason.EFFECT_ALTERED, ErrorClass.UNKNOWN_OUTCOME))
    return None


def _result(effect: Effect, file: FileFound, at: Instant) -> PublicationResult | None:
    payload = payload_of(effect)
    if file.trouble is not None:
        return None
    # Whoever wrote it is proven dead, so what is not there now will not come.
    facts = ReadBackFacts(
        found=file.sha256, before=payload.before, after=payload.after, settled_at=at
    )
    verdict = decide_readback(facts, at)
    if not isinstance(verdict, Known):
        return None
    is_applied = verdict.event is EffectEvent.APPLY
    return PublicationResult(
        effect_id=effect.effect_id,
        event=verdict.event,
        external_id=payload.after if is_applied else None,
        detail="read back",
    )


def _verdict(attempt: Attempt) -> Leave | None:
    """Ask the rerun table about a run that was at work before."""
    facts = attempt.facts
    if not facts.executions or facts.is_vouched:
        return None
    verdict = rerun.decide(
        RerunFacts(
            state=RunState.COLLECTING,
            outcome=None,
            lease_live=False,
            artifact=ArtifactFact.NONE_DECLARED,
            execution=_execution_fact(facts.executions),
            effects_open=False,
            restart=facts.work.agent.restart,
            writes_contained=False,
            wrote=bool(facts.publications),
            input_changed=False,
        )
    )
    if verdict is Verdict.RESUME:
        return None
    assert verdict is Verdict.REVIEW, verdict
    return SettleAs(ending=_review(Reason.MAY_HAVE_WRITTEN, ErrorClass.UNKNOWN_OUTCOME))


def _execution_fact(executions: tuple[Execution, ...]) -> ExecutionFact:
    """Say what is known of the newest agent, all being dead; precheck and verify change nothing by contract."""
    agents = [execution for execution in executions if execution.part == AGENT]
    if not agents:
        return ExecutionFact.NEVER_STARTED
    newest = agents[-1]
    if newest.state in (ExecutionState.INTENT, ExecutionState.NOT_STARTED_PROVEN):
        return ExecutionFact.NOT_STARTED_PROVEN
    return ExecutionFact.SETTLED if endings.read(newest) is not None else ExecutionFact.DEAD


def _finished(attempt: Attempt) -> Steps[Execution | None]:
    """Return the agent's execution of an attempt that was interrupted behind it; settled or parked ones start anew."""
    interrupted = yield from read(_interrupted, attempt.claim.run_id)
    agents = [one for one in attempt.facts.executions if one.part == AGENT]
    if not agents or attempt.facts.is_vouched or agents[-1].fence not in interrupted:
        return None
    return agents[-1] if endings.read(agents[-1]) is not None else None


def _interrupted(tx: Tx, run_id: RunId) -> frozenset[int]:
    """Return the fences of attempts that did not end their run or park it themselves."""
    attempts = tx.attempts(run_id)
    return frozenset(one.fence for one in attempts if one.ending not in (SETTLED, PARKED))


def _check_place(attempt: Attempt) -> Steps[Leave | None]:
    place: Place = yield from outside(CheckPlace(work=attempt.facts.work))
    if place is Place.READY:
        return None
    start_us_max = attempt.facts.timing.start_us_max
    return ParkFor(
        reason=_MISSING[place], delay_us=_look_again(start_us_max), start_us_max=start_us_max
    )


def _look_again(limit_us: int) -> int:
    return min(LOOK_AGAIN_US, limit_us // LOOKS)


def _snapshot(attempt: Attempt) -> Steps[Snapshot]:
    if attempt.facts.snapshot is not None:
        return attempt.facts.snapshot
    facts = attempt.facts
    seen: Observed = yield from outside(Observe(pin=facts.pin, work=facts.work))
    snapshot = Snapshot(
        run_id=attempt.claim.run_id,
        fence=attempt.claim.fence,
        claim_id=attempt.claim.claim_id,
        source_set=seen.source_set,
        base_commit=seen.base_commit,
        base_tree=seen.base_tree,
        observed_at=seen.observed_at,
        content=seen.content,
        at=seen.observed_at,
    )
    frozen = yield from surely(
        Write(freeze_snapshot, Freeze(claim=attempt.claim, snapshot=snapshot))
    )
    return frozen


def _review(reason: Reason, error_class: ErrorClass) -> Ending:
    return Ending(outcome=Outcome.NEEDS_REVIEW, grade=None, reason=reason, error_class=error_class)
