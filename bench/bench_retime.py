"""How long it takes until 100,000 automations by wall time were looked at for newer zone data (target: 10 s).

Two rounds: in one no slot moves, so nothing is written; in the other every slot moves, with an audit event each.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from _node import define, floor_ms, seconds_ahead

from duly.adapters.clock import wall
from duly.adapters.zones import Zones
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.verbs import Verbs
from duly.model.ids import AutomationId
from duly.model.zone import Zone
from duly.transactions import zone_data
from duly.transactions.retime import Retime, retime

TARGET_S: Final = 10.0


def main() -> None:
    """Define automations in a temporary directory, adopt two newer releases, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--automations", type=int, default=100_000)
    automations: int = parser.parse_args().automations
    with tempfile.TemporaryDirectory(prefix="duly-bench-") as folder:
        ledger = SqliteLedger(Path(folder) / "ledger.db", wall, Verbs)
        try:
            define(ledger, automations, seconds_ahead(86_400))
            print(f"retime: {automations:,} automations by wall time")
            print(f"  disk floor   4 KiB synced in {floor_ms(Path(folder)):.2f} ms")
            for version, place in (("9998a", "UTC"), ("9998b", "Asia/Tokyo")):
                _measure(ledger, version, place)
        finally:
            ledger.close()


def _measure(ledger: SqliteLedger, version: str, place: str) -> None:
    zones = {"UTC": _moved(Zones()["UTC"], version, Zones()[place])}
    ledger.write(zone_data.adopt, zone_data.Adopt(version=version, actor="bench"))
    command = Retime(version=version, zones=zones, actor="bench", after=AutomationId(""))
    began, longest, changed, is_more = time.perf_counter(), 0.0, 0, True
    while is_more:
        asked = time.perf_counter()
        done = ledger.write(retime, command)
        longest = max(longest, time.perf_counter() - asked)
        command = replace(command, after=done.after)
        changed, is_more = changed + done.changed, done.is_more
    took = time.perf_counter() - began
    verdict = "met" if took <= TARGET_S else "missed"
    print(
        f"  {changed:7,} moved   {took:5.1f} s   longest transaction with its commit {longest * 1e3:.1f} ms"
        f"   target {TARGET_S:.0f} s: {verdict}"
    )


def _moved(zone: Zone, version: str, like: Zone) -> Zone:
    return replace(zone, version=version, info=like.info, blocks={})


if __name__ == "__main__":
    main()
