"""What a durable commit costs: the disk's floor, one commit a transaction, and many clients sharing commits."""

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from duly.ledger.api.tx import Tx
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.verbs import tx as verbs
from duly.model.instant import Instant

SECONDS = 2.0
CLIENTS = 32
ROUNDS = 3


def floor(folder: Path) -> float:
    """Return how many single durable inserts a second this disk takes."""
    db = apsw.Connection(str(folder / "floor.db"))
    db.pragma("journal_mode", "wal")
    db.pragma("synchronous", "full")
    db.execute("create table if not exists t(i integer primary key, v text)")
    count, until = 0, time.perf_counter() + SECONDS / 2
    while time.perf_counter() < until:
        db.execute("insert into t(v) values (?)", ("x" * 200,))
        count += 1
    db.close()
    return count / (SECONDS / 2)


def note(tx: Tx, name: str) -> None:
    """Write one audited row: the smallest transaction that the ledger is asked for."""
    tx.audit(name, "bench", {"name": name, "padding": "x" * 100}, "bench")


@contextmanager
def opened(folder: Path, name: str) -> Iterator[SqliteLedger]:
    """Open a fresh ledger."""
    ledger = SqliteLedger(folder / name, lambda: Instant(time.time_ns() // 1000), verbs)
    try:
        yield ledger
    finally:
        ledger.close()


def writes(folder: Path, name: str, clients: int) -> tuple[float, float]:
    """Return (writes a second, longest wait in ms) of clients that each wait for their own answer."""
    counts: list[int] = []
    waits: list[float] = []
    with opened(folder, name) as ledger:
        until = time.perf_counter() + SECONDS

        def client(number: int) -> None:
            count, longest = 0, 0.0
            while (begun := time.perf_counter()) < until:
                ledger.write(note, f"c{number}-{count}")
                longest = max(longest, time.perf_counter() - begun)
                count += 1
            counts.append(count)
            waits.append(longest)

        threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return sum(counts) / SECONDS, 1000 * max(waits)


def stream(folder: Path, name: str, count: int = 20_000) -> float:
    """Return how many submitted writes a second are answered when nobody waits in between."""
    done = threading.Semaphore(0)
    with opened(folder, name) as ledger:

        def answer(_result: Any, error: Exception | None) -> None:
            assert error is None, error
            done.release()

        begun = time.perf_counter()
        for number in range(count):
            ledger.submit(note, f"s{number}", answer)
        for _ in range(count):
            done.acquire()
        return count / (time.perf_counter() - begun)


def main() -> None:
    """Print every round: sides interleaved, the floor before and after."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=Path.cwd()) as name:
        folder = Path(name)
        for number in range(ROUNDS):
            before = floor(folder)
            alone, alone_ms = writes(folder, f"one-{number}.db", 1)
            shared, shared_ms = writes(folder, f"many-{number}.db", CLIENTS)
            streamed = stream(folder, f"stream-{number}.db")
            disk = (before + floor(folder)) / 2
            print(f"round {number + 1}: floor {disk:.0f} FULL commits/s")
            print(
                f"  1 client   {alone:8.0f}/s = {alone / disk:5.2f} x floor, wait max {alone_ms:.0f} ms"
            )
            print(
                f"  {CLIENTS} clients {shared:8.0f}/s = {shared / disk:5.2f} x floor, wait max {shared_ms:.0f} ms,"
                f" {shared / alone:.1f} x one client"
            )
            print(f"  streamed   {streamed:8.0f}/s = {streamed / disk:5.2f} x floor")


if __name__ == "__main__":
    main()
