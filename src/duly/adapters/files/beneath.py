"""Opens files beneath a directory without following a symbolic link in any part of the path."""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Final

READ_BYTES: Final = 1 << 20
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK a fifo would hold whoever opens it until somebody writes.
_REGULAR: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Trap(Enum):
    """What a path may be that is never followed, read or replaced."""

    OUTSIDE = "is not a plain path beneath the root"
    LINK = "is, or leads through, a symbolic link"
    HARD_LINK = "has other names (hard links)"
    NOT_A_FILE = "is no regular file"
    NOT_A_DIRECTORY = "leads through something that is no directory"


class TrapError(Exception):
    """A path was refused; `trap` says why. Callers turn it into their own answer."""

    def __init__(self, trap: Trap, path: str) -> None:
        """Keep both."""
        super().__init__(f"{path!r} {trap.value}")
        self.trap = trap


def names_of(path: str) -> tuple[str, ...]:
    """Return the names of a plain relative path; raises TrapError for any other."""
    names = tuple(path.split("/"))
    if "\0" in path or any(name in ("", ".", "..") for name in names):
        raise TrapError(Trap.OUTSIDE, path)
    return names


@contextmanager
def parent_of(root: Path, path: str, *, creates: bool = False) -> Iterator[tuple[int, str]]:
    """Yield a descriptor of the path's directory and the path's last name.

    With `creates`, missing directories beneath the root are made (durably); else FileNotFoundError is raised.
    The root itself is the operator's word: it may be a link.
    """
    *directories, last = names_of(path)
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in directories:
            if creates:
                _make(here, name)
            below = _open_directory(here, name, path)
            os.close(here)
            here = below
        yield here, last
    finally:
        os.close(here)


def open_file(directory: int, name: str, path: str) -> tuple[int, os.stat_result]:
    """Open a regular file for reading; raises TrapError for anything else. The caller closes it."""
    try:
        found = os.open(name, _REGULAR, dir_fd=directory)
    except OSError as error:
        raise _trap_or(error, directory, name, path) from None
    status = os.fstat(found)
    if not stat.S_ISREG(status.st_mode):
        os.close(found)
        raise TrapError(Trap.NOT_A_FILE, path)
    return found, status


def hash_fd(fd: int) -> str:
    """Return the SHA-256 (hex) of all that follows in an open file."""
    digest = hashlib.sha256()
    while data := os.read(fd, READ_BYTES):
        digest.update(data)
    return digest.hexdigest()


def _make(directory: int, name: str) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=directory)
    except FileExistsError:
        return
    os.fsync(directory)


def _open_directory(directory: int, name: str, path: str) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=directory)
    except OSError as error:
        raise _trap_or(error, directory, name, path) from None


def _trap_or(error: OSError, directory: int, name: str, path: str) -> Exception:
    """Return the refusal that explains the error by what stands there, or the error itself."""
    try:
        mode = os.lstat(name, dir_fd=directory).st_mode
    except OSError:
        return error
    if stat.S_ISLNK(mode):
        return TrapError(Trap.LINK, path)
    if isinstance(error, NotADirectoryError):
        return TrapError(Trap.NOT_A_DIRECTORY, path)
    return TrapError(Trap.NOT_A_FILE, path) if not stat.S_ISREG(mode) else error
