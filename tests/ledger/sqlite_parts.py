"""What the tests of the SQLite ledger share: a store without verbs, small transactions, and disks that fail."""

import shutil
from pathlib import Path

import apsw

from duly.ledger.sqlite import migrate
from duly.ledger.sqlite.space import SpaceLimits
from duly.ledger.sqlite.store import Member, Store, StoreOptions

START = 1_800_000_000_000_000
SMALL = SpaceLimits(ballast_bytes=256 * 1024, free_bytes_min=0)


class Clock:
    """A wall clock that moves when it is told to."""

    def __init__(self):
        self.at = START

    def __call__(self):
        return self.at


class Timer:
    """A monotonic clock that moves by `step` nanoseconds at each look."""

    def __init__(self, step=0):
        self.now, self.step = 0, step

    def __call__(self):
        self.now += self.step
        return self.now


def open_store(path, clock=None, tx_factory=lambda session: session, **options):
    """Open a store whose transactions stand on bare sessions."""
    migrate.prepare(path, START)
    options.setdefault("limits", SMALL)
    return Store(path, clock or Clock(), tx_factory, StoreOptions(**options))


def put(tx, name):
    """Record one row, and return its name."""
    tx.audit(name, "put", {}, "test")
    tx.wake(name)
    return name


def fail_after_put(tx, name):
    """Record one row, then fail."""
    put(tx, name)
    raise LookupError(name)


def raw(tx, sql):
    """Run any statement in the transaction."""
    return tx._connection.execute(sql).fetchall()


def names(tx, _=None):
    """Return the rows recorded so far."""
    return [row[0] for row in tx.rows("audit_chains")]


def commit(store, *members):
    """Commit pairs (function, command) together; return a result or an error for each."""
    answers = store.commit([Member(fn=fn, command=command) for fn, command in members])
    return [answer.error or answer.result for answer in answers]


def copy_as_crashed(path, folder):
    """Copy the files as a crash of the process would leave them, and return what a restart finds."""
    folder.mkdir()
    for suffix in ("", "-wal"):
        source = Path(str(path) + suffix)
        if source.exists():
            shutil.copy(source, folder / source.name)
    return folder / path.name


def stored(path):
    """Return the names in a ledger file that nobody has open."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return [row[0] for row in db.execute("select scope from audit order by scope, seq")]
    finally:
        db.close()


class _File(apsw.VFSFile):
    def __init__(self, disk, name, flags):
        self.disk = disk
        self.name = str(name.filename() if hasattr(name, "filename") else name)
        super().__init__(disk.base, name, flags)

    def xWrite(self, data, offset):  # noqa: N802 - SQLite's name
        self.disk.before_write(self, bytes(data), offset)
        return super().xWrite(data, offset)

    def xSync(self, flags):  # noqa: N802 - SQLite's name
        self.disk.before_sync(self)
        return super().xSync(flags)

    def xTruncate(self, size):  # noqa: N802 - SQLite's name
        self.disk.before_truncate(self, size)
        return super().xTruncate(size)


class Disk(apsw.VFS):
    """A disk that can be watched and made to fail; the real one is below."""

    base = ""

    def __init__(self, name="watched"):
        self.vfs = name
        super().__init__(name, self.base)

    def xOpen(self, name, flags):  # noqa: N802 - SQLite's name
        return _File(self, name, flags)

    def before_write(self, file, data, offset):
        pass

    def before_sync(self, file):
        pass

    def before_truncate(self, file, size):
        pass
