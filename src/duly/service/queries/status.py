"""Status: ten lines that tell what ran, what did not and why, and what needs a person."""

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from duly.ledger.api.runs import RunFilter
from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.instant import DAY_US, HOUR_US, MINUTE_US, SECOND_US, Instant
from duly.model.occurrence import Occurrence
from duly.model.run import Run
from duly.model.states import AutomationState, Disposition, Outcome, RunState
from duly.policy.lifecycle import CLAIMED
from duly.service import names, text
from duly.service.desk import WORKSPACE, Desk
from duly.service.queries import endings
from duly.service.queries.premises import Nothing
from duly.service.registry import Answer, Operation, query
from duly.service.views import RunView, why_of

Found = TypeVar("Found")

LINES_MAX = 10
# Two looks of a scanner at its slowest: a slot without an answer for longer shows that nothing answers.
OVERDUE_US = MINUTE_US
PAGE = 1000
_NODES = 10
_TOLD_MAX = 200
_COUNTED_MAX = 100_000
_FEW, _MANY = 2, 20
_FAILED = Outcome.FAILED_BEFORE_WRITE.value
_NEEDS = "Needs you: "
_MARK = len("NEEDS YOU")
_DID_NOT_RUN = frozenset({Disposition.MISSED, Disposition.SKIPPED, Disposition.REFUSED})


class NotRun(Answer):
    """Slots of the last day that did not run, and why."""

    job_key: str
    disposition: str
    reason: str | None
    why: str
    due_at: str | None
    local: str | None
    slot_count: int


class Needs(Answer):
    """Something that waits for a person, and what to do."""

    job_key: str
    run_id: str | None
    message: str
    command: str


class NodeView(Answer):
    """Whether a process works on this ledger now, and when one last looked at what is due."""

    is_well: bool
    owner: str | None
    last_scan: str | None


class StatusAnswer(Answer):
    """The last day at a glance, `ran` with the newest of its runs, `outcomes` with the count of all.

    `next_run` is in its automation's zone, `next_zone`. `lines` says it in at most ten.
    """

    node: NodeView
    automations: int
    running: list[RunView]
    waiting: list[RunView]
    ran: list[RunView]
    outcomes: dict[str, int]
    not_run: list[NotRun]
    needs_you: list[Needs]
    next_run: str | None
    next_job: str | None
    next_zone: str | None
    lines: list[str]


def status(desk: Desk, _: Nothing) -> StatusAnswer:
    """Look at the last day and at what is next."""
    return desk.ledger.read(_status, desk)


def _status(tx: Tx, desk: Desk) -> StatusAnswer:
    since = Instant(tx.at - DAY_US)
    automations = _automations(tx)
    live = [one for one in automations if one.state is not AutomationState.DELETED]
    of_day = tx.runs(RunFilter(created_since=since, limit=_COUNTED_MAX))
    settled = [run for run in of_day if run.settled_at is not None and run.outcome is not None]
    held = _views(tx, RunFilter(states=(*CLAIMED, RunState.CREATED, RunState.QUEUED), limit=200))
    blocked = _views(tx, RunFilter(states=(RunState.BLOCKED,), limit=50))
    upcoming = min((a for a in live if a.next_due is not None), key=_due, default=None)
    found = StatusAnswer(
        node=_node(tx, desk),
        automations=len(live),
        running=[view for view in held if view.status == "running"],
        waiting=[view for view in held if view.status == "waiting"],
        ran=_ran(tx, [run for run in settled if run.state is not RunState.BLOCKED]),
        outcomes=_outcomes(settled),
        not_run=[one for automation in live for one in _not_run(tx, desk, automation, since)],
        needs_you=[*_overdue(upcoming, tx.at), *map(_needs, blocked), *_suspended(live)],
        next_run=None if upcoming is None else _local(desk, upcoming, upcoming.next_due),
        next_job=None if upcoming is None else upcoming.job_key,
        next_zone=None if upcoming is None else upcoming.mark.zone,
        lines=[],
    )
    return found.model_copy(update={"lines": lines_of(found, tx.at)})


