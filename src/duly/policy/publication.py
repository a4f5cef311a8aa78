"""Publication: who may publish to a path, and whether what a run published still stands."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from duly.model import placeholders
from duly.model.ids import AutomationId
from duly.policy import scope
from duly.policy.rerun import ArtifactFact

_DAY: Final = "dddd-dd-dd"
_SHAPES: Final = tuple(
    shape.replace("d", scope.DIGIT)
    for shape in (_DAY, "dddd-Wdd", "dddd-dd", f"{_DAY}Tdd", f"{_DAY}Tdd-dd-ddZ")
)
_FIXED: Final = re.compile(r"[^{}]*")


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


def may_collide(one: str, other: str) -> bool:
    """Say whether two owned path patterns may come to name one file.

    A window is taken for an hour, day, week, month or UTC slot; other windows' patterns collide when they are equal.
    """
    if one == other:
        return True
    if not (_begin_alike(one, other) and _begin_alike(one[::-1], other[::-1])):
        return False
    return any(scope.meet(mine, its) for mine in _globs(one) for its in _globs(other))


def _begin_alike(one: str, other: str) -> bool:
    """Compare what stands before the first placeholder (in reversed ones, behind the last): cheap, mostly enough."""
    first, second = _FIXED.match(one), _FIXED.match(other)
    assert first is not None and second is not None
    a, b = first[0], second[0]
    if len(a) == len(one) and len(b) == len(other):
        return one == other
    return a.startswith(b) or b.startswith(a)


def _globs(pattern: str) -> list[str]:
    values = [{"window": shape, "input_version": "*"} for shape in _SHAPES]
    return list(dict.fromkeys(placeholders.expand(pattern, value) for value in values))


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
