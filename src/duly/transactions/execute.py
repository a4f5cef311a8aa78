"""What the holder of a claim reads and records while it works on a run.

Each write raises LeaseLostError, having written nothing, once another claim was made; each may be repeated.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation, Revision
from duly.model.claims import Claim
from duly.model.effect import Effect, Publication
from duly.model.errors import LeaseLostError
from duly.model.ids import RunId
from duly.model.plan import Timing, Work
from duly.model.reasons import Reason
from duly.model.run import Artifact, Execution, LateReport, Run, RunPin, Snapshot
from duly.model.states import ExecutionEvent, ExecutionState, RunEvent
from duly.policy import lifecycle
from duly.transactions.moves import Why, advanced, held, holder_of, known, move_held, scope_of
from duly.transactions.plans import timing_of, work_of

_NEVER_STARTED: Final = frozenset({ExecutionState.INTENT, ExecutionState.NOT_STARTED_PROVEN})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """All that is recorded of a run and what it is for.

    `is_vouched`: a person looked, and let it go on; earlier executions are no reason for another review.
    """

    run: Run
    pin: RunPin
    automation: Automation
    revision: Revision
    timing: Timing
    work: Work
    snapshot: Snapshot | None
    executions: tuple[Execution, ...]
    effects: tuple[Effect, ...]
    artifacts: tuple[Artifact, ...]
    publications: tuple[Publication, ...]
    late_reports: tuple[LateReport, ...]
    is_vouched: bool


def run_facts(tx: Tx, run_id: RunId) -> RunFacts:
    """Read everything about one run. Raises NotFoundError."""
    run = known(tx, run_id)
    pin = tx.run_pin(run_id)
    automation = tx.automation(run.automation_id)
    assert pin is not None and automation is not None
    revision = tx.revision(pin.automation_id, pin.revision)
    assert revision is not None
    return RunFacts(
        run=run,
        pin=pin,
        automation=automation,
        revision=revision,
        timing=timing_of(revision.timing),
        work=work_of(revision.work),
        snapshot=tx.snapshot(run_id),
        executions=tuple(tx.executions(run_id)),
        effects=tuple(tx.effects_of_run(run_id)),
        artifacts=tuple(tx.artifacts(run_id)),
        publications=tuple(tx.publications_of_run(run_id)),
        late_reports=tuple(tx.late_reports(run_id)),
        is_vouched=is_vouched(run),
    )


def is_vouched(run: Run) -> bool:
    """Say whether a person let the run go on; that holds until the next attempt ends."""
    return run.reason == Reason.RESUMED.value


@dataclass(frozen=True, slots=True, kw_only=True)
class EnterPhase:
    """The holder goes on to a later phase of its run."""

    claim: Claim
    event: RunEvent
    reason: str | None = None


def enter_phase(tx: Tx, command: EnterPhase) -> Run:
    """Record the phase that a run is in. Raises IllegalMoveError for a move that is no phase of it."""
    run = held(tx, command.claim)
    if _is_there(run, command.event):
        return run
    after = advanced(tx, run, command.event)
    why = Why(actor=holder_of(run), reason=command.reason)
    return move_held(tx, command.claim, (run, after), command.event, why)


def _is_there(run: Run, event: RunEvent) -> bool:
    """Say whether an earlier try of the same write has moved the run already."""
    return run.state in {
        to for (_, by), to in lifecycle.RUN.items() if by is event and to in lifecycle.CLAIMED
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze:
    """What the first attempt found to read."""

    claim: Claim
    snapshot: Snapshot


def freeze_snapshot(tx: Tx, command: Freeze) -> Snapshot:
    """Freeze what every attempt of the run reads; the one frozen first wins."""
    run = held(tx, command.claim)
    found = tx.snapshot(run.run_id)
    if found is not None:
        return found
    if not tx.add_snapshot(command.claim, command.snapshot):
        raise LeaseLostError(f"another claim on {run.run_id} was made")
    body = {
        "base_commit": command.snapshot.base_commit,
        "base_tree": command.snapshot.base_tree,
        "observed_at": command.snapshot.observed_at,
        "fence": command.claim.fence,
    }
    tx.audit(scope_of(run.run_id), "snapshot.frozen", body, holder_of(run))
    return command.snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginExecution:
    """A program that is going to be started; its state is `intent`."""

    claim: Claim
    execution: Execution


def begin_execution(tx: Tx, command: BeginExecution) -> Execution:
    """Record the intent, before anything is started; from here on the run's start deadline is kept."""
    run = held(tx, command.claim)
    execution = command.execution
    if not tx.add_execution(command.claim, execution):
        return _execution(tx, run, execution.fence, execution.part)
    if run.start_by is not None:
        _record(tx, command.claim, replace(run, start_by=None))
    body = {
        "part": execution.part,
        "fence": execution.fence,
        "argv": execution.argv,
        "prompt": execution.prompt_sha256,
    }
    tx.audit(scope_of(run.run_id), "execution.begun", body, holder_of(run))
    return execution


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchExecution:
    """The program is started now."""

    claim: Claim
    part: str


