"""Verbs about automations: definitions, due slots, occurrences, path owners."""

from typing import Protocol

from duly.model.automation import (
    Automation,
    ComingAutomation,
    DueAutomation,
    Revision,
    WallAutomation,
    Workspace,
)
from duly.model.ids import AutomationId, RunId
from duly.model.instant import Instant
from duly.model.occurrence import Occurrence, RerunVerdict
from duly.model.timing import Watermark


class DefinitionVerbs(Protocol):
    """Workspaces, automations, revisions, occurrences."""

    def add_workspace(self, workspace: Workspace) -> bool:
        """Add a workspace once."""
        ...

    def workspace(self, workspace_id: str) -> Workspace | None:
        """Return a workspace."""
        ...

    def add_automation(self, automation: Automation) -> bool:
        """Add an automation, unless its id or its name is taken."""
        ...

    def automation(self, automation_id: AutomationId) -> Automation | None:
        """Return an automation, a deleted one too."""
        ...

    def automation_named(self, workspace_id: str, job_key: str) -> Automation | None:
        """Return the automation that has, or had, a name."""
        ...

    def automations(self, workspace_id: str, after_job_key: str, limit: int) -> list[Automation]:
        """Return automations in order of job_key, deleted ones too."""
        ...

    def record_automation(self, automation: Automation) -> bool:
        """Change state, reason, revision, next_due, mark, told, fault columns and updated_at; never lowers the mark.

        The row's version becomes the record's plus one.
        """
        ...

    def due_automations(self, limit: int, *, only_elapsed: bool = False) -> list[DueAutomation]:
        """Return automations due at this transaction's instant, longest due first.

        `only_elapsed`: only those whose rules hold on to elapsed time.
        """
        ...

    def wall_automations(
        self, after: AutomationId, reason: str, limit: int
    ) -> list[WallAutomation]:
        """Return active automations by wall time, and those suspended for `reason`, in order of ids, behind `after`."""
        ...

    def coming_automations(
        self, by: Instant, after: tuple[Instant, AutomationId], limit: int
    ) -> list[ComingAutomation]:
        """Return automations that will be due by an instant, in order of (next_due, automation_id), behind `after`."""
        ...

    def next_due(self, *, only_elapsed: bool = False) -> Instant | None:
        """Return the earliest due instant of any automation."""
        ...

    def record_mark(self, due: DueAutomation, mark: Watermark, next_due: Instant | None) -> bool:
        """Raise the watermark and move `next_due`, if version and old watermark are still those of `due`.

        A mark of an earlier instant is refused. The row's version becomes that of `due` plus one.
        """
        ...

    def add_revision(self, revision: Revision) -> bool:
        """Add a revision once."""
        ...

    def revision(self, automation_id: AutomationId, number: int) -> Revision | None:
        """Return one revision."""
        ...

    def revisions(self, automation_id: AutomationId) -> list[Revision]:
        """Return all revisions, oldest first."""
        ...

    def zones_in_use(self) -> list[str]:
        """Return the zones of workspaces and watermarks."""
        ...

    def path_owner(self, workspace_id: str, path: str) -> AutomationId | None:
        """Return who publishes to a path."""
        ...

    def path_owners_beneath(
        self, workspace_id: str, directory: str
    ) -> list[tuple[str, AutomationId]]:
        """Return the paths beneath a directory, as patterns, with their owners, in order."""
        ...

    def paths_of(self, automation_id: AutomationId) -> list[str]:
        """Return the paths that an automation publishes to."""
        ...

    def add_path_owner(self, workspace_id: str, path: str, automation_id: AutomationId) -> bool:
        """Give a path to an automation, unless somebody owns it."""
        ...

    def release_paths(self, automation_id: AutomationId) -> None:
        """Give up every path of an automation."""
        ...

    def add_occurrence(self, occurrence: Occurrence) -> bool:
        """Answer a trigger once; a joined one then waits for its verdict."""
        ...

    def occurrence(self, automation_id: AutomationId, occurrence_key: str) -> Occurrence | None:
        """Return one occurrence."""
        ...

    def occurrence_covering(self, automation_id: AutomationId, at: Instant) -> Occurrence | None:
        """Return the timer occurrence or range that answers for `at`: the newest with due_at <= at <= last_due_at."""
        ...

    def occurrences(
        self, automation_id: AutomationId, before: Instant, limit: int
    ) -> list[Occurrence]:
        """Return occurrences recorded at or before `before`, newest first."""
        ...

    def occurrences_of_run(self, run_id: RunId) -> list[Occurrence]:
        """Return what a run answers for, oldest first."""
        ...

    def add_rerun_verdict(self, verdict: RerunVerdict) -> bool:
        """Say what a joined occurrence came to, once."""
        ...

    def rerun_verdict(
        self, automation_id: AutomationId, occurrence_key: str
    ) -> RerunVerdict | None:
        """Return what a joined occurrence came to."""
        ...

    def unanswered_joins(self, limit: int) -> list[Occurrence]:
        """Return joined occurrences without a rerun verdict, oldest first."""
        ...
