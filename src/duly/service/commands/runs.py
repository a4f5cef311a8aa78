"""Operations on runs: ask for one, cancel, resume, resolve."""

from typing import Any, Literal

from pydantic import Field

from duly.ledger.api.tx import Tx
from duly.model.ids import AutomationId, EffectId
from duly.model.states import Outcome
from duly.service.desk import Desk
from duly.service.queries import reading
from duly.service.queries.runs import EffectView, NameRun, RunDetail, effect_view, show_run
from duly.service.registry import Answer, Operation, Request, command
from duly.service.views import RunView, run_view, why_of
from duly.transactions import admit_manual, operate
from duly.transactions.admit_manual import RunAnswer, RunNow

NOTE_MAX = 4000


class StartRun(Request):
    """A window to work on; without a name the current one. A key asked twice gets the same answer."""

    job_key: str
    window: str | None = None
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=255)
    input_version: str | None = Field(default=None, min_length=1, max_length=255)
    redo: str | None = Field(default=None, min_length=1, max_length=NOTE_MAX)
    effects: Literal["recorded", "update", "review"] | None = None


class StartAnswer(Answer):
    """The run that answers, and how: started, joined or queued. `verdict` comes later, for a joined one."""

    run_id: str | None
    occurrence_key: str
    disposition: str
    reason: str | None
    why: str
    window_key: str | None
    is_replay: bool
    is_paused: bool
    verdict: str | None
    run: RunView | None


class EndRun(Request):
    """A run, and why a person acts on it."""

    run_id: str
    reason: str = Field(default="", max_length=NOTE_MAX)


class CancelView(Answer):
    """`is_done`: it is cancelled; else its holder ends it at the next safe point."""

    is_done: bool
    run: RunDetail


class ResolveRun(Request):
    """How a blocked run ended, and what shows it."""

    run_id: str
    outcome: Literal["completed", "failed", "cancelled"]
    evidence: str = Field(min_length=1, max_length=NOTE_MAX)


class ResolveEffect(Request):
    """What became of an effect: it happened (under this external id), or it did not."""

    effect_id: str
    happened: bool
    external_id: str | None = Field(default=None, min_length=1, max_length=1000)
    reason: str = Field(min_length=1, max_length=NOTE_MAX)


_OUTCOMES = {
    "completed": Outcome.COMPLETED,
    "failed": Outcome.FAILED_BEFORE_WRITE,
    "cancelled": Outcome.CANCELLED,
}


def start_run(desk: Desk, asked: StartRun) -> StartAnswer:
    """Admit a run by hand; it starts when a worker takes it."""
    known = desk.ledger.read(reading.known_automation, asked.job_key)
    desk.zones.load(known.timing.zone)
    wish = RunNow(
        automation_id=known.automation.automation_id,
        key=asked.idempotency_key or desk.new_id(),
        window_key=asked.window,
        input_version=asked.input_version,
        redo_reason=asked.redo,
        redo_effects=asked.effects or ("recorded" if asked.redo else None),
        actor=desk.actor,
        zones=desk.zones.known,
    )
    answer = desk.ledger.write(admit_manual.run_now, wish)
    return desk.ledger.read(_answer, (known.automation.automation_id, answer))


def _answer(tx: Tx, question: tuple[AutomationId, RunAnswer]) -> StartAnswer:
    automation_id, answer = question
    occurrence = answer.occurrence
    verdict = tx.rerun_verdict(automation_id, occurrence.occurrence_key)
    known = None if answer.run_id is None else reading.known_run(tx, answer.run_id)
    return StartAnswer(
        run_id=answer.run_id,
        occurrence_key=occurrence.occurrence_key,
        disposition=occurrence.disposition.value,
        reason=occurrence.reason,
        why=why_of(occurrence.reason),
        window_key=occurrence.window_key,
        is_replay=answer.is_replay,
        is_paused=answer.is_paused,
        verdict=None if verdict is None else verdict.verdict.value,
        run=None if known is None else run_view(known),
    )


def cancel_run(desk: Desk, asked: EndRun) -> CancelView:
    """End a run: at once where nobody works on it, else at the next safe point."""
    run_id = desk.ledger.read(reading.run_named, asked.run_id)
    wish = operate.CancelRun(run_id=run_id, actor=desk.actor, reason=asked.reason)
    answer = desk.ledger.write(operate.cancel_run, wish)
    return CancelView(is_done=answer.is_done, run=show_run(desk, NameRun(run_id=run_id)))


def resume_run(desk: Desk, asked: EndRun) -> RunDetail:
    """Let a stopped run go on; whoever says so vouches for what happened before."""
    run_id = desk.ledger.read(reading.run_named, asked.run_id)
    wish = operate.ResumeRun(run_id=run_id, actor=desk.actor, reason=asked.reason)
    desk.ledger.write(operate.resume_run, wish)
    return show_run(desk, NameRun(run_id=run_id))


def resolve_run(desk: Desk, asked: ResolveRun) -> RunDetail:
    """Settle a blocked run by a person's word and evidence."""
    run_id = desk.ledger.read(reading.run_named, asked.run_id)
    wish = operate.ResolveRun(
        run_id=run_id,
        outcome=_OUTCOMES[asked.outcome],
        note=asked.evidence,
        actor=desk.actor,
    )
    desk.ledger.write(operate.resolve_run, wish)
    return show_run(desk, NameRun(run_id=run_id))


def resolve_effect(desk: Desk, asked: ResolveEffect) -> EffectView:
    """Close an effect of unknown fate by a person's word."""
    wish = operate.ResolveEffect(
        effect_id=EffectId(asked.effect_id),
        external_id=(asked.external_id or "said by a person") if asked.happened else None,
        note=asked.reason,
        actor=desk.actor,
    )
    return effect_view(desk.ledger.write(operate.resolve_effect, wish))


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    command("run.start", "ask for a window to be worked on", StartRun, StartAnswer, start_run),
    command("runs.cancel", "end a run", EndRun, CancelView, cancel_run),
    command("runs.resume", "let a stopped run go on", EndRun, RunDetail, resume_run),
    command("runs.resolve", "say how a blocked run ended", ResolveRun, RunDetail, resolve_run),
    command(
        "effects.resolve", "say what became of an effect", ResolveEffect, EffectView, resolve_effect
    ),
)
