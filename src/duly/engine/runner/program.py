"""Run one program of an attempt: intent and dispatch are recorded before it starts, its end before all else."""

from dataclasses import replace
from typing import Final

from duly.adapters.launch import events
from duly.adapters.work.requests import (
    DeathProof,
    KeepLog,
    KeptLog,
    Part,
    Prepare,
    Prepared,
    ProveDead,
)
from duly.engine.requests import (
    Ended,
    Handle,
    Loop,
    Order,
    Program,
    Send,
    Steps,
    Stop,
    Wait,
    Woke,
    Write,
    now,
    outside,
    start,
    surely,
    wait,
)
from duly.engine.runner import endings, watch
from duly.engine.runner.attempt import Attempt, MayLiveError
from duly.engine.runner.watch import Watch
from duly.model import canonical
from duly.model.errors import LeaseLostError
from duly.model.plan import Timeouts
from duly.model.reasons import Reason
from duly.model.run import Execution
from duly.model.states import ExecutionEvent, ExecutionState
from duly.policy.ending import Exit, NotStarted
from duly.transactions.execute import (
    Attach,
    BeginExecution,
    DispatchExecution,
    EndExecution,
    attach_execution,
    begin_execution,
    dispatch_execution,
    end_execution,
)

_REASONS: Final = {
    events.NotStartedReason.PROGRAM_MISSING: Reason.PROGRAM_MISSING,
    events.NotStartedReason.PROGRAM_DENIED: Reason.PROGRAM_NOT_EXECUTABLE,
    events.NotStartedReason.PROGRAM_UNUSABLE: Reason.PROGRAM_NOT_EXECUTABLE,
    events.NotStartedReason.DIRECTORY_MISSING: Reason.CWD_MISSING,
    events.NotStartedReason.DIRECTORY_DENIED: Reason.CWD_MISSING,
    events.NotStartedReason.SYSTEM: Reason.START_FAILED,
}


def run(attempt: Attempt, part: Part, limits: Timeouts) -> Steps[Exit]:
    """Run a program until its whole tree is dead, and say how it ended.

    Raises LeaseLostError, its tree killed; CannotWorkError if it cannot be prepared; MayLiveError, its end recorded.
    """
    prepared: Prepared = yield from outside(Prepare(part=part))
    began = yield from now()
    execution = _intent(attempt, part, prepared, began)
    yield from surely(
        Write(begin_execution, BeginExecution(claim=attempt.claim, execution=execution))
    )
    yield from surely(
        Write(dispatch_execution, DispatchExecution(claim=attempt.claim, part=part.name))
    )
    handle = yield from start(Program(launch=prepared.launch, write_output=prepared.write_output))
    begun = yield from _launched(prepared)
    seen = yield from _follow(attempt, (part, limits), handle, begun)
    return (yield from _record_end(attempt, part, prepared, seen))


def _intent(attempt: Attempt, part: Part, prepared: Prepared, began: Woke) -> Execution:
    return Execution(
        run_id=attempt.claim.run_id,
        fence=attempt.claim.fence,
        part=part.name,
        claim_id=attempt.claim.claim_id,
        state=ExecutionState.INTENT,
        token=part.token,
        argv=canonical.to_json(list(prepared.argv_shown)),
        prompt_sha256=prepared.prompt_sha256,
        boot_id=None,
        launcher_pid=None,
        launcher_ticks=None,
        pid=None,
        start_ticks=None,
        ending=None,
        exit_code=None,
        log_sha256=None,
        log_bytes=None,
        is_empty=False,
        started_at=began.at,
        ended_at=None,
    )


def _launched(prepared: Prepared) -> Steps[Watch]:
    woke = yield from now()
    return Watch(facts=prepared.facts, launched_us=woke.awake_us, spoke_us=woke.awake_us)


