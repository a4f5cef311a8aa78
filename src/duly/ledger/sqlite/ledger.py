"""The ledger in front of a store: one writer thread that gathers groups, and readers beside it."""

import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from duly.ledger.api.core import DURABLE, Done, Durability
from duly.ledger.api.tx import Tx
from duly.ledger.session import Session
from duly.ledger.sqlite import migrate
from duly.ledger.sqlite.store import GROUP_MEMBERS_MAX, Member, Store, StoreOptions
from duly.model.errors import CommitUnknownError, UnavailableError
from duly.model.instant import Instant

Command = TypeVar("Command")
Result = TypeVar("Result")

# Between the batches of one burst lie a few milliseconds, and copying the log there held the next one up by 40 ms.
_QUIET_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class _Waiting:
    member: Member
    done: Done


class SqliteLedger:
    """The one writer of a ledger file, created or migrated when opened. `on_wake` and every `done` run on its thread.

    A failure outside a member's own function, or a BaseException in one, ends the writer: `on_death` learns the cause,
    whoever waits gets an error, and every later write is refused with UnavailableError.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], Instant],
        tx_factory: Callable[[Session], Tx],
        options: StoreOptions | None = None,
        on_death: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        migrate.prepare(path, clock())
        self.on_wake: Callable[[frozenset[str]], None] = lambda _: None
        self._on_death = on_death
        self._store = Store(path, clock, tx_factory, options)
        self._incoming: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._waiting: deque[_Waiting] = deque()
        self._gate = threading.Lock()
        self._refusal: str | None = None
        self._is_ending = False
        self._thread: Final = threading.Thread(
            target=self._write_forever, name="ledger-writer", daemon=True
        )
        self._thread.start()

    @property
    def is_low_on_space(self) -> bool:
        """Whether nothing new should be admitted: the disk is nearly full, or the ballast is spent."""
        return self._store.is_low_on_space

    def write(
        self,
        fn: Callable[[Tx, Command], Result],
        command: Command,
        durability: Durability = DURABLE,
    ) -> Result:
        """Run `fn` in a transaction, commit durably, return its result; its errors are raised here, nothing written."""
        assert threading.current_thread() is not self._thread, "the writer would wait for itself"
        answers: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()
        self.submit(fn, command, lambda result, error: answers.put((result, error)), durability)
        result, error = answers.get()
        if error is not None:
            raise error
        found: Result = result
        return found

    def submit(
        self,
        fn: Callable[[Tx, Any], Any],
        command: Any,
        done: Done,
        durability: Durability = DURABLE,
    ) -> None:
        """Like `write`, but answers through `done(result, error)`. Raises UnavailableError once it is closed."""
        member = Member(fn=fn, command=command, durability=durability)
        with self._gate:
            if self._refusal:
                raise UnavailableError(self._refusal, fix="Start Duly again.")
            self._incoming.put(_Waiting(member, done))

    def read(self, fn: Callable[[Tx, Command], Result], command: Command) -> Result:
        """Run `fn` on a reader's snapshot; any attempt to write raises."""
        found: Result = self._store.read(fn, command)
        return found

    def close(self) -> None:
        """Commit what was submitted, then stop the writer thread and close every connection."""
        with self._gate:
            self._refusal = self._refusal or "the ledger is closed"
            self._incoming.put(None)
        self._thread.join()
        self._store.close()

    def _write_forever(self) -> None:
        group: deque[_Waiting] = deque()
        try:
            while group := self._gather():
                answers = self._store.commit([waiting.member for waiting in group])
                while len(group) > len(answers):
                    self._waiting.appendleft(group.pop())
                # First the keys: whoever starts because of an answer must not hear of what was before it.
                if wakes := frozenset().union(*(answer.wakes for answer in answers)):
                    self.on_wake(wakes)
                for answer in answers:
                    group.popleft().done(answer.result, answer.error)
                self._store.tidy(is_idle=False)
        except BaseException as cause:
            self._die(cause, group)
            raise

    def _gather(self) -> deque[_Waiting]:
        """Take what waits, or wait for it; nothing is left to do once this is empty."""
        if not self._waiting and not self._is_ending:
            self._take(self._first())
        while len(self._waiting) < GROUP_MEMBERS_MAX and not self._incoming.empty():
            self._receive()
        group, self._waiting = self._waiting, deque()
        return group

    def _first(self) -> _Waiting | None:
        """Wait for whatever comes next, and tidy up once nothing has come for a while."""
        try:
            return self._incoming.get(timeout=_QUIET_S)
        except queue.Empty:
            self._store.tidy(is_idle=True)
            return self._incoming.get()

    def _receive(self) -> None:
        self._take(self._incoming.get())

    def _take(self, submitted: _Waiting | None) -> None:
        if submitted is None:
            self._is_ending = True
        else:
            self._waiting.append(submitted)

    def _die(self, cause: BaseException, group: deque[_Waiting]) -> None:
        with self._gate:
            self._refusal = f"the ledger's writer has died of {cause!r}"
        for waiting in group:
            # Its group may have been committed before the writer died.
            _tell(waiting, CommitUnknownError(self._refusal, fix="Start Duly again, read it back."))
        self._is_ending = True
        while not self._incoming.empty():
            self._receive()
        for waiting in self._waiting:
            _tell(waiting, UnavailableError(self._refusal, fix="Start Duly again."))
        self._on_death(cause)


def _tell(waiting: _Waiting, error: Exception) -> None:
    # The writer is dying already; the others still have to be told.
    with suppress(Exception):
        waiting.done(None, error)
