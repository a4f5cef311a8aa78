"""Lateness of automations that are all due at one instant: until admitted, claimable and on the disk.

Target: p95 below 150 ms for 1,000 and below 1,500 ms for 10,000, none missed, no transaction above 20 ms. Beside it, on
the same disk and taking turns, APScheduler 3 with a SQLite store: until its function is called.
"""

import argparse
import importlib.util
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from _node import Done, define, floor_ms, node, quantiles, seconds_ahead

from duly.adapters.clock import SystemClock, wall
from duly.adapters.launch.launch import Launchers
from duly.engine.node import Node
from duly.engine.requests import Steps
from duly.engine.service import SERVICES, Engine, EngineParts
from duly.engine.settings import Settings
from duly.ledger.api.core import DURABLE, Durability
from duly.ledger.api.runs import RunFilter
from duly.ledger.api.tx import Tx
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.verbs import Verbs
from duly.model.instant import SECOND_US, Instant
from duly.model.run import ClaimedRun
from duly.transactions.admit import admit_due

AHEAD_S: Final = 3
GIVE_UP_S: Final = 120.0
TAKERS: Final = ("scanner", "rescuer", "keeper")


class Watched:
    """A ledger that notes of every admission how late its commit was, and how long the transaction took."""

    def __init__(self, ledger: SqliteLedger, due_at: Instant, wanted: int) -> None:
        self._ledger, self._due_at, self._wanted = ledger, due_at, wanted
        self.late_ms: list[float] = []
        self.transactions_ms: list[float] = []
        self.is_over = threading.Event()

    @property
    def on_wake(self) -> Callable[[frozenset[str]], None]:
        """Who hears of wake keys."""
        return self._ledger.on_wake

    @on_wake.setter
    def on_wake(self, fn: Callable[[frozenset[str]], None]) -> None:
        self._ledger.on_wake = fn

    def write(self, fn: Any, command: Any, durability: Durability = DURABLE) -> Any:
        """Pass a write on."""
        return self._ledger.write(fn, command, durability)

    def read(self, fn: Any, command: Any) -> Any:
        """Pass a read on."""
        return self._ledger.read(fn, command)

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()

    def submit(self, fn: Any, command: Any, done: Done, durability: Durability = DURABLE) -> None:
        """Pass a write on, and note when an admission's commit was answered."""
        if fn is not admit_due:
            self._ledger.submit(fn, command, done, durability)
            return

        def timed(tx: Tx, command: Any) -> Any:
            began = time.perf_counter()
            result = admit_due(tx, command)
            self.transactions_ms.append((time.perf_counter() - began) * 1e3)
            return result

        def noted(result: Any, error: Exception | None) -> None:
            if error is None and result.runs:
                self.late_ms += [(wall() - self._due_at) / 1e3] * result.runs
                if len(self.late_ms) >= self._wanted:
                    self.is_over.set()
            done(result, error)

        self._ledger.submit(timed, command, noted, durability)


def no_runner(_: Node, claimed: ClaimedRun) -> Steps[None]:
    """Nothing is claimed here."""
    raise AssertionError(claimed)


def ours(folder: Path, count: int) -> None:
    """Let one node admit everything, and print how late."""
    raw = SqliteLedger(folder / "ledger.db", wall, Verbs)
    due_at = seconds_ahead(AHEAD_S + count // 500)
    define(raw, count, due_at)
    ledger = Watched(raw, due_at, count)
    engine = Engine(
        EngineParts(
            node=node(no_runner, Settings()),
            ledger=ledger,
            clock=SystemClock(),
            performers={},
            launchers=Launchers(),
            give_up=print,
            services=tuple(one for one in SERVICES if one.name in TAKERS),
        )
    )
    engine.start()
    assert wall() < due_at, "defining took too long; measure again"
    assert ledger.is_over.wait(GIVE_UP_S), f"{len(ledger.late_ms)} of {count} admitted"
    engine.stop()
    claimable = raw.read(_claimable, count + 1)
    raw.close()
    assert claimable == count, f"{claimable} of {count} claimable"
    longest = max(ledger.transactions_ms)
    print(f"  duly         {quantiles(ledger.late_ms)}   longest transaction {longest:5.1f} ms")


def _claimable(tx: Tx, limit: int) -> int:
    return sum(run.claimable_at is not None for run in tx.runs(RunFilter(limit=limit)))


_called: list[float] = []
_all_called = threading.Event()
_expected: list[int] = [0]


def called(due_s: float) -> None:
    """What APScheduler calls."""
    _called.append((time.time() - due_s) * 1e3)
    if len(_called) >= _expected[0]:
        _all_called.set()


def has_apscheduler() -> bool:
    """Say whether APScheduler and its store can be imported."""
    return all(importlib.util.find_spec(name) for name in ("apscheduler", "sqlalchemy"))


def theirs(folder: Path, count: int) -> None:
    """Let APScheduler call a function for everything, and print how late."""
    background = importlib.import_module("apscheduler.schedulers.background")
    stores = importlib.import_module("apscheduler.jobstores.sqlalchemy")
    pools = importlib.import_module("apscheduler.executors.pool")
    store = stores.SQLAlchemyJobStore(url=f"sqlite:///{folder / 'jobs.db'}")
    scheduler = background.BackgroundScheduler(
        jobstores={"default": store},
        executors={"default": pools.ThreadPoolExecutor(8)},
        job_defaults={"misfire_grace_time": 3600},
        timezone=UTC,
    )
    _called.clear()
    _all_called.clear()
    _expected[0] = count
    scheduler.start(paused=True)
    due_s = (wall() // SECOND_US) + AHEAD_S + count // 20
    first = datetime.fromtimestamp(due_s, UTC)
    for number in range(count):
        scheduler.add_job(
            called, "interval", days=1, next_run_time=first, args=[due_s], id=str(number)
        )
    assert time.time() < due_s, "defining took too long; measure again"
    scheduler.resume()
    is_whole = _all_called.wait(GIVE_UP_S)
    scheduler.shutdown(wait=False)
    missing = "" if is_whole else f"   {count - len(_called)} NOT CALLED"
    print(f"  apscheduler  {quantiles(list(_called))}{missing}")


def main() -> None:
    """Measure both, taking turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--theirs-max", type=int, default=1_000)
    chosen = parser.parse_args()
    if not has_apscheduler():
        print("(no APScheduler beside it: pip install --require-hashes -r requirements/bench.txt)")
    for count in chosen.counts:
        print(f"admission: {count:,} automations due at one instant")
        for _ in range(chosen.rounds):
            _round(count, chosen.theirs_max)


def _round(count: int, theirs_max: int) -> None:
    with tempfile.TemporaryDirectory(prefix="duly-bench-") as name:
        folder = Path(name)
        before = floor_ms(folder)
        ours(folder, count)
        if has_apscheduler() and count <= theirs_max:
            theirs(folder, count)
        print(
            f"  disk floor   4 KiB synced in {before:.2f} ms before, {floor_ms(folder):.2f} after"
        )


if __name__ == "__main__":
    main()
