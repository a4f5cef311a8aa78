"""Freezes what a run reads into a base, once, and makes working copies of it for each attempt."""

import errno
import fcntl
import hashlib
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from duly.adapters.files import beneath
from duly.adapters.files.beneath import Trap, TrapError
from duly.adapters.files.removal import remove_tree
from duly.adapters.files.tree import Entry, Kind, Limits, Part, scan, scan_part
from duly.model import canonical
from duly.model.errors import DulyError

_CLONE_RANGE: Final = (
    0x40049409  # FICLONE: share the blocks of another file, where the file system can
)
_TRIES: Final = 3
_NAMED_MAX: Final = 20
_ODD: Final = "base64:"


class SourceBusyError(DulyError):
    """A source file kept changing while it was copied. Let its writer finish, then resume the run."""

    code = "source-busy"


class BaseAlteredError(DulyError):
    """The frozen input is no longer what it was. Redo the run with a new input version."""

    code = "input-altered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """One path of a frozen base: content hash (of a link: its target), size and permission bits."""

    kind: Kind
    sha256: str
    size: int
    mode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Everything in a base, by relative path. `left_out` names what is neither file, directory nor link."""

    entries: Mapping[str, Frozen]
    left_out: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash that stands for the whole base."""
        return canonical.hash_of(self.to_plain()["entries"])

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data for JSON; paths that are no UTF-8 become `base64:` texts."""
        return {
            "entries": {
                _text(path): [one.kind.value, one.sha256, one.size, one.mode]
                for path, one in sorted(self.entries.items())
            },
            "left_out": [_text(path) for path in self.left_out],
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Self:
        """Return the manifest that `to_plain` gave."""
        return cls(
            entries={
                _path(text): Frozen(kind=Kind(kind), sha256=sha256, size=size, mode=mode)
                for text, (kind, sha256, size, mode) in data["entries"].items()
            },
            left_out=tuple(_path(text) for text in data["left_out"]),
        )


def freeze_base(root: Path, target: Path, part: Part, limits: Limits) -> Manifest:
    """Copy a part of a directory into a new one, and return what was copied.

    Links are copied as links. On failure nothing is left at `target`. Raises TreeTooLargeError,
    TreeUnreadableError, SourceBusyError, and FileNotFoundError for a missing root.
    """
    found = scan_part(root, limits, part, is_hashed=False).entries
    included = [path for path in found if part.includes(path)]
    left_out = tuple(path for path in included if found[path].kind is Kind.OTHER)
    wanted = {path for path in included if path not in left_out}
    wanted |= {parent for path in wanted for parent in _parents(path)}
    entries: dict[str, Frozen] = {}
    with _new_directory(target):
        for path in sorted(wanted):
            # Whatever vanished since the look around was not there to be frozen.
            with suppress(FileNotFoundError, TrapError):
                entries[path] = _copy(root, target, path, found[path].kind)
    return Manifest(entries=entries, left_out=left_out)


def make_copy(base: Path, target: Path, manifest: Manifest) -> None:
    """Copy a base into a new directory; raises BaseAlteredError if it is not what the manifest says."""
    altered = []
    with _new_directory(target):
        for path, expected in manifest.entries.items():
            try:
                if _copy(base, target, path, expected.kind) != expected:
                    altered.append(path)
            except (FileNotFoundError, TrapError):
                altered.append(path)
        if altered:
            raise _altered(base, altered)


def verify_base(base: Path, manifest: Manifest, limits: Limits) -> None:
    """Compare a base with its manifest, extra files included; raises BaseAlteredError naming what differs."""
    try:
        found = {path: _frozen(entry) for path, entry in scan(base, limits).entries.items()}
    except FileNotFoundError:
        raise BaseAlteredError(f"the frozen input {base} is gone") from None
    expected = manifest.entries
    altered = [p for p in found.keys() | expected.keys() if found.get(p) != expected.get(p)]
    if altered:
        raise _altered(base, altered)


@contextmanager
def _new_directory(target: Path) -> Iterator[None]:
    """Make a directory that is gone again if what follows fails."""
    target.mkdir(mode=0o700)
    is_done = False
    try:
        yield
        is_done = True
    finally:
        if not is_done:
            remove_tree(target)


def _copy(root: Path, target: Path, path: str, kind: Kind) -> Frozen:
    """Copy one path; its directory stands in the target already, which is ours alone."""
    match kind:
        case Kind.DIRECTORY:
            return _copy_directory(root, target, path)
        case Kind.LINK:
            return _copy_link(root, target, path)
        case Kind.FILE:
            return _copy_file(root, target, path)
        case Kind.OTHER:
            raise AssertionError(f"{path!r} cannot be copied")


def _copy_directory(root: Path, target: Path, path: str) -> Frozen:
    with beneath.parent_of(root, path) as (directory, name):
        # The owner always keeps its rights: what is copied must be removable.
        mode = stat.S_IMODE(os.lstat(name, dir_fd=directory).st_mode) | 0o700
    (target / path).mkdir()
    (target / path).chmod(mode)
    return Frozen(kind=Kind.DIRECTORY, sha256="", size=0, mode=mode)


def _copy_link(root: Path, target: Path, path: str) -> Frozen:
    with beneath.parent_of(root, path) as (directory, name):
        try:
            text = os.readlink(name, dir_fd=directory)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            raise TrapError(Trap.LINK, path) from None  # it became something else meanwhile
    (target / path).symlink_to(text)
    sha256 = hashlib.sha256(os.fsencode(text)).hexdigest()
    return Frozen(kind=Kind.LINK, sha256=sha256, size=0, mode=0)


def _copy_file(root: Path, target: Path, path: str) -> Frozen:
    """Copy a file that stands still: one that changes meanwhile is copied again, a few times."""
    for _ in range(_TRIES):
        with beneath.parent_of(root, path) as (directory, name):
            source, before = beneath.open_file(directory, name, path)
        try:
            sha256 = _copy_bytes(source, target / path, before)
            after = os.fstat(source)
        finally:
            os.close(source)
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            mode = stat.S_IMODE(before.st_mode)
            return Frozen(kind=Kind.FILE, sha256=sha256, size=before.st_size, mode=mode)
    raise SourceBusyError(f"{path!r} keeps changing", fix="let its writer finish first")


def _copy_bytes(source: int, target: Path, status: os.stat_result) -> str:
    """Copy content, permission bits and time of change; return the hash of what was copied."""
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    copy = os.open(target, flags, 0o600)
    try:
        if not _shares_blocks(source, copy):
            while data := os.read(source, beneath.READ_BYTES):
                _write_all(copy, data)
        os.fchmod(copy, stat.S_IMODE(status.st_mode))
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
        os.lseek(copy, 0, os.SEEK_SET)
        return beneath.hash_fd(copy)
    finally:
        os.close(copy)


def _shares_blocks(source: int, copy: int) -> bool:
    try:
        fcntl.ioctl(copy, _CLONE_RANGE, source)
    except OSError:
        return False
    return True


def _write_all(fd: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def _parents(path: str) -> Iterator[str]:
    names = path.split("/")
    return ("/".join(names[:count]) for count in range(1, len(names)))


def _frozen(entry: Entry) -> Frozen:
    return Frozen(kind=entry.kind, sha256=entry.sha256, size=entry.size, mode=entry.mode)


def _altered(base: Path, paths: Sequence[str]) -> BaseAlteredError:
    named = ", ".join(repr(path) for path in sorted(paths)[:_NAMED_MAX])
    return BaseAlteredError(
        f"the frozen input {base} was altered: {len(paths)} paths, such as {named}",
        fix="redo the run with a new input version",
    )


def _text(path: str) -> str:
    raw = os.fsencode(path)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return _ODD + b64encode(raw).decode()
    return _ODD + b64encode(raw).decode() if text.startswith(_ODD) else text


def _path(text: str) -> str:
    return os.fsdecode(b64decode(text.removeprefix(_ODD))) if text.startswith(_ODD) else text
