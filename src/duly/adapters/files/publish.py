"""Puts one finished file in its place beneath a root: compared first, durable, and never through a link."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from duly.adapters.files import beneath
from duly.adapters.files.beneath import Trap, TrapError

_NO_HARD_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Before(Enum):
    """What may stand at the target when no certain content is expected there."""

    ABSENT = "absent"
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishFile:
    """Put the file `source` (beneath `source_root`) at `path` (beneath `root`).

    `sha256` is what was verified and will be published, nothing else. `expected_before` is the content that
    may be replaced. `mode` holds for a new file; one that is replaced keeps its own.
    """

    root: Path
    path: str
    source_root: Path
    source: str
    sha256: str
    expected_before: str | Before
    mode: int = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The file stands there, durably. `before` is what it replaced (None: nothing)."""

    before: str | None
    after: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something else than expected stands there (None: nothing); it was left alone."""

    found: str | None


class Refusal(Enum):
    """Why a file was not published; nothing was changed."""

    OUTSIDE = "outside"
    LINK = "link"
    HARD_LINK = "hard_link"
    NOT_A_FILE = "not_a_file"
    NOT_A_DIRECTORY = "not_a_directory"
    ROOT_MISSING = "root_missing"
    SOURCE_MISSING = "source_missing"
    SOURCE_CHANGED = "source_changed"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was changed, for this reason; `detail` is for people."""

    reason: Refusal
    detail: str


@dataclass(frozen=True, slots=True)
class Absent:
    """Nothing stands there."""


_REFUSALS: Final = {
    Trap.OUTSIDE: Refusal.OUTSIDE,
    Trap.LINK: Refusal.LINK,
    Trap.HARD_LINK: Refusal.HARD_LINK,
    Trap.NOT_A_FILE: Refusal.NOT_A_FILE,
    Trap.NOT_A_DIRECTORY: Refusal.NOT_A_DIRECTORY,
}


def publish(request: PublishFile) -> Published | Conflict | Refused:
    """Publish one file; may be repeated after a crash at any point.

    Raises OSError only when the file is in place but cannot be proven durable: its fate is unknown.
    Between comparing and replacing, another writer may slip in: who shares a path holds its lock.
    """
    if not request.root.is_dir():
        return Refused(Refusal.ROOT_MISSING, f"{request.root} is no directory")
    found = read_back(request.root, request.path)
    if isinstance(found, Refused):
        return found
    if not _may_replace(request, None if isinstance(found, Absent) else found):
        return Conflict(None if isinstance(found, Absent) else found)
    try:
        with (
            _source(request) as source,
            beneath.parent_of(request.root, request.path, creates=True) as (directory, name),
        ):
            return _put(request, source, directory, name)
    except TrapError as error:
        return Refused(_REFUSALS[error.trap], str(error))
    except _StoppedError as error:
        return error.answer
    except _UnsettledError as error:
        raise error.cause from None
    except OSError as error:
        return Refused(Refusal.SYSTEM, f"{request.path!r}: {error.strerror}")


def read_back(root: Path, path: str) -> str | Absent | Refused:
    """Return the SHA-256 of what stands there now, that nothing does, or why it is not read."""
    try:
        with beneath.parent_of(root, path) as (directory, name):
            file, _ = beneath.open_file(directory, name, path)
            try:
                return beneath.hash_fd(file)
            finally:
                os.close(file)
    except FileNotFoundError:
        return Absent()
    except TrapError as error:
        return Refused(_REFUSALS[error.trap], str(error))
    except OSError as error:
        return Refused(Refusal.SYSTEM, f"{path!r}: {error.strerror}")


class _StoppedError(Exception):
    """Nothing was changed, and this is the answer."""

    def __init__(self, answer: Conflict | Refused) -> None:
        super().__init__(str(answer))
        self.answer = answer


class _UnsettledError(Exception):
    """The file is in place, and then something failed."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _may_replace(request: PublishFile, found: str | None) -> bool:
    """Say whether what stands there may become what is published; what is there already may."""
    match request.expected_before:
        case Before.ANY:
            return True
        case Before.ABSENT:
            return found is None or found == request.sha256
        case _:
            return found in (request.expected_before, request.sha256)


@contextmanager
def _source(request: PublishFile) -> Iterator[int]:
    """Yield the open source; a file with other names could still be written through them."""
    try:
        with beneath.parent_of(request.source_root, request.source) as (directory, name):
            source, status = beneath.open_file(directory, name, request.source)
    except FileNotFoundError:
        missing = Refused(Refusal.SOURCE_MISSING, f"{request.source!r} is not there to publish")
        raise _StoppedError(missing) from None
    try:
        if status.st_nlink > 1:
            raise TrapError(Trap.HARD_LINK, request.source)
        yield source
    finally:
        os.close(source)


def _put(
    request: PublishFile, source: int, directory: int, name: str
) -> Published | Conflict | Refused:
    label = hashlib.sha256(f"{name}\0{request.sha256}".encode(errors="surrogateescape"))
    temporary = f".duly-{label.hexdigest()[:24]}.part"
    with suppress(FileNotFoundError):  # left by a crash; it may be a second name of the target
        os.unlink(temporary, dir_fd=directory)
    before, mode = _standing(directory, name, request)
    if before == request.sha256:
        return Published(before=before, after=before, is_changed=False)
    if not _may_replace(request, before):
        return Conflict(before)
    try:
        _write(source, directory, temporary, mode, request)
        _move(directory, temporary, name, is_new=before is None)
    except FileExistsError:
        return Conflict(_standing(directory, name, request)[0])
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=directory)
    try:
        os.fsync(directory)
    except OSError as error:
        raise _UnsettledError(error) from None
    return Published(before=before, after=request.sha256, is_changed=True)


def _standing(directory: int, name: str, request: PublishFile) -> tuple[str | None, int | None]:
    """Return hash and mode of what would be replaced; None for nothing."""
    try:
        file, status = beneath.open_file(directory, name, request.path)
    except FileNotFoundError:
        return None, None
    try:
        if status.st_nlink > 1:
            raise TrapError(Trap.HARD_LINK, request.path)
        return beneath.hash_fd(file), stat.S_IMODE(status.st_mode)
    finally:
        os.close(file)


def _write(
    source: int, directory: int, temporary: str, mode: int | None, request: PublishFile
) -> None:
    """Write the source's bytes to the temporary file and to the disk, if they are those that were verified."""
    file = os.open(temporary, _NEW, request.mode, dir_fd=directory)
    digest = hashlib.sha256()
    with os.fdopen(file, "wb") as target:
        while data := os.read(source, beneath.READ_BYTES):
            digest.update(data)
            target.write(data)
        target.flush()
        if mode is not None:
            os.fchmod(target.fileno(), mode)
        os.fsync(target.fileno())
    if digest.hexdigest() != request.sha256:
        detail = f"{request.source!r} is no longer what was verified"
        raise _StoppedError(Refused(Refusal.SOURCE_CHANGED, detail))


def _move(directory: int, temporary: str, name: str, *, is_new: bool) -> None:
    """Give the temporary file its name; raises FileExistsError if a new name was taken meanwhile."""
    if is_new:
        try:
            os.link(
                temporary, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False
            )
            return
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
    os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
