"""A ledger file seen by a process that does not own it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from duly.ledger.api.tx import Tx
from duly.ledger.session import Session
from duly.ledger.sqlite import migrate
from duly.ledger.sqlite.readers import Readers
from duly.model.errors import UnavailableError
from duly.model.instant import Instant

Command = TypeVar("Command")
Result = TypeVar("Result")

_READ_ONLY: Final = "this process only reads the ledger"
_OWN_IT: Final = "Own the data directory first, or ask the server that does."


class SqliteReader:
    """Reads a ledger that another process may own; never writes, creates or migrates it."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], Instant],
        tx_factory: Callable[[Session], Tx],
    ) -> None:
        migrate.admit_reader(path)
        self.on_wake: Callable[[frozenset[str]], None] = lambda _: None
        self._readers = Readers(path, tx_factory)
        self._clock = clock

    def write(self, *_given: Any, **_named: Any) -> Any:
        """Refuse: raise UnavailableError."""
        raise UnavailableError(_READ_ONLY, fix=_OWN_IT)

    submit = write

    def read(self, fn: Callable[[Tx, Command], Result], command: Command) -> Result:
        """Run `fn` on a snapshot; any attempt to write raises."""
        found: Result = self._readers.read(fn, command, self._clock())
        return found

    def close(self) -> None:
        """Close every connection."""
        self._readers.shut()
