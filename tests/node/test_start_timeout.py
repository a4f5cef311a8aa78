"""A program that does not show in time that it has started is stopped, and the run says so."""

from duly.adapters.launch import launch
from duly.engine.settings import Settings
from duly.model.instant import MINUTE_US, SECOND_US
from duly.testkit.workbench import Options, Workbench
from tests.node.jobs import REPORT, definition, lives, outcome, starts

# Leases and limits of the node outlast the jumps of the clock.
PATIENT = Options(settings=Settings(lease_us=60 * MINUTE_US))


def move(bench, ahead_us):
    """Let time pass, and let the engine see that."""
    bench.move(ahead_us)
    assert bench.engine.wait_until(lambda *_: True, None, (), 60 * SECOND_US)


def test_what_never_shows_that_it_started_is_stopped_and_its_run_says_so(
    home, root, bell, monkeypatch, tmp_path
):
    begun, hung = bell("begun"), tmp_path / "hung"
    # The interpreter of the launcher hangs, as on a file system that does not answer: a real one that hears nothing.
    hung.write_text(f"#!/bin/sh\necho $$ > {begun}\nexec sleep 600\n")
    hung.chmod(0o700)
    monkeypatch.setattr(launch, "_PYTHON", str(hung))
    with Workbench(home, PATIENT) as bench:
        bench.apply(
            definition(REPORT, agent={"restart": "safe", "timeouts": {"start": "5m"}}), root
        )
        run_id = bench.start("report")
        pid = int(begun.wait())
        move(bench, 4 * MINUTE_US)
        assert bench.show(run_id).run.status == "running"
        for passed in (60, 10, 30):  # its time, the grace after SIGTERM, the patience after SIGKILL
            move(bench, passed * SECOND_US)
        bench.settle()
        found = bench.show(run_id)
    assert outcome(found) == ("failed-before-write", "start_timeout")
    assert [one.ending for one in found.executions] == ["timed_out:start"]
    assert not lives(pid)
    assert starts(root) == 0
