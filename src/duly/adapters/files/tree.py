"""What a directory holds, and what became different: by content, without following a link or trusting a name."""

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from duly.adapters.files import beneath
from duly.model.errors import DulyError

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# Gone, or turned into something else, between its listing and its opening.
_VANISHED: Final = frozenset({errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.ENXIO})


class Kind(Enum):
    """What stands at a path."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a scan may look at; beyond it, TreeTooLargeError."""

    entries_max: int = 100_000
    bytes_max: int = 4 << 30
    depth_max: int = 200


class TreeTooLargeError(DulyError):
    """The directory holds more than may be scanned. Keep less in it."""

    code = "tree-too-large"


class TreeUnreadableError(DulyError):
    """Something in the directory cannot be read, so no difference can be told. Correct its permissions."""

    code = "tree-unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One path. `sha256` is of a file's bytes or a link's target; empty for the rest, and where hashing was off.

    `links` counts the names of a file: more than one means that it can change from elsewhere.
    """

    kind: Kind
    size: int
    mode: int
    mtime_ns: int
    links: int
    sha256: str


@dataclass(frozen=True, slots=True)
class TreeState:
    """All paths beneath a root, relative to it, with `/` between names; odd bytes as `os.fsdecode` gives them."""

    entries: Mapping[str, Entry]


def _everything(_path: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which paths count: `includes` is asked for all but directories, `reaches` for directories to look into."""

    includes: Callable[[str], bool] = _everything
    reaches: Callable[[str], bool] = _everything


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One path that differs; None on the side where nothing stood."""

    path: str
    before: Entry | None
    after: Entry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What differs between two states, each sorted by path.

    Directories count only where one stands in for something else: an empty one has nothing to publish.
    """

    added: tuple[Change, ...]
    changed: tuple[Change, ...]
    removed: tuple[Change, ...]

    @property
    def all(self) -> tuple[Change, ...]:
        """Every change, sorted by path."""
        return tuple(sorted((*self.added, *self.changed, *self.removed), key=lambda c: c.path))


def scan(
    root: Path, limits: Limits, *, ignored: Collection[str] = (), is_hashed: bool = True
) -> TreeState:
    """Return the state of a directory; `ignored` paths and all beneath them are left out.

    Whatever vanishes meanwhile is left out too. Raises FileNotFoundError or NotADirectoryError for the root.
    """

    def counts(path: str) -> bool:
        return path not in ignored

    return scan_part(root, limits, Part(includes=counts, reaches=counts), is_hashed=is_hashed)


def scan_part(root: Path, limits: Limits, part: Part, *, is_hashed: bool = True) -> TreeState:
    """Return the state of what a part names, with the directories on the way; otherwise as `scan`."""
    walk = _Walk(limits=limits, part=part, is_hashed=is_hashed, root=root)
    walk.enter(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), "")
    while walk.waiting:
        walk.step()
    return TreeState(dict(sorted(walk.entries.items())))


def diff(before: TreeState, after: TreeState) -> Changes:
    """Say what differs in kind, content, or permission bits; times alone are no difference."""
    added, changed, removed = [], [], []
    for path in sorted(before.entries.keys() | after.entries.keys()):
        old, new = before.entries.get(path), after.entries.get(path)
        if not _differs(old, new):
            continue
        change = Change(path=path, before=old, after=new)
        if old is None or old.kind is Kind.DIRECTORY:
            added.append(change)
        elif new is None or new.kind is Kind.DIRECTORY:
            removed.append(change)
        else:
            changed.append(change)
    return Changes(added=tuple(added), changed=tuple(changed), removed=tuple(removed))


def _differs(old: Entry | None, new: Entry | None) -> bool:
    """Compare what counts; a directory is like nothing."""
    return _what_counts(old) != _what_counts(new)


def _what_counts(entry: Entry | None) -> tuple[Kind, int, int, str] | None:
    if entry is None or entry.kind is Kind.DIRECTORY:
        return None
    return (entry.kind, entry.size, entry.mode, entry.sha256)


