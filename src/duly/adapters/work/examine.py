"""What an attempt left: its working copy compared with the frozen base, or the directory with how it stood before."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from duly.adapters.files import publish, tree
from duly.adapters.files.tree import Kind
from duly.adapters.work import observe, prepare, rendering
from duly.adapters.work.layout import Workshop, root_of
from duly.adapters.work.observe import LIMITS, refusals
from duly.adapters.work.requests import ChangedFile, Examine, Examined, Part
from duly.model.plan import Isolation
from duly.model.reasons import Reason

_SHOWN_MAX: Final = 1000


def examine(workshop: Workshop, request: Examine) -> Examined:
    """Say what changed, inside the scope and outside. Raises CannotWorkError when it cannot be told."""
    with refusals(Reason.WORK_UNREADABLE):
        if request.part.work.isolation is Isolation.IN_PLACE:
            return _in_place(workshop, request.part)
        return _staged(workshop, request.part)


def _staged(workshop: Workshop, part: Part) -> Examined:
    work = root_of(part, workshop)
    before = _base_entries(workshop, part)
    after = tree.scan(work, LIMITS, ignored=_ignored(part)).entries
    changed = [
        path
        for path in sorted(before.keys() | after.keys())
        if _content(before.get(path)) != _content(after.get(path))
    ]
    publishable = {path: _changed_file(path, before, after) for path in changed}
    artifact_path = rendering.artifact_of(part)
    artifact = publishable.get(artifact_path or "")
    if artifact is None and artifact_path is not None:
        artifact = _rewritten(part, workshop, artifact_path, (before, after))
    return _examined(workshop, part, publishable, artifact)


def _ignored(part: Part) -> list[str]:
    return [".git"] if observe.works_in_checkout(part.work) else []


def _base_entries(workshop: Workshop, part: Part) -> dict[str, tuple[Kind, str, int]]:
    assert part.snapshot.base_tree is not None
    frozen = observe.manifest(workshop, part.snapshot.base_tree)
    return {path: (one.kind, one.sha256, one.mode) for path, one in frozen.entries.items()}


def _content(found: tuple[Kind, str, int] | tree.Entry | None) -> tuple[Kind, str] | None:
    """Return what counts as the content of a path: directories come and go with their files."""
    if isinstance(found, tree.Entry):
        found = (found.kind, found.sha256, found.mode)
    if found is None or found[0] is Kind.DIRECTORY:
        return None
    return found[0], found[1]


def _changed_file(
    path: str, before: Mapping[str, tuple[Kind, str, int]], after: Mapping[str, tree.Entry]
) -> ChangedFile | None:
    """Return a file that could be published; None for what never is: removals, links, special files."""
    found, old = after.get(path), before.get(path)
    if found is None or found.kind is not Kind.FILE or found.links != 1:
        return None
    if old is not None and old[0] is not Kind.FILE:
        return None
    return ChangedFile(
        path=path,
        before=None if old is None else old[1],
        after=found.sha256,
        bytes=found.size,
        mode=found.mode & 0o777,
    )


def _rewritten(
    part: Part,
    workshop: Workshop,
    path: str,
    states: tuple[Mapping[str, tuple[Kind, str, int]], Mapping[str, tree.Entry]],
) -> ChangedFile | None:
    """Return an artifact that was written again with the same bytes: changed since the copy was made.

    The time of the inode's change counts; that of its content may be set to anything, and is, by many a copy.
    """
    before, after = states
    found = after.get(path)
    if found is None or found.kind is not Kind.FILE:
        return None
    made = prepare.made_at_ns(part, workshop)
    if (root_of(part, workshop) / path).lstat().st_ctime_ns <= made:
        return None
    return _changed_file(path, before, after)


def _examined(
    workshop: Workshop,
    part: Part,
    changed: Mapping[str, ChangedFile | None],
    artifact: ChangedFile | None,
) -> Examined:
    globs = rendering.scope_of(part)
    inside = [
        file
        for path, file in changed.items()
        if file and _may_publish(workshop, part, path) and workshop.matches(globs, path)
    ]
    within = {file.path for file in inside}
    outside = tuple(_shown(path) for path in changed if path not in within)
    return Examined(
        in_scope=tuple(inside),
        out_of_scope=outside,
        artifact=artifact if artifact is None or workshop.matches(globs, artifact.path) else None,
        is_artifact_empty=artifact is not None and artifact.bytes == 0,
        difference_sha256=_kept_list(workshop, outside) if outside else None,
    )


def _may_publish(workshop: Workshop, part: Part, path: str) -> bool:
    """Say whether a path may be published where the scope names it: a hook of git, say, would run as its user."""
    return path == _shown(path) and observe.is_for_agents(part.work, path, workshop.home)


def _shown(path: str) -> str:
    """Return a path as text; one that is no UTF-8 can be shown escaped, and never be published."""
    return path.encode("utf-8", "backslashreplace").decode()


def _kept_list(workshop: Workshop, paths: Iterable[str]) -> str:
    """Keep the list of paths outside the scope, one a line; odd names are escaped."""
    text = "\n".join(ascii(path)[1:-1] for path in paths)
    return workshop.bytes.put_bytes(text.encode())


def _in_place(workshop: Workshop, part: Part) -> Examined:
    """Compare the directory with how it stood before; what it was then is known by size and times, not by content."""
    stored = workshop.stage(part.pin.run_id).before(part.fence)
    before: dict[str, Any] = json.loads(stored.read_text())
    if not part.work.write_scope:
        return Examined(
            in_scope=(),
            out_of_scope=(),
            artifact=None,
            is_artifact_empty=False,
            difference_sha256=None,
        )
    after = prepare.scan_in_place(part, workshop).entries
    stamps = {path: prepare.stamp(entry) for path, entry in after.items()}
    directory = [Kind.DIRECTORY.value]
    changed = [
        path
        for path in sorted(before.keys() | stamps.keys())
        if before.get(path, directory) != stamps.get(path, directory)
    ]
    root = Path(part.work.root)
    publishable = {path: _standing(root, path, after.get(path)) for path in changed}
    return _examined(
        workshop, part, publishable, publishable.get(rendering.artifact_of(part) or "")
    )


def _standing(root: Path, path: str, entry: tree.Entry | None) -> ChangedFile | None:
    if entry is None or entry.kind is not Kind.FILE or entry.links != 1:
        return None
    found = publish.read_back(root, path)
    if not isinstance(found, str):
        return None
    # What stood there before is not known; what stands there now was put there by the program itself.
    return ChangedFile(
        path=path, before=found, after=found, bytes=entry.size, mode=entry.mode & 0o777
    )
