"""From the text of definitions to what a transaction records: read, checked, planned, compared."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import yaml

from duly.ledger.api.tx import Tx
from duly.model import codec
from duly.model.automation import Automation
from duly.model.errors import Fault, ValidationError
from duly.model.plan import Plan, Timing, Work
from duly.service.definition import source
from duly.service.definition.context import PlanContext
from duly.service.definition.normal import as_written
from duly.service.definition.prepare import SCHEMA_VERSION, PreparedDefinition, prepare
from duly.service.desk import WORKSPACE, Desk
from duly.transactions.define import Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """What an automation does now: its row, its definition in normal form, its plan."""

    automation: Automation
    written: dict[str, Any]
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One definition to record, beside what is in force; None: it is new."""

    prepared: PreparedDefinition
    definition: Definition
    before: InForce | None


@dataclass(frozen=True, slots=True, kw_only=True)
class From:
    """Where definitions come from: the directory of relative paths, and the PATH of whoever sends them."""

    base: Path
    path: str


def plan_all(desk: Desk, text: str, origin: From) -> list[Planned]:
    """Read, check and plan every document of a text. Raises ValidationError with the faults of all of them."""
    planned: list[Planned] = []
    faults: list[Fault] = []
    for written in source.read(text):
        try:
            planned.append(_plan(desk, written, origin))
        except ValidationError as error:
            faults.extend(error.faults)
    keys = [one.prepared.document.job_key for one in planned]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        faults.append(Fault(pointer="/job_key", message=f"{key} is defined twice", fix="keep one"))
    if not planned and not faults:
        faults.append(
            Fault(pointer="", message="there is no definition in it", fix="see `duly init`")
        )
    if faults:
        raise ValidationError(faults)
    return planned


def _plan(desk: Desk, written: source.Source, origin: From) -> Planned:
    job_key = written.data.get("job_key")
    before = desk.ledger.read(in_force, job_key) if isinstance(job_key, str) else None
    prepared = prepare(written, _context(desk, origin, before))
    if before is not None:
        desk.zones.load(before.automation.mark.zone)
        desk.zones.load(before.plan.timing.zone)
    definition = Definition(
        workspace_id=WORKSPACE,
        job_key=prepared.document.job_key,
        definition=prepared.text,
        digest=prepared.digest,
        schema_version=SCHEMA_VERSION,
        timing=prepared.plan.timing,
        work=prepared.plan.work,
        paths=prepared.paths,
        is_enabled=prepared.document.enabled is not False,
        tzdata=desk.zones.version,
        actor=desk.actor,
        zones=desk.zones.known,
    )
    return Planned(prepared=prepared, definition=definition, before=before)


def in_force(tx: Tx, job_key: str) -> InForce | None:
    """Return what is in force under a name; None: nothing has that name."""
    automation = tx.automation_named(WORKSPACE, job_key)
    if automation is None:
        return None
    revision = tx.revision(automation.automation_id, automation.revision)
    assert revision is not None
    plan = Plan(timing=codec.load(Timing, revision.timing), work=codec.load(Work, revision.work))
    return InForce(automation=automation, written=json.loads(revision.definition), plan=plan)


def _context(desk: Desk, origin: From, before: InForce | None) -> PlanContext:
    return PlanContext(
        base=origin.base,
        home=desk.home,
        path=origin.path,
        zone=desk.ledger.read(_workspace_zone, None),
        planned_at=desk.clock(),
        load_zone=desk.zones.load,
        keep_bytes=desk.bytes.put_bytes,
        tolerance_us=desk.tolerance_us,
        tolerance_us_min=desk.tolerance_us_min,
        previous=None if before is None else before.plan,
    )


def _workspace_zone(tx: Tx, _: None) -> str:
    workspace = tx.workspace(WORKSPACE)
    if workspace is None:
        fault = Fault(
            pointer="/schedule/timezone",
            message="no zone is given, and this host does not say which one it is in",
            fix="write `timezone: Europe/Berlin`, or set DULY_TIMEZONE for the first start",
        )
        raise ValidationError([fault])
    return workspace.zone


def difference(planned: Planned) -> str:
    """Return the difference between the definition in force and the new one, as unified YAML; empty: none."""
    before = {} if planned.before is None else as_written(planned.before.written)
    after = as_written(json.loads(planned.prepared.text))
    lines = unified_diff(
        _yaml_lines(before), _yaml_lines(after), "in force", "new", n=2, lineterm=""
    )
    return "\n".join(lines)


def _yaml_lines(document: dict[str, Any]) -> Sequence[str]:
    return (
        yaml.safe_dump(document, sort_keys=True, allow_unicode=True).splitlines()
        if document
        else []
    )
