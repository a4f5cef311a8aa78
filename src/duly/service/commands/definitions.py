"""Operations on definitions: apply a file, pause, resume, delete, restore."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.errors import Fault
from duly.model.instant import Instant
from duly.service.commands.planning import From, Planned, difference, plan_all
from duly.service.definition.prepare import owned_paths
from duly.service.desk import Desk
from duly.service.queries import reading
from duly.service.queries.automations import AutomationDetail, NameAutomation, show_automation
from duly.service.registry import Answer, Operation, Request, command
from duly.service.slots import coming
from duly.service.views import SlotView
from duly.transactions import change_state, define
from duly.transactions.change_state import ChangeState
from duly.transactions.define import Create, Defined, Edit

SLOTS_SHOWN = 5


class Apply(Request):
    """Definitions as YAML text; relative paths start from `base`, programs are looked up in `path`."""

    source: str
    base: str
    path: str = ""
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=255)
    is_dry_run: bool = False


class Warning(Answer):
    """Something that will surprise, or that nobody may notice."""

    pointer: str
    message: str
    fix: str
    line: int | None


class Applied(Answer):
    """What became of one definition, with its slots before and after."""

    job_key: str
    id: str | None
    verdict: str
    revision: int
    timezone: str
    window: str
    warnings: list[Warning]
    next_before: list[SlotView]
    next_after: list[SlotView]
    difference: str


class ApplyAnswer(Answer):
    """What became of each definition."""

    results: list[Applied]


class ChangeAutomation(Request):
    """One automation by its job_key, and why it changes."""

    job_key: str
    reason: str | None = Field(default=None, max_length=1000)


def apply(desk: Desk, asked: Apply) -> ApplyAnswer:
    """Create or revise automations, all or none; a dry run shows what would happen."""
    planned = plan_all(desk, asked.source, From(base=Path(asked.base), path=asked.path))
    return record(desk, planned, asked.idempotency_key, is_dry_run=asked.is_dry_run)


def record(
    desk: Desk, planned: Sequence[Planned], key: str | None, *, is_dry_run: bool
) -> ApplyAnswer:
    """Record planned definitions in one transaction and say what became of each."""
    at = desk.clock()
    if is_dry_run:
        return ApplyAnswer(results=[_would(desk, one, at) for one in planned])
    defined = desk.ledger.write(_record, (tuple(planned), key))
    return ApplyAnswer(
        results=[_applied(one, done, at) for one, done in zip(planned, defined, strict=True)]
    )


def _record(tx: Tx, wanted: tuple[tuple[Planned, ...], str | None]) -> list[Defined]:
    planned, key = wanted
    return [_record_one(tx, one, key) for one in planned]


def _record_one(tx: Tx, planned: Planned, key: str | None) -> Defined:
    # A key belongs to a creation: the retry of one whose answer was lost finds the automation, and is a replay.
    if planned.before is None or key is not None:
        scoped = None if key is None else f"{key}/{planned.definition.job_key}"
        return define.create(tx, Create(key=scoped, definition=planned.definition))
    before = planned.before.automation
    return define.edit(
        tx,
        Edit(
            automation_id=before.automation_id,
            expected_version=before.version,
            definition=planned.definition,
        ),
    )


def _verdict(planned: Planned, *, is_replay: bool, is_unchanged: bool) -> str:
    if is_replay and planned.before is not None:
        return "unchanged"
    if planned.before is None:
        return "replayed" if is_replay else "created"
    return "unchanged" if is_unchanged else "revised"


def _applied(planned: Planned, done: Defined, at: Instant) -> Applied:
    verdict = _verdict(planned, is_replay=done.is_replay, is_unchanged=done.is_unchanged)
    return _view(planned, verdict, (done.automation, done.number), at)


def _would(desk: Desk, planned: Planned, at: Instant) -> Applied:
    before = planned.before
    if before is None:
        return _view(planned, "created", (None, 1), at)
    revision = desk.ledger.read(_digest_in_force, before.automation)
    is_same = revision == planned.prepared.digest
    number = before.automation.revision + (0 if is_same else 1)
    return _view(planned, "unchanged" if is_same else "revised", (before.automation, number), at)


def _digest_in_force(tx: Tx, automation: Automation) -> str:
    return reading.with_revision(tx, automation).revision.digest


def _view(
    planned: Planned, verdict: str, recorded: tuple[Automation | None, int], at: Instant
) -> Applied:
    automation, number = recorded
    prepared = planned.prepared
    period = prepared.plan.timing.window.period
    return Applied(
        job_key=prepared.document.job_key,
        id=None if automation is None else automation.automation_id,
        verdict=verdict,
        revision=number,
        timezone=prepared.plan.timing.zone,
        window=getattr(period, "value", None) or getattr(period, "pattern", ""),
        warnings=[_warning(fault) for fault in prepared.warnings],
        next_before=_slots_before(planned, at),
        next_after=coming(_bounded(planned), at, SLOTS_SHOWN)[0],
        difference=difference(planned),
    )


def _bounded(planned: Planned) -> Any:
    timing, schedule = planned.prepared.plan.timing, planned.prepared.schedule
    return None if schedule is None else schedule.bounded(timing.valid_from, timing.valid_until)


def _slots_before(planned: Planned, at: Instant) -> list[SlotView]:
    if planned.before is None:
        return []
    timing = planned.before.plan.timing
    return coming(reading.schedule_in(timing, planned.definition.zones), at, SLOTS_SHOWN)[0]


def _warning(fault: Fault) -> Warning:
    return Warning(pointer=fault.pointer, message=fault.message, fix=fault.fix, line=fault.line)


Change = Callable[[Tx, ChangeState], Automation]


def _changing(change: Change) -> Callable[[Desk, ChangeAutomation], AutomationDetail]:
    """Return the operation that carries out a change of state and shows the automation after it."""

    def carry_out(desk: Desk, asked: ChangeAutomation) -> AutomationDetail:
        known = desk.ledger.read(reading.known_automation, asked.job_key)
        desk.zones.load(known.timing.zone)
        desk.zones.load(known.automation.mark.zone)
        wanted = ChangeState(
            automation_id=known.automation.automation_id,
            actor=desk.actor,
            reason=asked.reason,
            zones=desk.zones.known,
            paths=owned_paths(known.work),
        )
        desk.ledger.write(change, wanted)
        return show_automation(desk, NameAutomation(job_key=asked.job_key))

    return carry_out


def _change(name: str, summary: str, change: Change) -> Operation[Any, Any]:
    return command(name, summary, ChangeAutomation, AutomationDetail, _changing(change))


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    command("automation.apply", "create or revise automations", Apply, ApplyAnswer, apply),
    _change("automation.pause", "stop future slots", change_state.pause),
    _change("automation.resume", "let slots fire again, from now on", change_state.resume),
    _change("automation.delete", "hide an automation; nothing is lost", change_state.delete),
    _change("automation.restore", "bring a deleted automation back", change_state.restore),
)
