"""A node dies while a program of it may live on: nobody starts a second one before the first is proven dead."""

import os
import select
import signal
from contextlib import suppress

import pytest

from duly.adapters.clock import wall
from duly.engine.settings import Settings
from duly.ledger.sqlite.reader_ledger import SqliteReader
from duly.ledger.verbs import Verbs
from duly.model.instant import SECOND_US
from duly.testkit.workbench import Options, Workbench
from tests.node.conftest import PATIENCE_MS
from tests.node.jobs import REPORT, lives, outcome, report, starts

IDLE = Options(is_working=False)
LOOKS_MAX = 20_000
# It counts who of its elders lives before it does anything.
LOOKS_BACK = """
for pid in $(cat "$DULY_CWDS/../pids" 2>/dev/null); do
    kill -0 $pid 2>/dev/null && echo $pid >> "$DULY_CWDS/../met"
done
"""
GOES_ON = """
if [ ! -e "$DULY_CWDS/../pids" ]; then
    {stray} sh -c 'echo $$ >> "$0"; echo > "$1"; exec sleep 600' "$DULY_CWDS/../pids" {begun} &
    echo $$ >> "$DULY_CWDS/../pids"
    wait
fi
"""


@pytest.fixture
def begun(home, root, bell, nodes):
    """Start a node whose program and a grandchild of it live; return the node's pid, the run, and their pids."""

    def do(stray="setsid", restart="safe"):
        rung = bell("begun")
        script = LOOKS_BACK + GOES_ON.format(stray=stray, begun=rung) + REPORT
        with Workbench(home, IDLE) as bench:
            bench.apply(report(restart, script), root)
            run_id = bench.start("report")
        node = nodes.start(home)
        rung.wait()
        launcher = launcher_of(home, run_id)
        pids = [int(pid) for pid in (root.parent / "pids").read_text().split()]
        assert len(pids) == 2 and all(map(lives, pids))
        return node, run_id, launcher, pids

    return do


def launcher_of(home, run_id):
    """Return the launcher's pid, once the node has recorded it."""
    ledger = SqliteReader(home / "ledger.db", wall, Verbs)
    try:
        for _ in range(LOOKS_MAX):
            pid = ledger.read(lambda tx, run: tx.executions(run)[-1].launcher_pid, run_id)
            if pid is not None:
                return pid
    finally:
        ledger.close()
    pytest.fail("the node did not record which processes it started")


def met(root):
    """Return which of its elders a later program found alive."""
    path = root.parent / "met"
    return path.read_text() if path.exists() else ""


def kill(pid, nodes):
    os.kill(pid, signal.SIGKILL)
    assert nodes.ended() == -signal.SIGKILL


def test_case_a21_a_killed_node_takes_its_agent_along_before_another_starts(
    begun, home, root, nodes
):
    node, run_id, _, pids = begun()
    kill(node, nodes)
    with Workbench(home) as bench:
        bench.settle()
        found = bench.show(run_id)
    assert (found.run.outcome, starts(root), met(root)) == ("completed", 2, "")
    assert not any(map(lives, pids))


def test_a_stopped_launcher_is_woken_and_its_tree_proven_dead(begun, home, root, nodes):
    node, run_id, launcher, pids = begun()
    os.kill(launcher, signal.SIGSTOP)
    kill(node, nodes)
    assert all(map(lives, pids)), "a stopped launcher kills nobody"
    with Workbench(home) as bench:
        bench.settle()
        found = bench.show(run_id)
    assert (found.run.outcome, starts(root), met(root)) == ("completed", 2, "")
    assert not any(map(lives, (launcher, *pids)))


def test_proven_dead_but_not_vouched_for_asks_a_person(begun, home, root, nodes):
    node, run_id, launcher, pids = begun(restart="proven")
    os.kill(launcher, signal.SIGSTOP)
    kill(node, nodes)
    with Workbench(home) as bench:
        bench.settle()
        assert outcome(bench.show(run_id)) == ("needs-review", "may_have_written")
    assert starts(root) == 1
    assert not any(map(lives, (launcher, *pids)))