def dispatch_execution(tx: Tx, command: DispatchExecution) -> Execution:
    """Record that a child may live, before it can."""
    run = held(tx, command.claim)
    before = _execution(tx, run, command.claim.fence, command.part)
    if before.state is ExecutionState.DISPATCH_STARTED:
        return before
    after = _move(tx, command.claim, before, ExecutionEvent.DISPATCH, before)
    if not run.may_live:
        _record(tx, command.claim, replace(run, may_live=True))
    return after


@dataclass(frozen=True, slots=True, kw_only=True)
class Attach:
    """The processes of a started program, named so that their death can be proven."""

    claim: Claim
    part: str
    boot_id: str
    launcher_pid: int
    launcher_ticks: int
    pid: int | None
    start_ticks: int | None


def attach_execution(tx: Tx, command: Attach) -> Execution:
    """Record which processes run the program."""
    run = held(tx, command.claim)
    before = _execution(tx, run, command.claim.fence, command.part)
    if before.state is ExecutionState.ATTACHED:
        return before
    changed = replace(
        before,
        boot_id=command.boot_id,
        launcher_pid=command.launcher_pid,
        launcher_ticks=command.launcher_ticks,
        pid=command.pid,
        start_ticks=command.start_ticks,
    )
    body = {"boot_id": command.boot_id, "launcher_pid": command.launcher_pid, "pid": command.pid}
    after = _move(tx, command.claim, before, ExecutionEvent.ATTACH, changed)
    _audit(tx, run, after, "execution.attached", body)
    return after


@dataclass(frozen=True, slots=True, kw_only=True)
class EndExecution:
    """What became of an execution, of this attempt or (by proof) of an older one: `fence` names it.

    `is_empty`: nothing of its tree lives.
    """

    claim: Claim
    fence: int
    part: str
    event: ExecutionEvent
    ending: str
    exit_code: int | None
    log_sha256: str | None
    log_bytes: int | None
    is_empty: bool


def end_execution(tx: Tx, command: EndExecution) -> Execution:
    """Record how an execution ended; the run may have a living child until all of its executions are over."""
    run = held(tx, command.claim)
    before = _execution(tx, run, command.fence, command.part)
    if before.ended_at is not None and before.ending == command.ending:
        return before
    is_over = command.event is not ExecutionEvent.LOSE
    changed = replace(
        before,
        ending=command.ending,
        exit_code=command.exit_code,
        log_sha256=command.log_sha256 or before.log_sha256,
        log_bytes=before.log_bytes if command.log_bytes is None else command.log_bytes,
        is_empty=command.is_empty,
        ended_at=tx.at if is_over else before.ended_at,
    )
    after = _move(tx, command.claim, before, command.event, changed)
    body = {"ending": command.ending, "exit": command.exit_code, "is_empty": command.is_empty}
    _audit(tx, run, after, f"execution.{command.event.value}", body)
    is_any_left = any(may_live(execution) for execution in tx.executions(run.run_id))
    if is_any_left != run.may_live:
        _record(tx, command.claim, replace(run, may_live=is_any_left))
    return after


def may_live(execution: Execution) -> bool:
    """Say whether a process of an execution may still live."""
    return not execution.is_empty and execution.state not in _NEVER_STARTED


def _execution(tx: Tx, run: Run, fence: int, part: str) -> Execution:
    for execution in tx.executions(run.run_id):
        if (execution.fence, execution.part) == (fence, part):
            return execution
    raise AssertionError(f"no execution {part} of fence {fence} was begun for {run.run_id}")


def _move(
    tx: Tx, claim: Claim, before: Execution, event: ExecutionEvent, changed: Execution
) -> Execution:
    after = replace(changed, state=lifecycle.advance_execution(before.state, event))
    if not tx.record_execution(claim, after):
        raise LeaseLostError(f"another claim on {claim.run_id} was made")
    return after


def _record(tx: Tx, claim: Claim, run: Run) -> None:
    if not tx.record_held_run(claim, run):
        raise LeaseLostError(f"another claim on {claim.run_id} was made")


def _audit(tx: Tx, run: Run, execution: Execution, kind: str, body: Mapping[str, object]) -> None:
    full = {"part": execution.part, "fence": execution.fence, **body}
    tx.audit(scope_of(run.run_id), kind, full, holder_of(run))
