"""Publication paths: each has one owner automation in its workspace."""

from collections.abc import Sequence

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.errors import ConflictError
from duly.model.ids import AutomationId
from duly.policy import publication
from duly.policy.publication import Ownership


def claim_paths(tx: Tx, automation: Automation, root: str, paths: Sequence[str]) -> None:
    """Make an automation the owner of exactly these paths beneath `root`. Raises ConflictError naming another owner."""
    tx.release_paths(automation.automation_id)
    for path in dict.fromkeys(paths):
        found = other_owner(tx, automation, root, path)
        if found is not None:
            owned, owner = found
            other = tx.automation(owner)
            name = owner if other is None else other.job_key
            as_what = "" if owned == path else f" as {owned}"
            raise ConflictError(
                f"{path} is published by the automation {name!r}{as_what}",
                fix="publish to another path, or delete that automation",
            )
        tx.add_path_owner(automation.workspace_id, path, automation.automation_id)


def other_owner(
    tx: Tx, automation: Automation, root: str, path: str
) -> tuple[str, AutomationId] | None:
    """Return another automation that owns a path, or a pattern that may come to name it; with that pattern."""
    workspace_id = automation.workspace_id
    exact = tx.path_owner(workspace_id, path)
    known = [] if exact is None else [(path, exact)]
    for owned, owner in (*known, *tx.path_owners_beneath(workspace_id, root)):
        standing = publication.decide(owner, automation.automation_id, is_shared=False)
        if standing is Ownership.OWNED_BY_OTHER and publication.may_collide(path, owned):
            return owned, owner
    return None