def launcher_and_node_killed(begun, nodes, stray):
    """Kill the launcher first, the node stopped so that it notices nothing, and then the node."""
    node, run_id, launcher, pids = begun(stray)
    os.kill(node, signal.SIGSTOP)
    os.kill(launcher, signal.SIGKILL)
    kill(node, nodes)
    return run_id, pids


def survivor(pids):
    """Return the one of two that is left, after the other has died with its launcher, which takes a moment."""
    by_handle = {}
    for pid in filter(lives, pids):
        with suppress(ProcessLookupError):
            by_handle[os.pidfd_open(pid)] = pid
    poller = select.poll()
    for handle in by_handle:
        poller.register(handle, select.POLLIN)
    ended = {handle for handle, _ in poller.poll(PATIENCE_MS)} if len(by_handle) > 1 else set()
    left = [pid for handle, pid in by_handle.items() if handle not in ended]
    for handle in by_handle:
        os.close(handle)
    (stray,) = left
    return stray


def test_whoever_is_found_of_a_lost_tree_is_killed_and_yet_that_proves_nothing(
    begun, home, root, nodes
):
    run_id, pids = launcher_and_node_killed(begun, nodes, "setsid")
    limit = Settings(host_unreachable_us=2 * SECOND_US)
    with Workbench(home, Options(settings=limit)) as bench:
        bench.settle()
        waits = bench.show(run_id).run
        assert (waits.status, waits.reason) == ("waiting", "host_unreachable")
        assert not any(map(lives, pids)), "what carries the run's token is killed at once"
        bench.move(3 * SECOND_US)
        blocked = bench.wait_for(run_id, "needs-review")
        assert outcome(blocked) == ("needs-review", "host_unreachable")
        assert bench.run("report").occurrences[-1].verdict == "stopped"
    assert starts(root) == 1


def test_somebody_whom_nothing_marks_is_not_killed_and_blocks_the_run(begun, home, root, nodes):
    run_id, pids = launcher_and_node_killed(begun, nodes, "env -i PATH=$PATH setsid")
    stray = survivor(pids)
    limit = Settings(host_unreachable_us=2 * SECOND_US)
    with Workbench(home, Options(settings=limit)) as bench:
        bench.settle()
        bench.move(3 * SECOND_US)
        assert outcome(bench.wait_for(run_id, "needs-review"))[1] == "host_unreachable"
        assert lives(stray)
        os.kill(stray, signal.SIGKILL)
        bench.ask("runs.resume", run_id=run_id, reason="looked, and killed it")
        bench.settle()
        assert bench.show(run_id).run.outcome == "completed"
    assert starts(root) == 2


def test_a_launcher_lost_under_a_living_node_ends_the_run_for_a_person(begun, home, root, nodes):
    _, run_id, launcher, pids = begun()
    os.kill(launcher, signal.SIGKILL)
    assert nodes.ended() == 0
    with Workbench(home, IDLE) as bench:
        assert outcome(bench.show(run_id)) == ("needs-review", "launch_lost")
    assert not any(map(lives, pids)), "the node adopts what a lost launcher leaves"
    assert starts(root) == 1


def test_where_nobody_adopts_a_lost_tree_its_end_stays_unknown_until_a_person_vouches(
    home, root, bell
):
    begun, never = bell("begun"), bell("never")
    script = f'test "$DULY_ATTEMPT" = 1 && {{ echo $PPID > {begun}; read x < {never}; }}; {REPORT}'
    with Workbench(home) as bench:
        bench.apply(report("safe", script), root)
        run_id = bench.start("report")
        os.kill(int(begun.wait()), signal.SIGKILL)
        found = bench.wait_for(run_id, "needs-review")
        assert outcome(found) == ("needs-review", "host_unreachable")
        assert [one.state for one in found.executions] == ["outcome_unknown"]
        bench.ask("runs.resume", run_id=run_id, reason="looked: nothing of it lives")
        bench.settle()
        found = bench.show(run_id)
    assert found.run.outcome == "completed"
    assert [one.state for one in found.executions] == ["settled", "settled"]