@dataclass(slots=True, kw_only=True)
class _Walk:
    """A scan under way: directories wait by name and are opened name by name, so depth costs no descriptor."""

    limits: Limits
    part: Part
    is_hashed: bool
    root: Path
    entries: dict[str, Entry] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    bytes_seen: int = 0

    def step(self) -> None:
        """Look into the next directory."""
        path = self.waiting.pop()
        try:
            with beneath.parent_of(self.root, path) as (parent, name):
                directory = os.open(name, _DIRECTORY, dir_fd=parent)
        except beneath.TrapError:
            return
        except OSError as error:
            if error.errno in _VANISHED:
                return
            raise _unreadable(path, error) from None
        self.enter(directory, f"{path}/")

    def enter(self, directory: int, prefix: str) -> None:
        """Note everything in an open directory, and close it."""
        try:
            for name in _names(directory):
                self.note(directory, name, prefix + name)
        finally:
            os.close(directory)

    def note(self, directory: int, name: str, path: str) -> None:
        """Note one path."""
        try:
            status = os.lstat(name, dir_fd=directory)
            asked = self.part.reaches if stat.S_ISDIR(status.st_mode) else self.part.includes
            if not asked(path):
                return
            entry = self.entry(directory, name, status)
        except OSError as error:
            if error.errno in _VANISHED:
                return
            raise _unreadable(path, error) from None
        self.entries[path] = entry
        if len(self.entries) > self.limits.entries_max:
            raise self.too_large(f"more than {self.limits.entries_max} entries")
        if path.count("/") >= self.limits.depth_max:
            raise self.too_large(f"more than {self.limits.depth_max} levels")
        if entry.kind is Kind.DIRECTORY:
            self.waiting.append(path)

    def entry(self, directory: int, name: str, status: os.stat_result) -> Entry:
        """Describe one path without following it; what a file holds counts against the limit while it is read."""
        kind = _kind(status.st_mode)
        sha256 = ""
        if kind is Kind.LINK:
            target = os.fsencode(os.readlink(name, dir_fd=directory))
            sha256 = hashlib.sha256(target).hexdigest()
        elif kind is Kind.FILE and self.is_hashed:
            status, sha256 = self.read(directory, name)
        elif kind is Kind.FILE:
            self.count(status.st_size)
        return Entry(
            kind=kind,
            size=status.st_size if kind is Kind.FILE else 0,
            mode=stat.S_IMODE(status.st_mode) if kind is not Kind.LINK else 0,
            mtime_ns=status.st_mtime_ns,
            links=status.st_nlink if kind is Kind.FILE else 1,
            sha256=sha256,
        )

    def read(self, directory: int, name: str) -> tuple[os.stat_result, str]:
        """Return what a file is and the hash of what it holds."""
        file = os.open(name, _FILE, dir_fd=directory)
        try:
            digest = hashlib.sha256()
            while data := os.read(file, beneath.READ_BYTES):
                self.count(len(data))
                digest.update(data)
            return os.fstat(file), digest.hexdigest()
        finally:
            os.close(file)

    def count(self, size: int) -> None:
        """Add to the bytes seen."""
        self.bytes_seen += size
        if self.bytes_seen > self.limits.bytes_max:
            raise self.too_large(f"more than {self.limits.bytes_max} bytes")

    def too_large(self, what: str) -> TreeTooLargeError:
        """Return the error that says what is too much."""
        return TreeTooLargeError(
            f"{self.root} holds {what}", fix="keep less in it; caches belong in $TMPDIR"
        )


def _names(directory: int) -> Iterator[str]:
    with os.scandir(directory) as found:
        yield from (entry.name for entry in found)


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.DIRECTORY
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.OTHER


def _unreadable(path: str, error: OSError) -> TreeUnreadableError:
    return TreeUnreadableError(
        f"{path!r} cannot be read: {error.strerror}", fix="give its owner the right to read it"
    )
