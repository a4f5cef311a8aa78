"""From text to something that can be recorded: the definition as written, its digest, its plan, its next slots."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError as ShapeError

from duly.model import canonical, placeholders
from duly.model.errors import Fault, ValidationError
from duly.model.plan import Plan, Work
from duly.recurrence.schedule import Schedule
from duly.service.definition import faults, source
from duly.service.definition.context import Findings, PlanContext
from duly.service.definition.document import Document
from duly.service.definition.normal import normal
from duly.service.definition.timing_plan import timing_of
from duly.service.definition.work_plan import read_file, work_of

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDefinition:
    """One definition, checked. `text` is its canonical JSON as written; `paths` are those it may publish."""

    document: Document
    text: str
    digest: str
    plan: Plan
    schedule: Schedule | None
    paths: tuple[str, ...]
    warnings: tuple[Fault, ...]


def prepare(written: source.Source, context: PlanContext) -> PreparedDefinition:
    """Check one document and make its plan. Raises ValidationError with every fault, placed by line."""
    findings = Findings(faults=[], warnings=[])
    try:
        document = Document.model_validate(written.data)
    except ShapeError as error:
        raise ValidationError(
            faults.with_lines(faults.of(error, Document), written.lines)
        ) from None
    timed = timing_of(document, context, findings)
    work = work_of(document, context, findings)
    if findings.faults or timed is None:
        # What cannot be read was told by now; freezing it would tell it again.
        raise ValidationError(faults.with_lines(findings.faults, written.lines))

    def freeze(path: str, pointer: str) -> str:
        return context.keep_bytes(read_file(Path(path), pointer, findings))

    text = canonical.to_json(normal(written.data, context.base, freeze))
    if findings.faults:
        raise ValidationError(faults.with_lines(findings.faults, written.lines))
    return PreparedDefinition(
        document=document,
        text=text,
        digest=canonical.hash_text(text),
        plan=Plan(timing=timed.timing, work=work),
        schedule=timed.schedule,
        paths=owned_paths(work),
        warnings=tuple(faults.with_lines(findings.warnings, written.lines)),
    )


def owned_paths(work: Work) -> tuple[str, ...]:
    """Return the path patterns that an automation owns; what differs between windows stays a placeholder."""
    if work.result_artifact is None:
        return ()
    path = placeholders.expand_path(work.result_artifact, {"job_key": work.job_key})
    return (f"{work.root.rstrip('/')}/{path}",)
