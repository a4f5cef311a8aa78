"""Automations and their immutable revisions, as the ledger keeps them."""

from dataclasses import dataclass

from duly.model import canonical
from duly.model.ids import AutomationId
from duly.model.instant import Instant
from duly.model.states import AutomationState
from duly.model.timing import Watermark


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The scope that owns automations; `zone` is the default zone of its rules."""

    workspace_id: str
    zone: str
    created_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Automation:
    """A named definition: its state, watermark and current revision.

    `version` is what a change compares and sets. `told` is the alarm a person was last told of; `fault_kind` and
    `fault_count` count the same configuration fault in a row. `created_with` is the digest of the creating request.
    """

    automation_id: AutomationId
    workspace_id: str
    job_key: str
    state: AutomationState
    state_reason: str | None
    state_since: Instant
    revision: int
    next_due: Instant | None
    mark: Watermark
    version: int
    told: str | None
    fault_kind: str | None
    fault_count: int
    created_with: str
    created_at: Instant
    updated_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One immutable version: `definition` as written (canonical JSON), its digest, and the plan made from it.

    `timing` and `work` are JSON of `duly.model.plan.Timing` and `Work`; decode them with `duly.model.codec`.
    """

    automation_id: AutomationId
    number: int
    timing: str
    work: str
    definition: str
    digest: str
    schema_version: int
    tzdata: str
    actor: str
    created_at: Instant


def plan_hash(timing: str, work: str) -> str:
    """Return the hash by which the audit knows a revision's plan."""
    return canonical.hash_of([timing, work])


@dataclass(frozen=True, slots=True, kw_only=True)
class ComingAutomation:
    """What can be looked at of an automation before it is due."""

    next_due: Instant
    automation_id: AutomationId
    mark: Watermark
    timing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DueAutomation:
    """What admission reads of an automation that is due; `has_open_runs`: it may have runs that are not over."""

    automation_id: AutomationId
    workspace_id: str
    revision: int
    mark: Watermark
    version: int
    has_open_runs: bool
    timing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WallAutomation:
    """What retiming reads of an automation; `is_active` False: it is suspended, and not due at all."""

    automation_id: AutomationId
    next_due: Instant | None
    is_active: bool
    mark: Watermark
    timing: str
