"""`add`: from one line to a scheduled, accounted command; what it chooses stands in the definition, visibly."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field

from duly.model.timing import Period
from duly.service.commands.definitions import Applied, record
from duly.service.commands.planning import From, Planned, plan_all
from duly.service.desk import Desk
from duly.service.registry import Answer, Operation, Request, command

_LONG_WINDOWS = {Period.DAY: "1d", Period.WEEK: "7d", Period.MONTH: "31d"}


class When(Request):
    """A rule: exactly one of these."""

    cron: str | None = None
    rrule: str | None = None
    once: str | None = None


class Add(Request):
    """A command to run, when, and what shows that it worked.

    With nothing expected the command's exit 0 counts, and it works in `base` itself with the user's own HOME, as under
    cron. A scope makes it work in a staged copy, of which only files in the scope are published.
    """

    job_key: str
    when: When
    zone: str | None = None
    window: str | None = None
    scope: list[str] = Field(default_factory=list)
    expect_file: str | None = None
    verify: list[str] = Field(default_factory=list)
    command: list[str] = Field(min_length=1)
    base: str
    path: str = ""
    restart: Literal["proven", "safe"] | None = None
    notify: list[str] = Field(default_factory=list)
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=255)
    is_dry_run: bool = False


class Added(Answer):
    """The automation as it was recorded, and its definition as `add` wrote it."""

    result: Applied
    definition: str


def add(desk: Desk, asked: Add) -> Added:
    """Write a friendly definition and create the automation. Raises ConflictError when the name is taken."""
    origin = From(base=Path(asked.base), path=asked.path)
    written = _definition(asked)
    planned = plan_all(desk, _yaml(written), origin)[0]
    friendly = _with_catch_up(written, planned)
    if friendly != written:
        planned = plan_all(desk, _yaml(friendly), origin)[0]
    created = Planned(prepared=planned.prepared, definition=planned.definition, before=None)
    chosen = planned if asked.is_dry_run else created
    answer = record(desk, [chosen], asked.idempotency_key, is_dry_run=asked.is_dry_run)
    return Added(result=answer.results[0], definition=_yaml(friendly))


def _definition(asked: Add) -> dict[str, Any]:
    schedule = asked.when.model_dump(exclude_none=True)
    is_scoped = bool(asked.scope) or asked.expect_file is not None
    is_bare = not is_scoped and not asked.verify
    definition: dict[str, Any] = {
        "job_key": asked.job_key,
        "schedule": {**schedule, **({"timezone": asked.zone} if asked.zone else {})},
        "cwds": [asked.base],
        "agent": _agent(asked, is_bare=is_bare),
        "isolation": "staged" if is_scoped else "in_place",
        "expect": _expect(asked, is_bare=is_bare),
    }
    optional = {
        "window": {"period": asked.window} if asked.window else None,
        "write_scope": asked.scope or None,
        "result_artifact": asked.expect_file,
        "notify": {"command": asked.notify} if asked.notify else None,
    }
    return definition | {name: value for name, value in optional.items() if value}


def _agent(asked: Add, *, is_bare: bool) -> dict[str, Any]:
    agent: dict[str, Any] = {"command": asked.command}
    if is_bare:
        # As under cron: the user's own HOME, and a line that failed may simply run again.
        agent |= {"home": "inherit", "restart": "safe"}
    return agent | ({"restart": asked.restart} if asked.restart else {})


def _expect(asked: Add, *, is_bare: bool) -> dict[str, Any]:
    if is_bare:
        return {"exit": [0]}
    expect: dict[str, Any] = {}
    if asked.verify:
        expect["verify"] = asked.verify
    if asked.expect_file:
        expect["artifact"] = True
    return expect or {"exit": [0]}


def _with_catch_up(written: Mapping[str, Any], planned: Planned) -> dict[str, Any]:
    """For a day and longer, a missed window is still wanted until it ends."""
    period = planned.prepared.plan.timing.window.period
    longest = _LONG_WINDOWS.get(period) if isinstance(period, Period) else None
    if longest is None:
        return dict(written)
    return {**written, "catch_up": {"latest": {"max_age": longest}}}


def _yaml(definition: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(definition), sort_keys=False, allow_unicode=True)


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    command("automation.add", "schedule one command", Add, Added, add),
)
