"""Freezing what a run reads: the repository's commit, and one copy of the sources that every attempt starts from."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from duly.adapters.files import git, stage, tree
from duly.adapters.files.removal import remove_tree
from duly.adapters.work.errors import CannotWorkError
from duly.adapters.work.layout import Stage, Workshop, is_itself
from duly.adapters.work.requests import CheckPlace, Observe, Observed, Place
from duly.adapters.work.which import find_program
from duly.model import canonical
from duly.model.errors import DulyError
from duly.model.plan import Isolation, Work
from duly.model.reasons import Reason

LIMITS: Final = tree.Limits()
_GIT: Final = ".git"


def check_place(workshop: Workshop, request: CheckPlace) -> Place:  # noqa: ARG001 - one shape for all performers
    """Say whether the directories, the repository and the program are there; a link elsewhere is none of them."""
    work = request.work
    directories = [*work.cwds, *([work.inputs.repo] if work.inputs.repo else [])]
    if not all(is_itself(Path(directory)) for directory in directories):
        return Place.DIRECTORY_MISSING
    is_there = find_program(work.agent.argv[0], work.agent.path, Path(work.root))
    return Place.READY if is_there else Place.PROGRAM_MISSING


def observe(workshop: Workshop, request: Observe) -> Observed:
    """Freeze the inputs of a run, once. Raises CannotWorkError when they cannot be read."""
    work, here = request.work, workshop.stage(request.pin.run_id)
    with refusals(Reason.STAGING_FAILED):
        observed_at = workshop.clock()
        commit = git.git_head(Path(work.inputs.repo)) if work.inputs.repo else None
        base_tree = _freeze(workshop, work, here, commit)
    return Observed(
        source_set=_source_set(work),
        base_commit=commit,
        base_tree=base_tree,
        observed_at=observed_at,
        content=canonical.to_json({}),
    )


def _source_set(work: Work) -> tuple[str, ...]:
    globs = () if works_in_checkout(work) else work.inputs.sources
    sources = [f"{work.root}/{glob}" for glob in globs]
    return (*sources, *([f"git:{work.inputs.repo}"] if work.inputs.repo else []))


def works_in_checkout(work: Work) -> bool:
    """Say whether the working copy is a checkout of the repository that is read."""
    return work.inputs.repo is not None and work.inputs.repo == work.root


def _freeze(workshop: Workshop, work: Work, here: Stage, commit: str | None) -> str | None:
    """Make the base copy and return the hash of its manifest; None where there is nothing to copy."""
    here.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    if work.isolation is Isolation.IN_PLACE:
        return None
    # An attempt that died before it could record the snapshot leaves a base that nobody vouches for.
    remove_tree(here.base)
    if works_in_checkout(work):
        frozen = _freeze_checkout(work, here, commit or "")
    else:
        part = tree.Part(
            includes=lambda path: workshop.matches(work.inputs.sources, path),
            reaches=lambda path: is_for_agents(work, path, workshop.home),
        )
        frozen = stage.freeze_base(Path(work.root), here.base, part, LIMITS)
    plain = canonical.to_json(frozen.to_plain())
    return workshop.bytes.put_bytes(plain.encode())


def _freeze_checkout(work: Work, here: Stage, commit: str) -> stage.Manifest:
    """Freeze the files of a commit; each attempt works in a checkout of its own, with its history."""
    checkout = here.root / "checkout"
    remove_tree(checkout)
    git.clone_at(Path(work.root), commit, checkout)
    part = tree.Part(reaches=lambda path: path != _GIT)
    frozen = stage.freeze_base(checkout, here.base, part, LIMITS)
    remove_tree(checkout)
    return frozen


def is_for_agents(work: Work, path: str, home: Path) -> bool:
    """Say whether a path beneath the root may be read or written: no repository's inside, nothing of Duly's own."""
    absolute = Path(work.root) / path
    return _GIT not in path.lower().split("/") and absolute != home and home not in absolute.parents


def manifest(workshop: Workshop, sha256: str) -> stage.Manifest:
    """Return the manifest that a snapshot names. Raises CannotWorkError when it is gone."""
    with refusals(Reason.SNAPSHOT_UNAVAILABLE):
        return stage.Manifest.from_plain(json.loads(workshop.bytes.read_bytes(sha256)))


@contextmanager
def refusals(reason: Reason) -> Iterator[None]:
    """Turn what stands in the way of an attempt into a reason that the ledger keeps."""
    try:
        yield
    except CannotWorkError:
        raise
    except (stage.BaseAlteredError, git.CommitGoneError) as error:
        raise CannotWorkError(Reason.SNAPSHOT_UNAVAILABLE, error.message, fix=error.fix) from error
    except DulyError as error:
        raise CannotWorkError(reason, error.message, fix=error.fix) from error
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise CannotWorkError(reason, f"{place}{error.strerror}") from error
