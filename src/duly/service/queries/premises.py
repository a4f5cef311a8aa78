"""The service looks at itself: version, doctor, audit, backup, check, and the schema of definitions."""

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

import duly
from duly.ledger.api.tx import Tx
from duly.service.definition import reference
from duly.service.definition.document import RESERVED
from duly.service.desk import Desk, Finding
from duly.service.registry import Answer, Operation, Request, Scope, query


class Nothing(Request):
    """No input."""


class Versions(Answer):
    """What answers: Duly, its Python and tzdata, and which schema its ledger has."""

    duly: str
    schema_version: int
    python: str
    tzdata: str


class FindingView(Answer):
    """One thing that was looked at; where it is not good but not `is_needed` either, nothing is broken."""

    name: str
    is_good: bool
    is_needed: bool
    message: str
    fix: str


class Findings(Answer):
    """All that was looked at; `is_good`: nothing is broken."""

    is_good: bool
    checks: list[FindingView]


class VerifyAudit(Request):
    """Heads that were kept elsewhere: scope to [number, hash]."""

    anchors: dict[str, tuple[int, str]] = Field(default_factory=dict)


class AuditVerdict(Answer):
    """Whether every audit chain holds, and the heads to keep elsewhere."""

    is_intact: bool
    scopes: int
    events: int
    broken: list[str]
    heads: dict[str, tuple[int, str]]


class Backup(Request):
    """Where to copy the ledger to: a file that does not exist yet."""

    target: str


class BackupAnswer(Answer):
    """The copy that was made and verified."""

    target: str


class SchemaAnswer(Answer):
    """The JSON Schema of `duly.yaml`, and the names that are reserved but not built."""

    json_schema: dict[str, Any]
    reserved: dict[str, str]


def version(desk: Desk, _: Nothing) -> Versions:
    """Tell the versions of whoever carries this out: the server, where one runs."""
    return Versions(
        duly=duly.__version__,
        schema_version=desk.ledger.read(_schema_version, None),
        python=platform.python_version(),
        tzdata=desk.zones.version,
    )


def _schema_version(tx: Tx, _: None) -> int:
    return tx.schema_version()


def doctor(desk: Desk, _: Nothing) -> Findings:
    """Look at everything that unattended work depends on."""
    return _findings(desk.premises.examine())


def check_ledger(desk: Desk, _: Nothing) -> Findings:
    """Look through the whole ledger."""
    return _findings(desk.premises.check_ledger())


def _findings(found: Sequence[Finding]) -> Findings:
    views = [
        FindingView(
            name=one.name,
            is_good=one.is_good,
            is_needed=one.is_needed,
            message=one.message,
            fix=one.fix,
        )
        for one in found
    ]
    is_good = all(one.is_good or not one.is_needed for one in found)
    return Findings(is_good=is_good, checks=views)


def verify_audit(desk: Desk, asked: VerifyAudit) -> AuditVerdict:
    """Follow every audit chain from its start; kept heads prove that none was cut off."""
    report = desk.premises.verify_audit(asked.anchors)
    return AuditVerdict(
        is_intact=report.is_intact,
        scopes=report.scopes,
        events=report.events,
        broken=list(report.broken),
        heads=dict(report.heads),
    )


def backup(desk: Desk, asked: Backup) -> BackupAnswer:
    """Copy the ledger while it is in use."""
    target = Path(asked.target).expanduser().absolute()
    desk.premises.backup(target)
    return BackupAnswer(target=str(target))


def schema(desk: Desk, _: Nothing) -> SchemaAnswer:  # noqa: ARG001 - every operation gets a desk
    """Return what a definition may say."""
    return SchemaAnswer(json_schema=reference.schema(), reserved=dict(RESERVED))


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("version", "tell the versions of the server and its ledger", Nothing, Versions, version),
    query("doctor", "look at what unattended work depends on", Nothing, Findings, doctor),
    query("db.check", "look through the whole ledger", Nothing, Findings, check_ledger),
    query("audit.verify", "follow every audit chain", VerifyAudit, AuditVerdict, verify_audit),
    query("schema.show", "the JSON Schema of duly.yaml", Nothing, SchemaAnswer, schema),
    Operation(
        name="db.backup",
        summary="copy the ledger to a file",
        request=Backup,
        answer=BackupAnswer,
        scope=Scope.ADMIN,
        changes=False,
        is_idempotent=False,
        run=backup,
    ),
)
