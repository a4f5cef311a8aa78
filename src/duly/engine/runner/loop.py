"""The runner: one attempt from its claim to its settlement, as a loop that the driver advances."""

from typing import Final

from duly.adapters.work.errors import CannotWorkError
from duly.engine.node import Node
from duly.engine.requests import Read, RunKeys, Steps, read
from duly.engine.runner import endings, program
from duly.engine.runner.attempt import (
    AGENT,
    PRECHECK,
    Attempt,
    CancelRequestedError,
    MayLiveError,
)
from duly.engine.runner.collect import Collected, collect, unreachable
from duly.engine.runner.examine import finish, limits_of
from duly.engine.runner.leave import Leave, SettleAs, leave
from duly.model.errors import LeaseLostError
from duly.model.plan import Work
from duly.model.reasons import Reason
from duly.model.run import ClaimedRun, Snapshot
from duly.model.states import ExecutionState, RunEvent
from duly.policy import outcome
from duly.policy.ending import (
    ArtifactCheck,
    Cancelled,
    Declined,
    EndFacts,
    Exit,
    Exited,
    NotStarted,
    VerifyResult,
)
from duly.transactions.execute import RunFacts, run_facts

NOTHING_TO_DO: Final = 77
"""What a precheck exits with when its window has no work (decision 0001)."""


def runner(node: Node, claimed: ClaimedRun) -> Steps[None]:
    """Work on a claimed run until it is settled, parked or lost; wakes for its `RunKeys`."""
    facts: RunFacts = yield Read(run_facts, claimed.claim.run_id)
    attempt = Attempt(
        node=node,
        claim=claimed.claim,
        number=claimed.attempts,
        facts=facts,
        keys=RunKeys(run_id=claimed.claim.run_id),
    )
    try:
        how = yield from _work(attempt)
        yield from leave(attempt, how)
    except LeaseLostError:
        return  # whoever has the run now decides; nothing of this attempt lives


def _work(attempt: Attempt) -> Steps[Leave]:
    try:
        collected = yield from collect(attempt)
        if not isinstance(collected, Collected):
            return collected
        return (yield from _execute(collected))
    except MayLiveError:
        return SettleAs(ending=unreachable(), may_live=True)
    except CannotWorkError as error:
        detail = {"message": error.message, "fix": error.fix}
        return (yield from _without_agent(attempt, NotStarted(reason=error.reason), detail))
    except CancelRequestedError:
        return (yield from _cancelled(attempt))


def _execute(collected: Collected) -> Steps[Leave]:
    attempt, snapshot = collected.attempt, collected.snapshot
    work = attempt.facts.work
    finished = collected.finished
    if finished is not None:
        ended = endings.read(finished)
        assert ended is not None
        part = attempt.part(AGENT, work.agent.argv, snapshot, finished.fence)
        return (yield from finish(attempt, part, ended))
    stopped = yield from _precheck(attempt, work, snapshot)
    if stopped is not None:
        return (yield from _without_agent(attempt, stopped, {}))
    yield from attempt.enter(RunEvent.ANALYZE)
    part = attempt.part(AGENT, work.agent.argv, snapshot, attempt.claim.fence)
    ended = yield from program.run(attempt, part, work.agent.timeouts)
    if isinstance(ended, NotStarted):
        return (yield from _without_agent(attempt, ended, {}))
    return (yield from finish(attempt, part, ended))


def _precheck(attempt: Attempt, work: Work, snapshot: Snapshot) -> Steps[Exit | None]:
    """Ask whether the window has work; None: it has."""
    if work.precheck is None:
        return None
    part = attempt.part(PRECHECK, work.precheck.argv, snapshot, attempt.claim.fence)
    ended = yield from program.run(attempt, part, limits_of(work.precheck))
    match ended:
        case Exited(code=0):
            return None
        case Exited(code=code) if code == NOTHING_TO_DO:
            return Declined()
        case Cancelled():
            raise CancelRequestedError
        case NotStarted():
            return ended
        case _:
            return NotStarted(reason=Reason.PRECHECK_FAILED)


def _cancelled(attempt: Attempt) -> Steps[SettleAs]:
    """Return the ending of a cancelled attempt that has no agent of its own to look behind."""
    facts = yield from read(run_facts, attempt.claim.run_id)
    has_started = any(
        execution.part == AGENT and execution.state is not ExecutionState.NOT_STARTED_PROVEN
        for execution in facts.executions
    )
    return (yield from _without_agent(attempt, Cancelled(was_started=has_started), {}))


def _without_agent(attempt: Attempt, ended: Exit, detail: dict[str, str]) -> Steps[SettleAs]:
    """Return the ending of an attempt in which no agent ended; what it settled of its elders' counts."""
    facts = yield from read(run_facts, attempt.claim.run_id)
    work = facts.work
    end = EndFacts(
        exit=ended,
        exit_codes=work.expect.exit_codes,
        artifact=ArtifactCheck.NOT_DECLARED,
        verify=VerifyResult.NOT_DECLARED,
        in_scope_changes=False,
        out_of_scope=(),
        tree_changed=False,
        published=bool(facts.publications),
        restart=work.agent.restart,
        isolation=work.isolation,
    )
    return SettleAs(ending=outcome.decide(end), detail=detail)