def _follow(
    attempt: Attempt, what: tuple[Part, Timeouts], handle: Handle, seen: Watch
) -> Steps[Watch]:
    """Hear the program until nothing more comes, ending it at its limits or when a person or the ledger says so."""
    (part, limits), keys, woke = what, attempt.keys.every, (yield from now())
    attaching: tuple[Handle, ...] = ()
    while not seen.is_over and not watch.is_hopeless(seen, woke.awake_us):
        until_us = watch.next_limit(seen, limits)
        woke = yield from wait(Wait((handle, *attaching), keys, until_awake_us=until_us))
        before, heard = seen, _heard(attempt, seen, woke, is_program=woke.handle not in attaching)
        seen = watch.killed(watch.reached(heard, limits, woke.awake_us), woke.awake_us)
        if woke.handle in attaching:
            attaching = ()
        if isinstance(woke.message, events.Started):
            # Beside the watch: the ledger may be away for longer than this holder may let its program go on.
            steps = _record_start(_attach(attempt, part, woke.message))
            attaching = ((yield from start(Loop(steps, name="attach"))),)
        if seen.has_lost_launcher and not before.has_lost_launcher:
            seen = replace(seen, is_empty=(yield from _is_dead(seen)))
        yield from _order(attempt, handle, before, seen)
    for one in attaching:
        yield from _attached(attempt, one)
    return seen


def _heard(attempt: Attempt, seen: Watch, woke: Woke, *, is_program: bool) -> Watch:
    if is_program:
        return watch.hear(seen, woke, attempt.keys)
    return replace(seen, is_lost=seen.is_lost or not _is_held(woke.message))


def _record_start(command: Attach) -> Steps[bool]:
    """Record which processes run the program; answers whether the claim is still held."""
    try:
        yield from surely(Write(attach_execution, command))
    except LeaseLostError:
        return False
    return True


def _attached(attempt: Attempt, attaching: Handle) -> Steps[None]:
    """Wait until the start is recorded, so that the end can be."""
    woke = yield from wait(Wait((attaching,)))
    while woke.message is None:
        woke = yield from wait(Wait((attaching,)))
    if not _is_held(woke.message):
        raise LeaseLostError(f"another claim was made for run {attempt.claim.run_id}")


def _is_held(ended: Ended) -> bool:
    if ended.error is not None:
        raise ended.error
    return bool(ended.value)


def _attach(attempt: Attempt, part: Part, started: events.Started) -> Attach:
    facts = started.facts
    assert facts.launcher_pid is not None and facts.launcher_ticks is not None
    return Attach(
        claim=attempt.claim,
        part=part.name,
        boot_id=facts.boot_id,
        launcher_pid=facts.launcher_pid,
        launcher_ticks=facts.launcher_ticks,
        pid=facts.pid,
        start_ticks=facts.start_ticks,
    )


def _order(attempt: Attempt, handle: Handle, before: Watch, after: Watch) -> Steps[None]:
    """Tell the program what follows from what has just been heard."""
    if after.is_lost:
        yield Stop(handle)
        raise LeaseLostError(f"another claim was made for run {attempt.claim.run_id}")
    if after.is_frozen is not before.is_frozen:
        yield Send(handle, Order.FREEZE if after.is_frozen else Order.THAW)
    if after.is_killed and not before.is_killed:
        yield Stop(handle)
    elif after.stopping is not None and before.stopping is None:
        yield Send(handle, Order.TERMINATE)


def _record_end(attempt: Attempt, part: Part, prepared: Prepared, seen: Watch) -> Steps[Exit]:
    kept: KeptLog = yield from outside(KeepLog(log=prepared.log))
    is_empty = seen.is_empty or (yield from _is_dead(seen))
    if seen.refusal is not None:
        event, ended = ExecutionEvent.PROVE_NOT_STARTED, _refused(seen.refusal)
        ending, code = endings.NOT_STARTED, None
    else:
        # Unless all are proven dead, the next attempt has to prove it first.
        event = ExecutionEvent.SETTLE if is_empty else ExecutionEvent.LOSE
        ended = watch.exit_of(seen)
        ending, code = endings.write(ended)
    command = EndExecution(
        claim=attempt.claim,
        fence=attempt.claim.fence,
        part=part.name,
        event=event,
        ending=ending,
        exit_code=code,
        log_sha256=kept.sha256,
        log_bytes=kept.bytes,
        is_empty=is_empty,
    )
    yield from surely(Write(end_execution, command))
    if not is_empty:
        raise MayLiveError
    return ended


def _is_dead(seen: Watch) -> Steps[bool]:
    """Find who is left of a tree that was not reported empty, kill them, and say whether that is proven."""
    proof: DeathProof = yield from outside(ProveDead(executions=(seen.facts,), is_own=True))
    return proof is DeathProof.DEAD


def _refused(refusal: events.NotStarted) -> Exit:
    return NotStarted(reason=_REASONS[refusal.reason])
