"""From a person's command, committed, to the first step of its runner, committed claim between (target: p95 < 5 ms)."""

import argparse
import tempfile
import threading
from pathlib import Path
from typing import Final

from _node import define, floor_ms, node, quantiles, seconds_ahead

from duly.adapters.clock import SystemClock
from duly.adapters.launch.launch import Launchers
from duly.adapters.zones import Zones
from duly.engine.node import Node
from duly.engine.requests import Steps, Write, now, surely
from duly.engine.service import Engine, EngineParts
from duly.engine.settings import Settings
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.verbs import Verbs
from duly.model import ids
from duly.model.reasons import Reason
from duly.model.run import ClaimedRun
from duly.model.states import Grade, Outcome
from duly.transactions.admit_manual import RunNow, run_now
from duly.transactions.settle import Settle, settle

GIVE_UP_S: Final = 20.0
DAY_S: Final = 86_400


class Starts:
    """Notes when each run's runner takes its first step."""

    def __init__(self, clock: SystemClock) -> None:
        self._clock = clock
        self.at_us = 0
        self.is_started = threading.Event()
        self.is_settled = threading.Event()

    def runner(self, _: Node, claimed: ClaimedRun) -> Steps[None]:
        """Note the start, then settle."""
        self.at_us = (yield from now()).awake_us
        self.is_started.set()
        command = Settle(
            claim=claimed.claim,
            outcome=Outcome.COMPLETED,
            grade=Grade.EXIT,
            reason=Reason.EXIT_DECLARED,
            error_class=None,
        )
        yield from surely(Write(settle, command))
        self.is_settled.set()


def main() -> None:
    """Trigger one run after the other and print how long each took to start."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    runs: int = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="duly-bench-") as name:
        folder = Path(name)
        before = floor_ms(folder)
        whole, claim = measure(folder, runs)
        print(f"latency: {runs} runs, one after the other")
        print(f"  asked -> started              {quantiles(whole)}")
        print(f"  asked, committed -> started   {quantiles(claim)}")
        print(
            f"  disk floor   4 KiB synced in {before:.2f} ms before, {floor_ms(folder):.2f} after"
        )


def measure(folder: Path, runs: int) -> tuple[list[float], list[float]]:
    """Return for each run the time from the command, and from its commit, to the runner's first step (ms)."""
    clock = SystemClock()
    starts = Starts(clock)
    ledger = SqliteLedger(folder / "ledger.db", lambda: clock.read().at, Verbs)
    define(ledger, runs, seconds_ahead(DAY_S))
    engine = Engine(
        EngineParts(
            node=node(starts.runner, Settings()),
            ledger=ledger,
            clock=clock,
            performers={},
            launchers=Launchers(),
            give_up=print,
        )
    )
    engine.start()
    assert engine.wait_idle(int(GIVE_UP_S * 1e6))
    whole: list[float] = []
    claim: list[float] = []
    for number in range(runs):
        asked_us = clock.read().awake_us
        ledger.write(run_now, _command(number))
        admitted_us = clock.read().awake_us
        assert starts.is_started.wait(GIVE_UP_S)
        whole.append((starts.at_us - asked_us) / 1e3)
        claim.append((starts.at_us - admitted_us) / 1e3)
        assert starts.is_settled.wait(GIVE_UP_S)
        starts.is_started.clear()
        starts.is_settled.clear()
    engine.stop()
    ledger.close()
    return whole, claim


def _command(number: int) -> RunNow:
    return RunNow(
        automation_id=ids.automation_id("default", f"bench-{number:06d}"),
        key=f"ask-{number}",
        window_key=None,
        input_version=None,
        redo_reason=None,
        redo_effects=None,
        actor="bench",
        zones=ZONES,
    )


ZONES: Final = Zones()

if __name__ == "__main__":
    main()
