"""Connections to the ledger's file, what is asserted of them, and what their errors mean to a caller."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import apsw

from duly.model.errors import ForeignDatabaseError, LedgerFullError, UnavailableError

APPLICATION_ID: Final = 0x44554C59  # "DULY", at byte 68 of the file

FULL: Final = 2
"""What `pragma synchronous` answers when each commit is synced."""

STORE_FAILURES: Final = (
    apsw.FullError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.NoMemError,
    apsw.ReadOnlyError,
)
"""Errors of the file and its disk, whichever statement met them."""

_UNCHANGING: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_BUSY_MS: Final = 5_000
_STATEMENTS_CACHED: Final = 512
# Enough that a large group is not written out before its commit.
_CACHE_KIB: Final = 16 * 1024
# Kept after a reset, so that the log is not grown anew each time; a burst's excess goes back to the disk.
_LOG_BYTES_KEPT: Final = 64 * 1024 * 1024

_GONE: Final = re.compile(r"(SQLError: )?(no such (table|column|index):|table .* has no column)")

_CHUNK_BYTES: Final = 1024 * 1024

_HEADER_BYTES: Final = 72
_MAGIC: Final = b"SQLite format 3\0"
_ELSEWHERE: Final = "Point DULY_HOME to another directory, or move this file away."


def examine(path: Path) -> None:
    """Raise ForeignDatabaseError unless the file is a ledger of Duly, by its first bytes; nothing is changed."""
    if path.is_dir():
        raise _foreign(path, "is a directory")
    if path.exists() and not path.is_file():
        # A pipe would hold whoever opens it.
        raise _foreign(path, "is no regular file")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise _foreign(path, f"cannot be read ({error.strerror})") from error
    if not header:
        raise _foreign(path, "is empty")
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
        raise _foreign(path, "is not a SQLite database")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise _foreign(path, "is a SQLite database of another program")


def open_writer(path: Path, vfs: str = "") -> apsw.Connection:
    """Open the one connection that writes: WAL, and a commit is on the disk before it is answered."""
    db = _open(path, vfs)
    db.pragma("journal_mode", "wal")
    db.pragma("synchronous", "full")
    db.pragma("wal_autocheckpoint", 0)
    db.pragma("journal_size_limit", _LOG_BYTES_KEPT)
    db.pragma("cache_size", -_CACHE_KIB)
    db.pragma("temp_store", "memory")
    assert db.pragma("journal_mode") == "wal", (
        "the ledger's file system cannot hold a write-ahead log"
    )
    assert db.pragma("synchronous") == FULL
    return db


def open_reader(path: Path, vfs: str = "") -> apsw.Connection:
    """Open a connection on which any attempt to write raises. Raises UnavailableError if only a writer can."""
    db = _open(path, vfs, is_unchanging=_is_unchanging(path))
    db.pragma("query_only", 1)
    return db


def keep_log(db: apsw.Connection) -> None:
    """Leave the write-ahead log as it is when this connection closes."""
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def settle(path: Path, vfs: str = "") -> None:
    """Make the file say what a crash at this moment would leave, safely on the disk; nobody may have it open.

    After a failed sync the kernel may have dropped pages of the log that later syncs do not miss. So the whole log is
    written and synced anew before it is read as after a crash, and copied into the database before anything follows it.
    """
    log = path.with_name(path.name + "-wal")
    with _alone(path, vfs):
        _write_again(log, vfs)
    with _alone(path, vfs) as db:
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def settle_what_was_left(path: Path, vfs: str = "") -> None:
    """Settle the log that an owner left who did not end well; whether a sync had failed under it, nobody knows."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        # Someone who is reading keeps the index that the last owner made, which is then the one to go on with.
        with suppress(apsw.BusyError):
            settle(path, vfs)


def as_error(error: Exception, path: Path) -> Exception:
    """Return the error that a caller can act on; one that is no fault of the file is returned as it is."""
    match error:
        case apsw.FullError():
            return LedgerFullError(f"no space is left for {path}", fix="Free space, then repeat.")
        case apsw.BusyError() | apsw.LockedError():
            return UnavailableError(
                f"another program holds the write lock of {path}", fix="Stop it, then repeat."
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return damaged(path, error)
        case apsw.SQLError() if _GONE.match(str(error)):
            # Every statement is tested against the schema: it was altered while the ledger was open.
            return damaged(path, error)
        case apsw.IOError() | apsw.CantOpenError() | apsw.NoMemError() | apsw.ReadOnlyError():
            return UnavailableError(
                f"{path} cannot be used ({error})", fix="Look at the disk, then repeat."
            )
        case _:
            return error


def damaged(path: Path, why: object) -> ForeignDatabaseError:
    """Return the error for a ledger whose content cannot be."""
    return ForeignDatabaseError(
        f"{path} is damaged ({why})",
        fix="Run `duly db check`, then put back a copy that `duly db backup` made.",
    )


def put_in_place(draft: Path, target: Path) -> None:
    """Give a finished, closed file its name, durably; raise FileExistsError rather than replace another."""
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    os.link(draft, target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _alone(path: Path, vfs: str) -> Iterator[apsw.Connection]:
    """Open the file with its index rebuilt from the log, and everybody else, in any program, kept out."""
    db = _open(path, vfs)
    try:
        db.pragma("locking_mode", "exclusive")
        db.pragma("synchronous", "full")
        db.execute("begin immediate; commit")
        yield db
    finally:
        keep_log(db)
        db.close()


def _write_again(log: Path, vfs: str) -> None:
    size = log.stat().st_size if log.exists() else 0
    if not size:
        return
    file = apsw.VFSFile(vfs, str(log), [apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_WAL, 0])
    try:
        for offset in range(0, size, _CHUNK_BYTES):
            file.xWrite(file.xRead(min(_CHUNK_BYTES, size - offset), offset), offset)
        file.xSync(apsw.SQLITE_SYNC_NORMAL)
    finally:
        file.xClose()


def _is_unchanging(path: Path) -> bool:
    """Say whether nobody writes the file, in a directory where this process could not make what readers share."""
    if os.access(path.parent, os.W_OK):
        return False
    log, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    if log.exists() and index.exists():
        return False
    if log.exists() and log.stat().st_size:
        raise UnavailableError(
            f"{path.parent} may only be read, and what was written last to {path.name} is still in its log",
            fix="Copy the directory to where this user may write, and name the copy by --home.",
        )
    return True


def _open(path: Path, vfs: str, *, is_unchanging: bool = False) -> apsw.Connection:
    db = apsw.Connection(
        f"{path.absolute().as_uri()}?immutable=1" if is_unchanging else str(path),
        flags=_UNCHANGING if is_unchanging else apsw.SQLITE_OPEN_READWRITE,
        vfs=vfs or None,
        statementcachesize=_STATEMENTS_CACHED,
    )
    db.set_busy_timeout(_BUSY_MS)
    # A plan once made stays: SQLite would make it anew for each other value bound, at ten times the cost of asking.
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    db.pragma("foreign_keys", 1)
    return db


def _foreign(path: Path, what: str) -> ForeignDatabaseError:
    return ForeignDatabaseError(f"{path} {what}, not a ledger of Duly", fix=_ELSEWHERE)
