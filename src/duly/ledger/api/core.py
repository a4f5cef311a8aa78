"""How a transaction is given to a ledger, and what every transaction has."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from duly.ledger.api.tx import Tx

Command = TypeVar("Command")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Durability:
    """How a write commits.

    `is_relaxed`: may be lost in a power cut, never in a crash of the process (lease renewals).
    `must_land`: records what already happened outside, and may use the ballast on a full disk.
    `deadline_us`: longest time inside the transaction; past it the member is rolled back and not run again.
    """

    is_relaxed: bool = False
    must_land: bool = False
    deadline_us: int | None = None


DURABLE = Durability()
RELAXED = Durability(is_relaxed=True)
MUST_LAND = Durability(must_land=True)

Done = Callable[[Any, Exception | None], None]


class Ledger(Protocol):
    """One store of facts. `fn(tx, command)` may run again, so it only reads, asks and records."""

    on_wake: Callable[[frozenset[str]], None]
    """Called after each commit, on the writer thread, with the wake keys of its members."""

    def write(
        self,
        fn: Callable[[Tx, Command], Result],
        command: Command,
        durability: Durability = DURABLE,
    ) -> Result:
        """Run `fn` in a transaction, commit durably, return its result; its errors are raised here, nothing written."""
        ...

    def submit(
        self,
        fn: Callable[[Tx, Any], Any],
        command: Any,
        done: Done,
        durability: Durability = DURABLE,
    ) -> None:
        """Like `write`, but calls `done(result, error)` once, on the writer thread after the commit."""
        ...

    def read(self, fn: Callable[[Tx, Command], Result], command: Command) -> Result:
        """Run `fn` on a reader's snapshot; any attempt to write raises."""
        ...

    def close(self) -> None:
        """Commit what was submitted, then stop the writer thread and close every connection."""
        ...


Part = AbstractContextManager[None]
Fields = Mapping[str, Any]
