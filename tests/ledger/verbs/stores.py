"""The stores that the suite runs on, each with its ledger and a way to look beneath the verbs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import apsw

from duly.ledger.api.core import Ledger
from duly.ledger.api.runs import ClaimBatch
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.sqlite.space import SpaceLimits
from duly.ledger.sqlite.store import StoreOptions
from duly.ledger.verbs import Verbs
from duly.model.ids import ClaimId
from duly.model.instant import Instant
from duly.model.run import ClaimedRun
from tests.ledger.verbs import samples

Result = TypeVar("Result")
SMALL = StoreOptions(limits=SpaceLimits(ballast_bytes=4096))
Dump = dict[str, list[tuple[Any, ...]]]


class Store:
    """A ledger under test; `at` is what its clock says."""

    Refused: type[Exception]

    def __init__(self) -> None:
        self.at = samples.START
        self.ledger: Ledger

    def write(self, fn: Callable[[Verbs], Result]) -> Result:
        """Run `fn(tx)` in a transaction of its own."""
        return self.ledger.write(lambda tx, _: fn(tx), None)

    def read(self, fn: Callable[[Verbs], Result]) -> Result:
        """Run `fn(tx)` on a snapshot."""
        return self.ledger.read(lambda tx, _: fn(tx), None)

    def claim(self, claim_id: str = "c_1", owner: str = "me", **given: Any) -> list[ClaimedRun]:
        """Claim what is ready."""
        facts = {"on_time": 10, "caught_up": 10, "until": Instant(self.at + 60_000_000)} | given
        batch = ClaimBatch(owner=owner, claim_id=ClaimId(claim_id), **facts)
        return self.write(lambda tx: tx.claim_runs(batch))

    def raw(self, sql: str, **params: Any) -> list[tuple[Any, ...]]:
        """Run SQL beneath the verbs, committed."""
        raise NotImplementedError

    def plan(self, sql: str, **params: Any) -> list[str]:
        """Return the steps of a statement's query plan."""
        raise NotImplementedError

    def tables(self) -> dict[str, list[str]]:
        """Return every table's columns."""
        raise NotImplementedError

    def dump(self) -> Dump:
        """Return every row of every table, in order of the rows."""
        return {
            table: sorted(self.raw(f"select * from {table}"), key=repr) for table in self.tables()
        }


class SqliteStore(Store):
    """A ledger on SQLite."""

    Refused = apsw.ConstraintError

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ledger = SqliteLedger(path, lambda: self.at, Verbs, SMALL)
        self._beneath = apsw.Connection(str(path))

    def raw(self, sql: str, **params: Any) -> list[tuple[Any, ...]]:
        return self._beneath.execute(sql, params).fetchall()

    def close(self) -> None:
        self._beneath.close()
        self.ledger.close()

    def plan(self, sql: str, **params: Any) -> list[str]:
        return [step for *_, step in self.raw(f"explain query plan {sql}", **params)]

    def tables(self) -> dict[str, list[str]]:
        names = self.raw(
            "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'"
        )
        columns = "select name from pragma_table_info(:table)"
        return {name: [row[0] for row in self.raw(columns, table=name)] for (name,) in names}


@contextmanager
def _sqlite(directory: Path) -> Iterator[Store]:
    store = SqliteStore(directory / "ledger.db")
    try:
        yield store
    finally:
        store.close()


STORES = {"sqlite": _sqlite}
