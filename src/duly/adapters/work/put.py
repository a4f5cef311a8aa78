"""Publishing and reading back: files put in their place one by one, each with its fate."""

from difflib import unified_diff
from pathlib import Path
from typing import Final

from duly.adapters.files import publish
from duly.adapters.files.publish import (
    Absent,
    Before,
    Conflict,
    Published,
    PublishFile,
    Refusal,
    Refused,
)
from duly.adapters.work.layout import Workshop, is_itself, root_of
from duly.adapters.work.requests import (
    ChangedFile,
    Compare,
    FileFate,
    FileFound,
    KeepFiles,
    Part,
    PublishedFile,
    PublishFiles,
    ReadBack,
)
from duly.model.plan import Isolation

_COMPARED_BYTES_MAX: Final = 1 << 20
_LINES_MAX: Final = 20_000


def publish_files(workshop: Workshop, request: PublishFiles) -> tuple[PublishedFile, ...]:
    """Put files in their place, in order; after `not_after` none is written any more.

    All are looked at first: where one cannot be written, none is.
    """
    root = Path(request.part.work.root)
    if request.part.work.isolation is Isolation.IN_PLACE:
        return tuple(_declared(root, file) for file in request.files)
    if not is_itself(root):
        detail = f"{root} leads elsewhere since the start"
        return tuple(_fate(file, FileFate.REFUSED, detail) for file in request.files)
    hindered = {file.path: fate for file in request.files if (fate := _hindrance(root, file))}
    if hindered:
        others = "another file of the run could not be written"
        return tuple(
            hindered.get(file.path) or _fate(file, FileFate.NOT_SENT, others)
            for file in request.files
        )
    return tuple(_publish(workshop, request, file) for file in request.files)


def _hindrance(root: Path, file: ChangedFile) -> PublishedFile | None:
    """Return the fate of a file that cannot be written; None: it can, or it stands there already."""
    match publish.read_back(root, file.path):
        case Absent():
            return None if file.before is None else _conflict(file, None)
        case str(found):
            return None if found in (file.before, file.after) else _conflict(file, found)
        case Refused(detail=detail):
            return _fate(file, FileFate.REFUSED, detail)


def _publish(workshop: Workshop, request: PublishFiles, file: ChangedFile) -> PublishedFile:
    root = Path(request.part.work.root)
    if workshop.clock() > request.not_after:
        return _fate(file, FileFate.NOT_SENT, "the lease was over before it could be written")
    difference = None if file.before is None else _difference(workshop, request.part, file)
    wish = PublishFile(
        root=root,
        path=file.path,
        source_root=root_of(request.part, workshop),
        source=file.path,
        sha256=file.after,
        expected_before=Before.ABSENT if file.before is None else file.before,
        mode=file.mode,
    )
    try:
        answer = publish.publish(wish)
    except OSError as error:
        return _fate(file, FileFate.UNKNOWN, f"not durable: {error.strerror}")
    match answer:
        case Published():
            return PublishedFile(
                path=file.path, fate=FileFate.PUBLISHED, detail="", difference_sha256=difference
            )
        case Conflict(found=found):
            return _conflict(file, found)
        case Refused(detail=detail):
            return _fate(file, FileFate.REFUSED, detail)


def _declared(root: Path, file: ChangedFile) -> PublishedFile:
    """In place the program wrote the file itself; only what stands there can be said."""
    is_there = publish.read_back(root, file.path) == file.after
    fate = FileFate.PUBLISHED if is_there else FileFate.CONFLICT
    return _fate(file, fate, "written in place" if is_there else "changed again since")


def _conflict(file: ChangedFile, found: str | None) -> PublishedFile:
    standing = "nothing" if found is None else f"other content ({found[:12]}…)"
    return _fate(file, FileFate.CONFLICT, f"{standing} stands there since the start")


def _fate(file: ChangedFile, fate: FileFate, detail: str) -> PublishedFile:
    return PublishedFile(path=file.path, fate=fate, detail=detail, difference_sha256=None)


def compare(workshop: Workshop, request: Compare) -> tuple[str | None, ...]:
    """Keep the text difference of each file to what stands in its place."""
    return tuple(_difference(workshop, request.part, file) for file in request.files)


def keep_files(workshop: Workshop, request: KeepFiles) -> bool:
    """Keep the bytes of files that are not put in their place; False where one is no longer what was examined."""
    root = root_of(request.part, workshop)
    try:
        kept = [workshop.bytes.put_file(root / file.path) for file in request.files]
    except OSError:
        return False
    return kept == [file.after for file in request.files]


def _difference(workshop: Workshop, part: Part, file: ChangedFile) -> str | None:
    """Keep the text difference to what stands there; None if either is no text of moderate size."""
    old = _lines(Path(part.work.root) / file.path)
    new = _lines(root_of(part, workshop) / file.path)
    if old is None or new is None or old == new:
        return None
    text = "\n".join(
        unified_diff(old, new, f"{file.path} before", f"{file.path} after", lineterm="")
    )
    return workshop.bytes.put_bytes(text.encode())


def _lines(path: Path) -> list[str] | None:
    try:
        with path.open("rb") as file:
            data = file.read(_COMPARED_BYTES_MAX + 1)
    except OSError:
        return None
    if len(data) > _COMPARED_BYTES_MAX or b"\0" in data:
        return None
    lines = data.decode("utf-8", "replace").splitlines()
    return lines if len(lines) <= _LINES_MAX else None


def read_back(workshop: Workshop, request: ReadBack) -> tuple[FileFound, ...]:  # noqa: ARG001
    """Hash what stands at paths beneath a root."""
    return tuple(_found(Path(request.root), path) for path in request.paths)


def _found(root: Path, path: str) -> FileFound:
    match publish.read_back(root, path):
        case str(sha256):
            return FileFound(path=path, sha256=sha256, trouble=None)
        case Absent():
            return FileFound(path=path, sha256=None, trouble=None)
        case Refused(reason=Refusal.ROOT_MISSING):
            return FileFound(path=path, sha256=None, trouble=None)
        case Refused(detail=detail):
            return FileFound(path=path, sha256=None, trouble=detail)
