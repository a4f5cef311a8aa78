"""Verbs about workspaces, automations, revisions and path owners."""

from typing import Final

from duly.ledger.verbs.base import OnSession
from duly.ledger.verbs.shapes import Shape
from duly.model.automation import (
    Automation,
    ComingAutomation,
    DueAutomation,
    Revision,
    WallAutomation,
    Workspace,
)
from duly.model.ids import AutomationId
from duly.model.instant import Instant
from duly.model.timing import Watermark

WORKSPACE: Final = Shape(Workspace)
AUTOMATION: Final = Shape(Automation)
REVISION: Final = Shape(Revision)
DUE: Final = Shape(DueAutomation)
COMING: Final = Shape(ComingAutomation)
WALL: Final = Shape(WallAutomation)
MARK: Final = Shape(Watermark)


class Definitions(OnSession):
    """Workspaces, automations, revisions, path owners."""

    __slots__ = ()

    def add_workspace(self, workspace: Workspace) -> bool:
        """Add a workspace once."""
        return self._changed("add_workspace", **WORKSPACE.params(workspace))

    def workspace(self, workspace_id: str) -> Workspace | None:
        """Return a workspace."""
        return WORKSPACE.first(self._session.row("workspace", workspace_id=workspace_id))

    def add_automation(self, automation: Automation) -> bool:
        """Add an automation, unless its id or its name is taken."""
        return self._added("add_automation", AUTOMATION.values(automation))

    def automation(self, automation_id: AutomationId) -> Automation | None:
        """Return an automation, a deleted one too."""
        return AUTOMATION.first(self._session.row("automation", automation_id=automation_id))

    def automation_named(self, workspace_id: str, job_key: str) -> Automation | None:
        """Return the automation that has, or had, a name."""
        row = self._session.row("automation_named", workspace_id=workspace_id, job_key=job_key)
        return AUTOMATION.first(row)

    def automations(self, workspace_id: str, after_job_key: str, limit: int) -> list[Automation]:
        """Return a page in order of job_key, deleted ones too."""
        return AUTOMATION.records(
            self._session.rows(
                "automations", workspace_id=workspace_id, after_job_key=after_job_key, limit=limit
            )
        )

    def record_automation(self, automation: Automation) -> bool:
        """Change what may change of an automation; the row's version becomes the record's plus one."""
        return self._changed("record_automation", **AUTOMATION.params(automation))

    def due_automations(self, limit: int, *, only_elapsed: bool = False) -> list[DueAutomation]:
        """Return automations due at this transaction's instant, longest due first."""
        rows = self._session.rows("due_automations", limit=limit, only_elapsed=only_elapsed)
        return DUE.records(rows)

    def wall_automations(
        self, after: AutomationId, reason: str, limit: int
    ) -> list[WallAutomation]:
        """Return active automations by wall time, and those suspended for `reason`, in order of ids, behind `after`."""
        return WALL.records(
            self._session.rows("wall_automations", after=after, reason=reason, limit=limit)
        )

    def coming_automations(
        self, by: Instant, after: tuple[Instant, AutomationId], limit: int
    ) -> list[ComingAutomation]:
        """Return automations that will be due by an instant, in order of (next_due, automation_id), behind `after`."""
        next_due, automation_id = after
        return COMING.records(
            self._session.rows(
                "coming_automations",
                by=by,
                after=next_due,
                after_automation_id=automation_id,
                limit=limit,
            )
        )

    def next_due(self, *, only_elapsed: bool = False) -> Instant | None:
        """Return the earliest due instant of any automation."""
        found: Instant | None = self._fact("next_due", only_elapsed=only_elapsed)
        return found

    def record_mark(self, due: DueAutomation, mark: Watermark, next_due: Instant | None) -> bool:
        """Raise the watermark if version and old watermark are still those of `due`; the version grows by one."""
        return self._changed(
            "record_mark",
            automation_id=due.automation_id,
            version=due.version,
            next_due_us=next_due,
            mark_due_at_us=mark.due_at,
            mark_slot_key=mark.slot_key,
            mark_anchor=mark.anchor.value,
            mark_zone=mark.zone,
            old_mark_due_at_us=due.mark.due_at,
            old_mark_slot_key=due.mark.slot_key,
            old_mark_anchor=due.mark.anchor.value,
            old_mark_zone=due.mark.zone,
        )

    def add_revision(self, revision: Revision) -> bool:
        """Add a revision once."""
        return self._added("add_revision", REVISION.values(revision))

    def revision(self, automation_id: AutomationId, number: int) -> Revision | None:
        """Return one revision."""
        row = self._session.row("revision", automation_id=automation_id, number=number)
        return REVISION.first(row)

    def revisions(self, automation_id: AutomationId) -> list[Revision]:
        """Return all revisions, oldest first."""
        return REVISION.records(self._session.rows("revisions", automation_id=automation_id))

    def zones_in_use(self) -> list[str]:
        """Return the zones of workspaces and watermarks; reads every automation."""
        return [zone for (zone,) in self._session.rows("zones_in_use")]

    def path_owner(self, workspace_id: str, path: str) -> AutomationId | None:
        """Return who publishes to a path."""
        found: AutomationId | None = self._fact("path_owner", workspace_id=workspace_id, path=path)
        return found

    def path_owners_beneath(
        self, workspace_id: str, directory: str
    ) -> list[tuple[str, AutomationId]]:
        """Return the paths beneath a directory, as patterns, with their owners, in order."""
        # "0" follows "/" in UTF-8.
        least, most = f"{directory.rstrip('/')}/", f"{directory.rstrip('/')}0"
        rows = self._session.rows(
            "path_owners_between", workspace_id=workspace_id, least=least, most=most
        )
        return [(path, owner) for path, owner in rows]

    def paths_of(self, automation_id: AutomationId) -> list[str]:
        """Return the paths that an automation publishes to."""
        return [path for (path,) in self._session.rows("paths_of", automation_id=automation_id)]

    def add_path_owner(self, workspace_id: str, path: str, automation_id: AutomationId) -> bool:
        """Give a path to an automation, unless somebody owns it."""
        return self._changed(
            "add_path_owner", workspace_id=workspace_id, path=path, automation_id=automation_id
        )

    def release_paths(self, automation_id: AutomationId) -> None:
        """Give up every path of an automation."""
        self._session.rows("release_paths", automation_id=automation_id)
