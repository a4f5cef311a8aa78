"""When a rule fires: read and searched as an automation's would be, but for nobody."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from pydantic import Field

from duly.ledger.api.tx import Tx
from duly.model.errors import Fault, ValidationError
from duly.model.instant import Instant
from duly.model.timing import AnchorClass, CronRule, OnceInstant, OnceLocal, RruleRule, RuleSpec
from duly.model.zone import Zone
from duly.recurrence.read import named_zone, read_rule
from duly.recurrence.schedule import Schedule, compile_rule
from duly.recurrence.surprises import surprises
from duly.service import slots, text
from duly.service.desk import WORKSPACE, Desk
from duly.service.registry import Answer, Operation, Request, query
from duly.service.views import SlotView

Made = TypeVar("Made")

_RULE: Final = "/rule"
_POINTERS: Final = ("/schedule/rrule", "/schedule/cron", "/schedule/once", "/schedule")
_HOLDS_ON: Final = {
    AnchorClass.WALL: "local time: it follows the clocks of its zone through every change",
    AnchorClass.ELAPSED: "elapsed time: it keeps its beat when clocks are changed",
}


class When(Request):
    """A rule as a definition writes it, and from when on its slots are named.

    The zone is the rule's own, else `timezone`, else the workspace's, else, before there is one, `fallback_zone`.
    """

    rule: str = Field(min_length=1, max_length=4000)
    timezone: str | None = None
    fallback_zone: str | None = None
    start: str | None = None
    count: int = Field(default=10, ge=1, le=1000)


class WhenAnswer(Answer):
    """The rule as it was read, its next slots, and those near the next two clock changes that surprise people.

    `is_complete`: there are no more slots; `holds_on` says in words what the anchor class means.
    """

    rule: str
    kind: str
    dtstart: str | None
    timezone: str
    tzdata: str
    anchor: str
    holds_on: str
    start: str
    slots: list[SlotView]
    is_complete: bool
    surprises: list[SlotView]


def when(desk: Desk, asked: When) -> WhenAnswer:
    """Name the slots of a rule. Raises ValidationError with every fault of it."""
    schedule = {_kind(asked.rule): asked.rule.strip()}
    zone = _zone(desk, schedule, asked)
    at = desk.clock() if asked.start is None else text.parse(asked.start, "/start", zone)
    compiled = _compiled(schedule, zone, at)
    found, is_complete = slots.coming(compiled, Instant(at - 1), asked.count)
    return WhenAnswer(
        rule=_written(compiled.spec),
        kind=next(iter(schedule)),
        dtstart=compiled.spec.dtstart if isinstance(compiled.spec, RruleRule) else None,
        timezone=zone.name,
        tzdata=zone.version,
        anchor=compiled.anchor.value,
        holds_on=_HOLDS_ON[compiled.anchor],
        start=text.local(at, zone) or "",
        slots=found,
        is_complete=is_complete,
        surprises=[slots.view(slot, compiled) for slot in surprises(compiled, at)],
    )


def _kind(rule: str) -> str:
    """Say which kind of rule a text is by its shape; what is wrong with it is said by whoever reads that kind."""
    written = rule.strip().upper()
    if "FREQ=" in written or written.startswith(("RRULE", "DTSTART")):
        return "rrule"
    if written[:4].isdigit() and written[4:5] == "-":
        return "once"
    return "cron"


def _zone(desk: Desk, schedule: dict[str, str], asked: When) -> Zone:
    written = _faults_here(lambda: named_zone(schedule))
    if asked.timezone is not None and written not in (None, asked.timezone):
        message = f"the rule says {written}, you say {asked.timezone}"
        raise ValidationError([Fault(pointer="/timezone", message=message, fix="keep one of them")])
    name = written or asked.timezone or desk.ledger.read(_workspace_zone, None)
    return desk.zones.load(name or asked.fallback_zone or "UTC")


def _workspace_zone(tx: Tx, _: None) -> str | None:
    workspace = tx.workspace(WORKSPACE)
    return None if workspace is None else workspace.zone


def _compiled(schedule: dict[str, str], zone: Zone, at: Instant) -> Schedule:
    def compile_it() -> Schedule:
        return compile_rule(read_rule(schedule, zone=zone, created_at=at), zone)

    return _faults_here(compile_it)


def _faults_here(make: Callable[[], Made]) -> Made:
    """Return what `make` makes; its faults are the rule's, whose text is all that was given."""
    try:
        return make()
    except ValidationError as error:
        raise ValidationError(
            [
                Fault(
                    pointer=_RULE if fault.pointer in _POINTERS else fault.pointer,
                    message=fault.message,
                    fix=fault.fix,
                )
                for fault in error.faults
            ]
        ) from None


def _written(spec: RuleSpec) -> str:
    match spec:
        case RruleRule(text=written) | CronRule(text=written):
            return written
        case OnceLocal(local=local):
            return local
        case OnceInstant(due_at=due_at):
            return text.utc(due_at) or ""


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("when", "name the slots of a rule that nobody has yet", When, WhenAnswer, when),
)
