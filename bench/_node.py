"""What the benchmarks of a node share: definitions by the thousand, a node without outside, the disk's floor."""

import itertools
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from duly.adapters.clock import wall
from duly.adapters.zones import Zones
from duly.engine.node import Host, Node, Runner
from duly.engine.settings import Settings
from duly.ledger.api.tx import Tx
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.model import codec, ids
from duly.model.automation import Automation, Revision
from duly.model.instant import SECOND_US, Instant, to_datetime
from duly.model.plan import Timing
from duly.model.states import AutomationState
from duly.model.timing import AnchorClass, Covers, Period, RruleRule, WindowRule
from duly.recurrence import watermark
from duly.testkit.plans import PLAIN_TIMING, PLAIN_WORK

BATCH: Final = 500
FLOOR_WRITES: Final = 200

WORK: Final = replace(PLAIN_WORK, job_key="bench")


def daily_at(at: Instant) -> Timing:
    """Return a daily rule in UTC whose next slot is `at` (a whole second)."""
    local = to_datetime(at).replace(tzinfo=None).isoformat()
    return replace(
        PLAIN_TIMING,
        rule=RruleRule(text="FREQ=DAILY", dtstart=local),
        anchor=AnchorClass.WALL,
        window=WindowRule(period=Period.DAY, covers=Covers.CURRENT),
    )


def define(ledger: SqliteLedger, count: int, due_at: Instant) -> None:
    """Define automations, all of them due at one instant."""
    timing, work = codec.dump(daily_at(due_at)), codec.dump(WORK)
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        ledger.write(_define, (numbers, due_at, timing, work))


def _define(tx: Tx, given: tuple[range, Instant, str, str]) -> None:
    numbers, due_at, timing, work = given
    zone = Zones()["UTC"]
    for number in numbers:
        key = f"bench-{number:06d}"
        automation_id = ids.automation_id("default", key)
        tx.add_automation(
            Automation(
                automation_id=automation_id,
                workspace_id="default",
                job_key=key,
                state=AutomationState.ACTIVE,
                state_reason=None,
                state_since=tx.at,
                revision=1,
                next_due=due_at,
                mark=watermark.raise_to(tx.at, AnchorClass.WALL, zone),
                version=1,
                told=None,
                fault_kind=None,
                fault_count=0,
                created_with="",
                created_at=tx.at,
                updated_at=tx.at,
            )
        )
        tx.add_revision(
            Revision(
                automation_id=automation_id,
                number=1,
                definition="{}",
                digest="",
                schema_version=1,
                timing=timing,
                work=work,
                tzdata="bench",
                actor="bench",
                created_at=tx.at,
            )
        )


def node(runner: Runner, settings: Settings) -> Node:
    """Return a node for a benchmark."""
    numbers, zones = itertools.count(1), Zones()
    return Node(
        owner=f"bench-{os.getpid()}",
        host=Host(name="bench", pid=os.getpid(), boot_id="bench", tzdata=zones.version),
        settings=settings,
        zones=zones,
        new_id=lambda: f"bench-{next(numbers)}",
        runner=runner,
        is_only_owner=True,
    )


def seconds_ahead(seconds: int) -> Instant:
    """Return the whole second that lies that far ahead."""
    return Instant((wall() // SECOND_US + seconds) * SECOND_US)


def sleep_until(at: Instant) -> None:
    """Wait for an instant of the wall clock."""
    while (left := at - wall()) > 0:
        time.sleep(left / 1e6)


def floor_ms(folder: Path) -> float:
    """Return the median time that this disk takes to write and sync 4 KiB."""
    taken: list[float] = []
    with (folder / "floor").open("wb", buffering=0) as file:
        for _ in range(FLOOR_WRITES):
            began = time.perf_counter()
            file.write(b"\0" * 4096)
            os.fsync(file.fileno())
            taken.append((time.perf_counter() - began) * 1e3)
    return statistics.median(taken)


def quantiles(values: list[float]) -> str:
    """Return p50, p95 and the greatest of some values."""
    ordered = sorted(values)

    def at(part: float) -> float:
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]

    return f"p50 {at(0.5):8.1f}   p95 {at(0.95):8.1f}   max {ordered[-1]:8.1f} ms"


Done = Callable[[Any, Exception | None], None]
