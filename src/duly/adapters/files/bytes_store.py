"""Keeps bytes by their hash in a directory: written once, durable, and checked whenever they are read."""

import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from duly.adapters.files import beneath
from duly.model.errors import DulyError

_INCOMING: Final = "incoming"
_HEX: Final = frozenset("0123456789abcdef")


class BytesMissingError(DulyError):
    """The store does not hold these bytes. Restore the data directory from a backup, or redo the run."""

    code = "bytes-missing"


class BytesCorruptError(DulyError):
    """The store's file no longer has the content of its name. Restore it from a backup."""

    code = "bytes-corrupt"


class BytesStore:
    """A directory of files named by the SHA-256 of what they hold: `sha256/ab/cdef…`.

    Any number of threads, and programs, may use one directory at once.
    """

    def __init__(self, root: Path) -> None:
        """Use a directory, which is made if need be."""
        self.root = root
        (root / _INCOMING).mkdir(parents=True, exist_ok=True, mode=0o700)
        (root / "sha256").mkdir(exist_ok=True, mode=0o700)

    def put_bytes(self, data: bytes) -> str:
        """Store bytes and return their hash; they are durable then."""
        sha256 = hashlib.sha256(data).hexdigest()
        if not self.verify(sha256):
            with self._incoming() as (file, name):
                file.write(data)
                self._keep(file, name, sha256)
        return sha256

    def put_file(self, path: Path) -> str:
        """Store a copy of a file (not of what a link points to) and return its hash; it is durable then."""
        with open(path, "rb", opener=_open_plain) as reader, self._incoming() as (file, name):
            digest = hashlib.sha256()
            while data := reader.read(beneath.READ_BYTES):
                digest.update(data)
                file.write(data)
            sha256 = digest.hexdigest()
            if not self.verify(sha256):
                self._keep(file, name, sha256)
        return sha256

    def has(self, sha256: str) -> bool:
        """Say whether there is a file of that name, unread."""
        return self.path_of(sha256).is_file()

    def verify(self, sha256: str) -> bool:
        """Say whether the bytes are here and intact, by reading them."""
        try:
            with self.open(sha256):
                return True
        except (BytesMissingError, BytesCorruptError):
            return False

    @contextmanager
    def open(self, sha256: str) -> Iterator[BinaryIO]:
        """Yield the bytes as a file at its beginning; they were read once to be sure.

        Raises BytesMissingError or BytesCorruptError.
        """
        try:
            file = self.path_of(sha256).open("rb")
        except FileNotFoundError:
            raise BytesMissingError(f"no bytes {sha256} in {self.root}") from None
        with file:
            if beneath.hash_fd(file.fileno()) != sha256:
                raise BytesCorruptError(f"the bytes {sha256} in {self.root} have changed")
            file.seek(0)
            yield file

    def read_bytes(self, sha256: str) -> bytes:
        """Return all the bytes. Raises as `open` does."""
        with self.open(sha256) as file:
            return file.read()

    def path_of(self, sha256: str) -> Path:
        """Return where the file of that name is, or would be."""
        return self.root / self.name_of(sha256)

    def name_of(self, sha256: str) -> str:
        """Return that path relative to the store's root."""
        if len(sha256) != 64 or not _HEX.issuperset(sha256):
            raise ValueError(f"{sha256!r} is no SHA-256")
        return f"sha256/{sha256[:2]}/{sha256[2:]}"

    @contextmanager
    def _incoming(self) -> Iterator[tuple[BinaryIO, str]]:
        """Yield a new file, 0600, that is gone afterwards unless it was kept."""
        fd, name = tempfile.mkstemp(dir=self.root / _INCOMING)
        try:
            with os.fdopen(fd, "wb") as file:
                yield file, name
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)

    def _keep(self, file: BinaryIO, name: str, sha256: str) -> None:
        """Make an incoming file durable under its hash; it takes the place of a damaged one."""
        file.flush()
        os.fsync(file.fileno())
        target = self.path_of(sha256)
        if not target.parent.is_dir():
            target.parent.mkdir(mode=0o700, exist_ok=True)
            _sync_directory(target.parent.parent)
        os.rename(name, target)
        _sync_directory(target.parent)


def _open_plain(path: str, flags: int) -> int:
    """Open what is a file itself; a fifo would hold us, and a link lead elsewhere."""
    if stat.S_ISFIFO(os.lstat(path).st_mode):
        raise OSError(errno.EINVAL, "a fifo has no content to keep", path)
    return os.open(path, flags | os.O_NOFOLLOW)


def _sync_directory(path: Path) -> None:
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
