"""Publication: who may publish to a path, and whether what a run published still stands."""

from dataclasses import dataclass
from enum import Enum

from duly.model.ids import AutomationId
from duly.policy.rerun import ArtifactFact


class Ownership(Enum):
    """Whether an automation may publish to a path."""

    FREE = "free"  # it becomes the owner
    MINE = "mine"
    SHARED = "shared"
    OWNED_BY_OTHER = "owned_by_other"  # refused with reason `path_owned`


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFacts:
    """A run's publication: its recorded SHA-256, whether a later one is recorded, what is found; None: no file."""

    recorded: str
    is_replaced: bool
    found: str | None


def decide(owner: AutomationId | None, mine: AutomationId, *, is_shared: bool) -> Ownership:
    """Say whether `mine` may publish; `is_shared`: both definitions declare the path shared."""
    if owner is None:
        return Ownership.FREE
    if owner == mine:
        return Ownership.MINE
    return Ownership.SHARED if is_shared else Ownership.OWNED_BY_OTHER


def decide_standing(published: PublishedFacts | None) -> ArtifactFact:
    """Say how a run's artifact stands; None: the run declared none.

    A path has one last publisher: only its bytes can be missing or altered. Earlier ones stand, replaced by record.
    """
    if published is None:
        return ArtifactFact.NONE_DECLARED
    if published.is_replaced:
        return ArtifactFact.SUPERSEDED
    if published.found is None:
        return ArtifactFact.MISSING
    is_same = published.found == published.recorded
    return ArtifactFact.INTACT if is_same else ArtifactFact.ALTERED