def _node(tx: Tx, desk: Desk) -> NodeView:
    """Say who works. `duly tick` from a crontab is as good as a server, if it looks often enough."""
    scans = [node.scanned_at for node in tx.nodes(_NODES) if node.scanned_at is not None]
    scanned_at = max(scans, default=None)
    is_recent = scanned_at is not None and tx.at - scanned_at <= OVERDUE_US
    return NodeView(is_well=is_recent, owner=desk.premises.owner(), last_scan=text.utc(scanned_at))


def _due(automation: Automation) -> int:
    return automation.next_due or 0


def _automations(tx: Tx) -> list[Automation]:
    found: list[Automation] = []
    while page := tx.automations(WORKSPACE, found[-1].job_key if found else "", PAGE):
        found.extend(page)
    return found


def _local(desk: Desk, automation: Automation, at: Instant | None) -> str | None:
    """Return an instant in the zone of an automation's rule."""
    return text.local(at, desk.zones.load(automation.mark.zone))


def _outcomes(settled: list[Run]) -> dict[str, int]:
    counts = Counter(run.outcome for run in settled if run.state is not RunState.BLOCKED)
    return {outcome.value: counts[outcome] for outcome in Outcome if counts[outcome]}


def _ran(tx: Tx, settled: list[Run]) -> list[RunView]:
    """Return the newest runs; one that failed is not lost behind many that went well."""
    newest = settled[:_TOLD_MAX]
    failed = [run for run in settled[_TOLD_MAX:] if run.outcome is Outcome.FAILED_BEFORE_WRITE]
    return [endings.view(tx, run) for run in [*newest, *failed[:_TOLD_MAX]]]


def _views(tx: Tx, chosen: RunFilter) -> list[RunView]:
    return [endings.view(tx, run) for run in tx.runs(chosen)]


def _not_run(tx: Tx, desk: Desk, automation: Automation, since: Instant) -> list[NotRun]:
    return [
        _not_run_view(desk, automation, one)
        for one in _answered_since(tx, automation, since)
        if one.disposition in _DID_NOT_RUN and one.slot_count
    ]


def _answered_since(tx: Tx, automation: Automation, since: Instant) -> list[Occurrence]:
    """Return the newest answers of the last day. Most automations have one or two of them: more are read if need be."""
    for count in (_FEW, _MANY):
        newest = tx.occurrences(automation.automation_id, tx.at, count)
        if len(newest) < count or newest[-1].at < since:
            break
    return [one for one in newest if one.at >= since]


def _not_run_view(desk: Desk, automation: Automation, occurrence: Occurrence) -> NotRun:
    return NotRun(
        job_key=automation.job_key,
        disposition=occurrence.disposition.value,
        reason=occurrence.reason,
        why=why_of(occurrence.reason),
        due_at=text.utc(occurrence.due_at),
        local=_local(desk, automation, occurrence.due_at),
        slot_count=occurrence.slot_count,
    )


def _needs(view: RunView) -> Needs:
    return Needs(
        job_key=view.job_key,
        run_id=view.id,
        message=f"{view.job_key} {names.window(view.window_key)}: {view.words.removeprefix(_NEEDS)}",
        command=f"duly runs show {names.short(view.id)}",
    )


def _overdue(upcoming: Automation | None, at: Instant) -> list[Needs]:
    """Say that slots get no answer: no node runs, its disk is full, or it is stuck."""
    if upcoming is None or upcoming.next_due is None or upcoming.next_due > at - OVERDUE_US:
        return []
    return [
        Needs(
            job_key=upcoming.job_key,
            run_id=None,
            message=f"nothing is started: {upcoming.job_key} has been due since {text.utc(upcoming.next_due)}",
            command="duly doctor",
        )
    ]


