"""From text to something that can be recorded: the definition as written, its digest, its plan, its next slots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError as ShapeError

from duly.model import canonical
from duly.model.errors import Fault, ValidationError
from duly.model.plan import Plan
from duly.policy import placeholders
from duly.recurrence.schedule import Schedule
from duly.service.definition import faults, source
from duly.service.definition.context import Findings, PlanContext
from duly.service.definition.document import Document
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
    text = canonical.to_json(_normal(written.data, context, findings))
    if findings.faults or timed is None:
        raise ValidationError(faults.with_lines(findings.faults, written.lines))
    return PreparedDefinition(
        document=document,
        text=text,
        digest=canonical.hash_text(text),
        plan=Plan(timing=timed.timing, work=work),
        schedule=timed.schedule,
        paths=_paths(work.root, work.result_artifact, work.job_key),
        warnings=tuple(faults.with_lines(findings.warnings, written.lines)),
    )


def _paths(root: str, artifact: str | None, job_key: str) -> tuple[str, ...]:
    """Return the path patterns that the automation owns; what differs from window to window stays a placeholder."""
    if artifact is None:
        return ()
    return (f"{root}/{placeholders.expand_path(artifact, {'job_key': job_key})}",)


def _normal(data: Mapping[str, Any], context: PlanContext, findings: Findings) -> dict[str, Any]:
    """Return the definition as written, without what depends on where it was written from.

    Relative paths become absolute, and files that are frozen with the revision carry their hash. Defaults stay out.
    """
    normal = dict(data)
    normal["cwds"] = [_absolute(path, context) for path in data.get("cwds") or ["."]]
    inputs, prompt = data.get("inputs"), data.get("prompt")
    if isinstance(inputs, dict) and inputs.get("repo"):
        normal["inputs"] = {**inputs, "repo": _absolute(inputs["repo"], context)}
    if isinstance(prompt, dict):
        normal["prompt"] = _frozen_prompt(prompt, context, findings)
    return normal


def _frozen_prompt(
    prompt: Mapping[str, Any], context: PlanContext, findings: Findings
) -> dict[str, Any]:
    frozen = dict(prompt)
    if prompt.get("file"):
        frozen["file"] = _frozen(prompt["file"], context, findings)
    if prompt.get("skills"):
        frozen["skills"] = [_frozen(name, context, findings) for name in prompt["skills"]]
    return frozen


def _frozen(name: str, context: PlanContext, findings: Findings) -> dict[str, str]:
    content = read_file(context.base / name, "/prompt", findings)
    return {"path": _absolute(name, context), "sha256": context.keep_bytes(content)}


def _absolute(path: str, context: PlanContext) -> str:
    return str((context.base / path).expanduser().resolve())
