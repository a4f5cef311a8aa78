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


class Turn(Enum):
    """What a run that wants to publish to a path finds there, by the record."""

    MINE = "mine"  # it may, if the file is still what the run began with
    SUPERSEDED = "superseded"  # a later window's result stands there, and stays
    ALTERED = "altered"  # somebody else changed it since it was published


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPublished:
    """The newest publication of a path: its SHA-256, and whether this automation made it for a later window."""

    sha256: str
    is_of_later_window: bool


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


def decide_turn(
    last: LastPublished | None, before: str | None, *, is_result: bool, is_update: bool
) -> Turn:
    """Say whether a run may replace what stands at a path (docs/decisions/0005).

    `before`: SHA-256 of what its copy began with. `is_result`: the path is its result artifact. `is_update`: its window
    published there before.
    """
    if last is None:
        return Turn.MINE
    if is_result and last.is_of_later_window:
        return Turn.SUPERSEDED
    return Turn.ALTERED if is_update and before != last.sha256 else Turn.MINE


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
