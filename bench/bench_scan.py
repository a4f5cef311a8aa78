"""How long one scan takes when a million automations are defined and 20 are due (target: 1 ms).

Beside it, on the same file and taking turns: the same question without the index, which reads the whole table.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import apsw

from duly.ledger.api.tx import Tx
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.verbs import Verbs
from duly.model.instant import HOUR_US, Instant

NOW: Final = Instant(1_800_000_000_000_000)
DUE: Final = 20
BATCH: Final = 200
SCANS: Final = 400
FULL_READS: Final = 8
TARGET_MS: Final = 1.0

ADD_AUTOMATION: Final = """
insert into automation values (?, 'default', ?, 'active', null, 0, 1, ?, 0, '', 'W', 'UTC', 1, null, null, 0, '', 0, 0)
"""
ADD_REVISION: Final = "insert into revision values (?, 1, '{}', '{}', '{}', '', 1, '', '', 0)"
# The plus hides the column from its index.
WITHOUT_INDEX: Final = """
select automation_id, version from automation where +next_due_us <= ? order by +next_due_us limit ?
"""


def main() -> None:
    """Fill a ledger in a temporary directory, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--automations", type=int, default=1_000_000)
    automations: int = parser.parse_args().automations
    with tempfile.TemporaryDirectory(prefix="duly-bench-") as folder:
        path = Path(folder) / "ledger.db"
        SqliteLedger(path, lambda: NOW, Verbs).close()
        began = time.perf_counter()
        _fill(path, automations)
        took = time.perf_counter() - began
        size = path.stat().st_size / 2**20
        print(f"scan: {automations:,} automations, {DUE} due ({size:,.0f} MiB in {took:.0f} s)")
        print(
            f"  disk floor: 4 KiB written and synced in {_disk_floor_ms(Path(folder)):.2f} ms (p50)"
        )
        _compare(path)


def _fill(path: Path, automations: int) -> None:
    """Write the definitions beneath the verbs; the last DUE of them are due."""
    db = apsw.Connection(str(path))
    db.pragma("synchronous", "off")
    names = [f"a_{number:024d}" for number in range(automations)]
    with db:
        db.executemany(ADD_AUTOMATION, _automations(names))
        db.executemany(ADD_REVISION, ((name,) for name in names))
    db.pragma("wal_checkpoint", "truncate")
    db.close()


def _automations(names: list[str]) -> Iterator[tuple[str, str, int]]:
    first_due = len(names) - DUE
    for number, name in enumerate(names):
        later = HOUR_US + number * 1_000
        yield name, f"key-{name}", NOW - number if number >= first_due else NOW + later


def _compare(path: Path) -> None:
    ledger = SqliteLedger(path, lambda: NOW, Verbs)
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    scans: list[float] = []
    full: list[float] = []
    for _ in range(FULL_READS):
        full.append(_measured(lambda: db.execute(WITHOUT_INDEX, (NOW, BATCH)).fetchall()))
        for _ in range(SCANS // FULL_READS):
            scans.append(_measured(lambda: ledger.read(_scan, BATCH)))
    db.close()
    ledger.close()
    _print("due_automations(200), with records", scans)
    _print("the same read of the whole table", full)
    worst = _percentile(scans, 95)
    ratio = statistics.median(full) / statistics.median(scans)
    verdict = "met" if worst <= TARGET_MS else "MISSED"
    print(f"  {ratio:,.0f} times faster; target p95 <= {TARGET_MS} ms: {verdict}")


def _scan(tx: Tx, limit: int) -> int:
    found = len(tx.due_automations(limit))
    assert found == DUE
    return found


def _measured(question: Callable[[], Any]) -> float:
    began = time.perf_counter()
    question()
    return (time.perf_counter() - began) * 1_000


def _percentile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def _print(what: str, values: list[float]) -> None:
    median, worst = statistics.median(values), _percentile(values, 95)
    print(f"  {what:<36} p50 {median:9.3f} ms   p95 {worst:9.3f} ms")


def _disk_floor_ms(folder: Path) -> float:
    taken: list[float] = []
    with (folder / "floor").open("wb", buffering=0) as file:
        for _ in range(100):
            began = time.perf_counter()
            file.write(b"\0" * 4096)
            os.fsync(file.fileno())
            taken.append((time.perf_counter() - began) * 1_000)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
