"""Connections that only read, lent for one snapshot at a time."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw

from duly.ledger import statements
from duly.ledger.api.tx import Tx
from duly.ledger.session import Session
from duly.ledger.sqlite import connection
from duly.model.errors import UnavailableError
from duly.model.instant import Instant

_WAIT_S: Final = 5.0
_NO_DEADLINE_NS: Final = 1 << 62


class Readers:
    """As many connections as are used at once. They can be shut, for a moment in which the file has no connection."""

    def __init__(self, path: Path, tx_factory: Callable[[Session], Tx], vfs: str = "") -> None:
        self._path = path
        self._tx_factory = tx_factory
        self._vfs = vfs
        self._statements = statements.named()
        self._idle: list[apsw.Connection] = []
        self._lent = 0
        self._is_open = True
        self._changed = threading.Condition()

    def read(self, fn: Callable[[Tx, Any], Any], command: Any, at: Instant) -> Any:
        """Run `fn` on a snapshot, on any thread. Raises UnavailableError while the readers stay shut."""
        try:
            with self._snapshot() as db:
                session = Session(db, self._statements, at, time.monotonic_ns, _NO_DEADLINE_NS)
                return fn(self._tx_factory(session), command)
        except apsw.ReadOnlyError:
            raise  # an attempt to write: a fault of the caller, not of the file
        except apsw.Error as error:
            raise connection.as_error(error, self._path) from error

    def shut(self) -> bool:
        """Close every connection and lend none; False when one is not given back in time."""
        with self._changed:
            self._is_open = False
            done = self._changed.wait_for(lambda: not self._lent, _WAIT_S)
            while self._idle:
                self._idle.pop().close()
        return done

    def open(self) -> None:
        """Lend again."""
        with self._changed:
            self._is_open = True
            self._changed.notify_all()

    @contextmanager
    def _snapshot(self) -> Iterator[apsw.Connection]:
        db = self._take()
        try:
            db.execute("begin")
            yield db
            db.execute("rollback")
        except BaseException:
            # Its next user must not find a half-ended transaction; a fresh connection costs little.
            db.close(force=True)
            self._give_back(None)
            raise
        self._give_back(db)

    def _take(self) -> apsw.Connection:
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_open, _WAIT_S):
                raise UnavailableError(f"{self._path} is being recovered", fix="Repeat later.")
            self._lent += 1
            if self._idle:
                return self._idle.pop()
        try:
            db = connection.open_reader(self._path, self._vfs)
            # Whoever closes last would copy the log; after a failed commit that has to be done with care.
            connection.keep_log(db)
            return db
        except BaseException:
            self._give_back(None)
            raise

    def _give_back(self, db: apsw.Connection | None) -> None:
        with self._changed:
            self._lent -= 1
            if db is not None:
                self._idle.append(db)
            self._changed.notify_all()
