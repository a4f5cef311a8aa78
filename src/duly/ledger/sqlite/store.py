"""Group commit on one SQLite file, without a thread of its own: the writer thread and the simulator both drive it."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import apsw

from duly.ledger import statements
from duly.ledger.api.core import DURABLE, Durability
from duly.ledger.api.tx import Tx
from duly.ledger.session import Session, TransactionLostError
from duly.ledger.sqlite import connection
from duly.ledger.sqlite.readers import Readers
from duly.ledger.sqlite.space import Space, SpaceLimits
from duly.model.errors import CommitUnknownError, DeadlineExceededError, UnavailableError
from duly.model.instant import Instant

GROUP_MEMBERS_MAX: Final = 256
_GROUP_NS: Final = 10_000_000
# Pages of 4 KiB that the log may grow by before it is copied: when nothing waits, and at last (10,000 admissions
# write 20,000; copying them makes the next commit wait for a third of a second).
_LOG_PAGES_IDLE: Final = 2_000
_LOG_PAGES_BUSY: Final = 16 * _LOG_PAGES_IDLE
# About 0.3 ms of SQLite's work between two looks at the deadline.
_PROGRESS_STEPS: Final = 10_000
_NO_DEADLINE_NS: Final = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """What a test, a simulation or an operator may set; `timer` counts monotonic nanoseconds."""

    deadline_us: int = 5_000_000
    limits: SpaceLimits = field(default_factory=SpaceLimits)
    timer: Callable[[], int] = time.monotonic_ns
    vfs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One transaction that shares a commit with others."""

    fn: Callable[[Tx, Any], Any]
    command: Any
    durability: Durability = DURABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a member: an error means that nothing of it was written, but for CommitUnknownError."""

    result: Any = None
    error: Exception | None = None
    wakes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Landed:
    """The members that began are on the disk, each with its own answer."""

    answers: list[Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lost:
    """SQLite ended the transaction under the last of those that began; `is_over`: because its deadline had passed."""

    begun: int
    cause: Exception
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class _Unknown:
    """The commit failed with its pages on their way to the disk."""

    begun: int


@dataclass(frozen=True, slots=True)
class _NotBegun:
    """No transaction could be begun."""

    error: Exception


_Outcome = _Landed | _Lost | _Unknown | _NotBegun


class Store:
    """The file, its one writing connection and its readers; all but `read` belongs to one thread at a time."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], Instant],
        tx_factory: Callable[[Session], Tx],
        options: StoreOptions | None = None,
    ) -> None:
        self._options = options or StoreOptions()
        self._path = path
        self._clock = clock
        self._tx_factory = tx_factory
        self._statements = statements.named()
        self._timer = self._options.timer
        self._last_at = Instant(0)
        self._until_ns = _NO_DEADLINE_NS
        self._log_pages = self._log_pages_copied = 0
        self._is_relaxed = False
        self._db: apsw.Connection | None = self._first()
        self._readers = Readers(path, tx_factory, self._options.vfs)
        self._space = Space(path, self._options.limits, self._timer)

    @property
    def is_low_on_space(self) -> bool:
        """Whether nothing new should be admitted."""
        return self._space.is_low

    def commit(self, members: Sequence[Member]) -> list[Answer]:
        """Run members in order in one transaction and answer those that began: as many as 10 ms allow, at least one."""
        members = members[:GROUP_MEMBERS_MAX]
        match self._attempt(members):
            case _Landed(answers):
                return answers
            case _Unknown(begun):
                return [_unknown(self._path)] * begun
            case _NotBegun(error):
                return [Answer(error=error)] * len(members)
            case _Lost(begun=begun, is_over=is_over):
                answers = [self._alone(member) for member in members[: begun - is_over]]
                return [*answers, _over(self._path)] if is_over else answers

    def read(self, fn: Callable[[Tx, Any], Any], command: Any) -> Any:
        """Run `fn` on a snapshot, on any thread."""
        return self._readers.read(fn, command, max(self._clock(), self._last_at))

    def tidy(self, *, is_idle: bool) -> None:
        """Between two groups: copy the log when it has grown, take the ballast's room again."""
        grown = self._log_pages - self._log_pages_copied
        if grown > (_LOG_PAGES_IDLE if is_idle else _LOG_PAGES_BUSY):
            self.checkpoint()
        self._space.restore()

    def checkpoint(self) -> bool:
        """Copy the log into the database; False when that failed. Nothing is lost then: the log stays."""
        self._log_pages_copied = self._log_pages
        db = self._db
        if db is None:
            return False
        try:
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except (apsw.FullError, apsw.BusyError):
            return False
        except apsw.Error:
            # The failed sync may have lost relaxed commits, which later ones must not follow in the log.
            self._stop(db)
            return False
        return True

    def close(self) -> None:
        """Close every connection; the last one copies the log into the database."""
        self._readers.shut()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _alone(self, member: Member) -> Answer:
        outcome = self._attempt([member])
        remedies = [self.checkpoint, self._space.spend][: 1 + member.durability.must_land]
        for make_room in remedies:
            if not (isinstance(outcome, _Lost) and isinstance(outcome.cause, apsw.FullError)):
                break
            if make_room():
                outcome = self._attempt([member])
        return self._only_answer(outcome)

    def _only_answer(self, outcome: _Outcome) -> Answer:
        match outcome:
            case _Landed(answers):
                return answers[0]
            case _Unknown():
                return _unknown(self._path)
            case _NotBegun(error):
                return Answer(error=error)
            case _Lost(is_over=True):
                return _over(self._path)
            case _Lost(cause=cause):
                return Answer(error=connection.as_error(cause, self._path))

    def _attempt(self, members: Sequence[Member]) -> _Outcome:
        try:
            db = self._db = self._db or self._reopen()
            self._sync_each_commit(db, not all(member.durability.is_relaxed for member in members))
            db.execute("begin immediate")
        except apsw.FullError as error:
            return _Lost(begun=len(members), cause=error)
        except (apsw.Error, UnavailableError) as error:
            return _NotBegun(connection.as_error(error, self._path))
        outcome = self._run_all(db, members)
        if isinstance(outcome, _Landed):
            return self._end(db, outcome)
        self._undo(db)
        return outcome

    def _run_all(self, db: apsw.Connection, members: Sequence[Member]) -> _Landed | _Lost:
        self._last_at = max(self._clock(), self._last_at)
        answers: list[Answer] = []
        until = self._timer() + _GROUP_NS
        for member in members:
            if answers and self._timer() > until:
                break
            try:
                outcome = self._run(db, member)
            except apsw.Error as error:
                outcome = _Lost(begun=1, cause=error)
            if isinstance(outcome, _Lost):
                return replace(outcome, begun=len(answers) + 1)
            answers.append(outcome)
        return _Landed(answers)

    def _run(self, db: apsw.Connection, member: Member) -> Answer | _Lost:
        deadline_ns = 1_000 * (member.durability.deadline_us or self._options.deadline_us)
        session = Session(
            db,
            self._statements,
            self._last_at,
            self._timer,
            deadline_ns,
            connection.STORE_FAILURES,
        )
        self._until_ns = self._timer() + deadline_ns
        answer = self._try(db, session, member)
        self._until_ns = _NO_DEADLINE_NS
        cause, is_over = answer.error, session.is_over
        if not db.in_transaction or isinstance(cause, apsw.FullError):
            return _Lost(begun=1, cause=cause or TransactionLostError(), is_over=is_over)
        if cause or is_over:
            db.execute("rollback to member")
        db.execute("release member")
        if is_over:
            return _over(self._path)
        return Answer(error=connection.as_error(cause, self._path)) if cause else answer

    def _try(self, db: apsw.Connection, session: Session, member: Member) -> Answer:
        try:
            db.execute("savepoint member")
            result = member.fn(self._tx_factory(session), member.command)
        except Exception as error:
            return Answer(error=error)
        return Answer(result=result, wakes=frozenset(session.wakes))

    def _end(self, db: apsw.Connection, landed: _Landed) -> _Landed | _Lost | _Unknown:
        try:
            db.execute("commit")
        except apsw.FullError as error:
            # The log could not take every page, and the last of them is what makes a commit.
            self._undo(db)
            return _Lost(begun=len(landed.answers), cause=error)
        except apsw.Error:
            self._stop(db)
            return _Unknown(len(landed.answers))
        return landed

    def _undo(self, db: apsw.Connection) -> None:
        try:
            if db.in_transaction:
                db.execute("rollback")
        except apsw.Error:
            self._stop(db)

    def _stop(self, db: apsw.Connection) -> None:
        """Leave the file as the failure left it, then find out what that is, before anyone is answered."""
        self._db = None
        connection.keep_log(db)
        db.close(force=True)
        with suppress(apsw.Error, UnavailableError):
            self._db = self._reopen()

    def _reopen(self) -> apsw.Connection:
        if not self._readers.shut():
            raise UnavailableError(
                f"{self._path} waits for a long read to end", fix="Repeat later."
            )
        try:
            connection.settle(self._path, self._options.vfs)
        except apsw.FullError:
            if not self._space.spend():
                raise
            connection.settle(self._path, self._options.vfs)
        db = self._open()
        self._readers.open()
        return db

    def _first(self) -> apsw.Connection:
        try:
            connection.settle_what_was_left(self._path, self._options.vfs)
            return self._open()
        except apsw.Error as error:
            raise connection.as_error(error, self._path) from error

    def _open(self) -> apsw.Connection:
        db = connection.open_writer(self._path, self._options.vfs)
        db.set_wal_hook(self._count_pages)
        db.set_progress_handler(lambda: self._timer() > self._until_ns, _PROGRESS_STEPS)
        self._is_relaxed = False
        self._log_pages = self._log_pages_copied = 0
        return db

    def _count_pages(self, _db: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._log_pages:
            self._log_pages_copied = 0
        self._log_pages = pages
        return apsw.SQLITE_OK

    def _sync_each_commit(self, db: apsw.Connection, is_wanted: bool) -> None:
        if is_wanted == self._is_relaxed:
            db.pragma("synchronous", "full" if is_wanted else "normal")
            self._is_relaxed = not is_wanted


def _unknown(path: Path) -> Answer:
    return Answer(
        error=CommitUnknownError(
            f"a commit to {path} failed, and may have landed", fix="Read it back, then decide."
        )
    )


def _over(path: Path) -> Answer:
    return Answer(
        error=DeadlineExceededError(
            f"a transaction on {path} took longer than it may", fix="Ask for less at once."
        )
    )
