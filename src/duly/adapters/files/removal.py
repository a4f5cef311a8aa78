"""Removes a working copy whatever an agent made of it: closed directories, depths without end, odd names."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_MODE: Final = 0o700


def remove_tree(path: Path) -> None:
    """Remove a directory and all beneath it; nothing happens if there is none. Links are never followed.

    Directories found inside are first moved up to the top, so that no depth exhausts stack or descriptors.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        path.unlink()
        return
    with _opened(str(path), None) as top:
        moved = 0
        while names := os.listdir(top):
            for name in names:
                if not _unlinked(name, top):
                    moved = _dissolve(top, name, moved)
    with suppress(FileNotFoundError):
        path.rmdir()


def _dissolve(top: int, name: str, moved: int) -> int:
    """Remove one directory of the top, its own directories moved to the top; return how many were moved so far."""
    with _opened(name, top) as directory:
        for inner in os.listdir(directory):
            if not _unlinked(inner, directory):
                moved = _move_up(inner, directory, top, moved)
    os.rmdir(name, dir_fd=top)
    return moved


def _move_up(name: str, directory: int, top: int, moved: int) -> int:
    # Its owner may have closed it, and moving changes its `..`.
    os.chmod(name, _OPEN_MODE, dir_fd=directory)
    while True:
        moved += 1
        try:
            os.lstat(f".removed-{moved}", dir_fd=top)
        except FileNotFoundError:
            os.rename(name, f".removed-{moved}", src_dir_fd=directory, dst_dir_fd=top)
            return moved


def _unlinked(name: str, directory: int) -> bool:
    """Remove what is no directory; return False for a directory."""
    try:
        mode = os.lstat(name, dir_fd=directory).st_mode
        if stat.S_ISDIR(mode):
            return False
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        return True
    return True


@contextmanager
def _opened(name: str, parent: int | None) -> Iterator[int]:
    """Yield an open directory whose entries we may change."""
    os.chmod(name, _OPEN_MODE, dir_fd=parent)
    directory = os.open(name, _DIRECTORY, dir_fd=parent)
    try:
        yield directory
    finally:
        os.close(directory)