def _suspended(automations: list[Automation]) -> list[Needs]:
    return [
        Needs(
            job_key=one.job_key,
            run_id=None,
            message=f"{one.job_key} is suspended: {why_of(one.state_reason)}",
            command=f"duly automation resume {one.job_key}",
        )
        for one in automations
        if one.state is AutomationState.SUSPENDED
    ]


def lines_of(found: StatusAnswer, at: Instant) -> list[str]:
    """Say it in at most ten lines; what needs a person is never cut without saying so."""
    failed = [one for one in found.ran if one.status == _FAILED]
    lines = [_node_line(found, at), _head(found), _ran_line(found)]
    lines += _some(found.needs_you, _needs_line, 3, "duly runs list --state blocked")
    lines += _some(failed, _failed_line, 2, "duly runs list --state failed")
    lines += _some(found.not_run, _not_run_line, 2, "duly explain KEY")
    return lines[:LINES_MAX]


def _node_line(found: StatusAnswer, at: Instant) -> str:
    node = found.node
    last = "nothing has ever looked at what is due"
    if node.last_scan is not None:
        last = f"the last look was {_ago(at - text.parse(node.last_scan, ''))} ago"
    # Without a server a run that is held has a dead holder: all of them wait for somebody.
    open_runs = len(found.running) + len(found.waiting)
    unattended = f", and {_count(open_runs, 'run')} not over" if open_runs else ""
    said = f"{node.owner or f'no server runs{unattended}'}; {last}"
    is_idle = node.owner is None and not open_runs
    if not found.automations or (node.is_well and (node.owner is not None or is_idle)):
        return said
    return _with_command("NEEDS YOU", said, "duly doctor" if node.owner else "duly serve")


def _ago(age_us: int) -> str:
    for unit, us in (("day", DAY_US), ("h", HOUR_US), ("min", MINUTE_US)):
        if age_us >= 2 * us:
            count = age_us // us
            return f"{count} days" if unit == "day" else f"{count} {unit}"
    return f"{max(0, age_us) // SECOND_US} s"


def _head(found: StatusAnswer) -> str:
    upcoming = "nothing"
    if found.next_job is not None:
        upcoming = f"{found.next_job} at {text.minute(found.next_run)} ({found.next_zone})"
    automations = _count(found.automations, "automation")
    return f"{automations}, {len(found.running)} running, {len(found.waiting)} waiting; next: {upcoming}"


def _needs_line(one: Needs) -> str:
    return _with_command("NEEDS YOU", one.message, one.command)


def _failed_line(view: RunView) -> str:
    message = f"{view.job_key} {names.window(view.window_key)}: {view.why}"
    return _with_command("FAILED", message, f"duly logs {names.short(view.id)}")


def _with_command(mark: str, message: str, command: str) -> str:
    return f"{mark.ljust(_MARK)}  {message} — `{command}`"


def _ran_line(found: StatusAnswer) -> str:
    told = ", ".join(f"{count} {name}" for name, count in found.outcomes.items())
    return f"last 24 h: {told or 'nothing ran'}"


def _not_run_line(one: NotRun) -> str:
    many = f" ({one.slot_count} slots)" if one.slot_count > 1 else ""
    message = f"{one.job_key} {text.minute(one.local)}{many}: {one.why}"
    return _with_command(one.disposition.upper(), message, f"duly explain {one.job_key}")


def _some(
    found: list[Found], line_of: Callable[[Found], str], most: int, command: str
) -> list[str]:
    """Return lines for what was found: only those that are shown are written."""
    if len(found) <= most:
        return [line_of(one) for one in found]
    shown = [line_of(one) for one in found[: most - 1]]
    return [*shown, f"… and {len(found) - most + 1} more: `{command}`"]


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("status", "what ran, what did not, what needs you", Nothing, StatusAnswer, status),
)
