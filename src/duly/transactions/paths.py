"""Publication paths: each has one owner automation in its workspace."""

from collections.abc import Sequence

from duly.ledger.api.tx import Tx
from duly.model.automation import Automation
from duly.model.errors import ConflictError
from duly.policy import publication
from duly.policy.publication import Ownership


def claim_paths(tx: Tx, automation: Automation, paths: Sequence[str]) -> None:
    """Make an automation the owner of exactly these paths. Raises ConflictError naming another owner."""
    tx.release_paths(automation.automation_id)
    for path in dict.fromkeys(paths):
        owner = tx.path_owner(automation.workspace_id, path)
        standing = publication.decide(owner, automation.automation_id, is_shared=False)
        if owner is not None and standing is Ownership.OWNED_BY_OTHER:
            other = tx.automation(owner)
            name = owner if other is None else other.job_key
            raise ConflictError(
                f"{path} is published by the automation {name!r}",
                fix="publish to another path, or delete that automation",
            )
        tx.add_path_owner(automation.workspace_id, path, automation.automation_id)
