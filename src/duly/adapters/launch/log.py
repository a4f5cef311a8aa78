"""Keeps an execution's output: redacted, limited, readable while it grows, and stored by its hash at the end."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from duly.adapters.launch.redaction import Redaction

_READ_BYTES: Final = 1 << 20
_MARK: Final = re.compile(rb"\n\[duly: (\d{1,20}) bytes dropped here\]\n")
_MARK_BYTES_MAX: Final = 64


class FileStore(Protocol):
    """Where finished logs go."""

    def put_file(self, path: Path) -> str:
        """Store a copy of a file durably, and return the SHA-256 of its content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLimits:
    """How much of the output is kept: its first and its last bytes; a line between tells how many were dropped."""

    head_bytes: int = 1 << 20
    tail_bytes: int = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLog:
    """A finished log."""

    sha256: str
    size_bytes: int
    dropped_bytes: int


class LogWriter:
    """Writes one log to a partial file; whoever follows it reads with `LogFollower`.

    Beyond head and twice the tail the file is replaced by a shorter one, so it never grows without bound.
    """

    def __init__(self, path: Path, limits: LogLimits, secrets: Iterable[str] = ()) -> None:
        """Start the partial file, which must not exist."""
        self._path = path
        self._limits = limits
        self._redaction = Redaction(secrets)
        self._file = _create(path)
        self._size = 0
        self._dropped = 0

    def __del__(self) -> None:
        """Let go of the file when its execution was dropped: nobody else knows when the last output was written."""
        if hasattr(self, "_file"):
            self._file.close()

    def write(self, data: bytes) -> None:
        """Add output; all but what may be the beginning of a secret can be read at once."""
        self._append(self._redaction.feed(data))

    def finish(self, store: FileStore) -> StoredLog:
        """Store the log, remove the partial file, and return what was stored."""
        self._append(self._redaction.finish())
        if self._size > self._limits.head_bytes + self._limits.tail_bytes:
            self._shorten()
        self._file.close()
        size = self._path.stat().st_size
        stored = StoredLog(
            sha256=store.put_file(self._path), size_bytes=size, dropped_bytes=self._dropped
        )
        self._path.unlink()
        return stored

    def close(self) -> None:
        """Stop without storing; the partial file stays for whoever recovers the execution."""
        self._file.close()

    def _append(self, data: bytes) -> None:
        self._file.write(data)
        self._size += len(data)
        if self._size > self._limits.head_bytes + 2 * self._limits.tail_bytes:
            self._shorten()

    def _shorten(self) -> None:
        """Replace the file by one of head, mark and tail; `_size` counts the bytes of output in it."""
        head, tail = self._limits.head_bytes, self._limits.tail_bytes
        shorter = self._path.with_name(self._path.name + ".shorter")
        shorter.unlink(missing_ok=True)
        excess = self._size - head - tail
        with self._path.open("rb") as old:
            new = _create(shorter)
            new.write(old.read(head))
            old.seek(-tail, os.SEEK_END)
            last = old.read(tail)
        self._dropped += excess
        new.write(_mark(self._dropped))
        new.write(last)
        os.replace(shorter, self._path)
        self._file.close()
        self._file = new
        self._size = head + tail


class LogFollower:
    """Reads a growing log, each kept byte once, in order; what was dropped before it was read, it is told."""

    def __init__(self, path: Path, limits: LogLimits) -> None:
        """Follow a partial file that exists, from its beginning; the limits are its writer's."""
        self._path = path
        self._head = limits.head_bytes
        self._open()

    def read_new(self) -> bytes:
        """Return what was written since, 1 MiB at most; empty when nothing was."""
        found = self._file.read(_READ_BYTES) or b""
        if found or not self._was_replaced():
            return found
        position = self._file.tell()
        # Where we are in the whole output, counting what the old file no longer held.
        if position > self._head:
            position = max(self._head, position - self._mark_bytes) + self._dropped
        self._file.close()
        self._open()
        if position > self._head:
            kept = max(position - self._head - self._dropped, 0)
            position = self._head + (kept and kept + self._mark_bytes)
        self._file.seek(position)
        return self._file.read(_READ_BYTES) or b""

    def close(self) -> None:
        """Stop following."""
        self._file.close()

    def _open(self) -> None:
        self._file = self._path.open("rb", buffering=0)
        self._file.seek(self._head)
        found = _MARK.match(self._file.read(_MARK_BYTES_MAX) or b"")
        self._mark_bytes = len(found[0]) if found else 0
        self._dropped = int(found[1]) if found else 0
        self._file.seek(0)

    def _was_replaced(self) -> bool:
        try:
            here = self._path.stat()
        except FileNotFoundError:
            return False
        return here.st_ino != os.fstat(self._file.fileno()).st_ino


def _mark(dropped: int) -> bytes:
    return b"\n[duly: %d bytes dropped here]\n" % dropped


def _create(path: Path) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
