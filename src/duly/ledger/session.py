"""What the verbs of a transaction stand on: named statements at one instant, parts, wake keys, the audit chain."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol

from duly.ledger import audit_chain
from duly.ledger.audit_chain import NO_HEAD, Head
from duly.model.errors import DeadlineExceededError
from duly.model.instant import Instant

Row = tuple[Any, ...]

# A batch that stops here leaves a bystander's commit waiting no longer than a slow disk would: with its own commit it
# takes about 18 ms (decision 0004).
_BATCH_NS: Final = 12_000_000


class TransactionLostError(Exception):
    """The store ended the whole transaction under its members. They have to run again."""


class Cursor(Protocol):
    """The answer of one statement."""

    def fetchall(self) -> list[Row]:
        """Return every row."""
        ...


class Connection(Protocol):
    """What a session needs of a store's connection."""

    @property
    def in_transaction(self) -> bool:
        """Whether the transaction that the session belongs to is still open."""
        ...

    def execute(
        self, statements: str, bindings: dict[str, Any] | tuple[Any, ...] | None = None, /
    ) -> Cursor:
        """Run one statement with its parameters: by name, or in the order in which the text first names each."""
        ...

    def changes(self) -> int:
        """Return how many rows the last insert, update or delete wrote."""
        ...


class Session:
    """One member of a transaction, at one instant. Over its deadline every statement raises DeadlineExceededError."""

    __slots__ = (
        "_batch_until",
        "_connection",
        "_heads",
        "_statements",
        "_store_failures",
        "_timer",
        "_until",
        "at",
        "wakes",
    )

    def __init__(
        self,
        connection: Connection,
        statements: Mapping[str, str],
        at: Instant,
        timer: Callable[[], int],
        deadline_ns: int,
        store_failures: tuple[type[Exception], ...] = (),
    ) -> None:
        now = timer()
        self.at: Final = at
        self.wakes: Final[set[str]] = set()
        self._connection = connection
        # The newest audit row of scopes that this member wrote to.
        self._heads: dict[str, Head | audit_chain.Row] = {}
        self._statements = statements
        self._timer = timer
        self._until = now + deadline_ns
        self._batch_until = now + _BATCH_NS
        self._store_failures = store_failures

    def rows(self, statement: str, /, **given: Any) -> list[Row]:
        """Run a named statement and return its rows; `:at` is given."""
        given["at"] = self.at
        return self._run(statement, given).fetchall()

    def written(self, statement: str, /, **given: Any) -> int:
        """Run a named statement that returns nothing; say how many rows it wrote. `:at` is given."""
        given["at"] = self.at
        self._run(statement, given)
        return self._connection.changes()

    def put(self, statement: str, values: tuple[Any, ...], /) -> int:
        """Run a named statement with values in the order of their first mention; say how many rows it wrote."""
        self._run(statement, values)
        return self._connection.changes()

    def row(self, statement: str, /, **given: Any) -> Row | None:
        """Return the first row of a named statement, if there is one."""
        found = self.rows(statement, **given)
        return found[0] if found else None

    def _run(self, statement: str, given: dict[str, Any] | tuple[Any, ...]) -> Cursor:
        if not self._connection.in_transaction:
            # A member that swallowed the failure must not go on outside the transaction, committing by itself.
            raise TransactionLostError
        if self._timer() > self._until:
            raise DeadlineExceededError("the transaction took longer than it may")
        return self._connection.execute(self._statements[statement], given)

    def wake(self, key: str) -> None:
        """Post a key once the transaction has committed."""
        self.wakes.add(key)

    @contextmanager
    def part(self, failures: list[Exception]) -> Iterator[None]:
        """Run a part whose failure undoes the part alone and is appended to `failures`.

        A failure of the store (no room, a sick disk), a lost transaction and a passed deadline are not its fault: they
        end the whole member.
        """
        wakes, heads = set(self.wakes), dict(self._heads)
        self._connection.execute("savepoint part")
        try:
            yield
        except Exception as error:
            is_ours = self._connection.in_transaction and not self.is_over
            if not is_ours or isinstance(error, self._store_failures):
                raise
            self._connection.execute("rollback to part")
            self.wakes.intersection_update(wakes)
            self._heads = heads
            failures.append(error)
        self._connection.execute("release part")

    @property
    def is_over(self) -> bool:
        """Whether the member's deadline has passed."""
        return self._timer() > self._until

    def has_time(self) -> bool:
        """Say whether a batch may take another item: not once about 12 ms went by since this member began."""
        return self._timer() < self._batch_until

    def audit(self, scope: str, kind: str, body: Mapping[str, Any], actor: str) -> None:
        """Append a row to the scope's audit chain."""
        self.audit_text(scope, kind, audit_chain.text_of(body), actor)

    def audit_text(self, scope: str, kind: str, text: str, actor: str) -> None:
        """Append a row whose body is canonical JSON already."""
        head = self._heads.get(scope) or self._head_of(scope)
        row = audit_chain.link(head, scope, self.at, actor, kind, text)
        self.put("audit_add", row)
        self._heads[scope] = row

    def begin_chain(self, scope: str) -> None:
        """Take a scope's chain for new, as what it is about was added just now; were it not, `audit` would fail."""
        self._heads.setdefault(scope, NO_HEAD)

    def _head_of(self, scope: str) -> Head:
        found = self.row("audit_head", scope=scope)
        return Head(*found) if found else NO_HEAD
