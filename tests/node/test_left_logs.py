"""What an interrupted attempt wrote is kept with it, and its files go; those of a living one stay."""

import os
import signal

from duly.engine.settings import Settings
from duly.model.instant import SECOND_US
from duly.testkit.workbench import Options, Workbench
from tests.node.jobs import REPORT, report
from tests.node.test_case_claims import take_away

TIDY = Options(settings=Settings(tidy_every_us=20_000))
IDLE = Options(is_working=False)


def script(begun, go):
    """Say how many attempts there were; the first goes on for ever, the second until the test says so."""
    count = 'echo x >> "$DULY_CWDS/../x"; n=$(wc -l < "$DULY_CWDS/../x"); echo "words of $n"; '
    return f"{count} echo $n > {begun}; test $n = 1 && sleep 600; read line < {go}; {REPORT}"


def executions(bench, run_id):
    return bench.ledger.read(lambda tx, run: tx.executions(run), run_id)


def left(home):
    return {path.name for path in (home / "logs").iterdir() if path.name.startswith("r_")}


def until(bench, holds):
    assert bench.engine.wait_until(lambda *_: holds(), None, (), 60 * SECOND_US)


def said(home, execution):
    log = home / "logs" / f"{execution.token}.log"
    return log.exists() and log.read_text()


def test_the_log_of_an_attempt_that_lost_its_claim_is_kept_with_it_and_its_files_go(
    home, root, bell
):
    begun, go = bell("begun"), bell("go")
    with Workbench(home, TIDY) as bench:
        bench.apply(report("safe", script(begun, go)), root)
        run_id = bench.start("report")
        assert begun.wait() == "1"
        (first,) = executions(bench, run_id)
        until(bench, lambda: said(home, first) == "words of 1\n")
        bench.ledger.write(take_away, run_id)
        assert begun.wait() == "2"
        first, second = executions(bench, run_id)
        assert bench.desk.bytes.read_bytes(first.log_sha256) == b"words of 1\n"
        assert first.log_bytes == 11
        # The janitor goes round and round: it takes the dead one's files, and never the living one's.
        living = {f"{second.token}.log", f"{second.token}.record"}
        until(bench, lambda: left(home) == living)
        go.ring()
        assert bench.wait_for(run_id, "completed").run.attempts == 2
        until(bench, lambda: left(home) == set())
        _, second = executions(bench, run_id)
        assert bench.desk.bytes.read_bytes(second.log_sha256) == b"words of 2\n"


def test_the_log_of_an_attempt_whose_node_was_killed_is_kept_with_it(home, root, bell, nodes):
    begun, go = bell("begun"), bell("go")
    with Workbench(home, IDLE) as bench:
        bench.apply(report("safe", script(begun, go)), root)
        run_id = bench.start("report")
    node = nodes.start(home)
    assert begun.wait() == "1"
    while [log.read_text() for log in (home / "logs").glob("r_*.log")] != ["words of 1\n"]:
        pass
    os.kill(node, signal.SIGKILL)
    assert nodes.ended() == -signal.SIGKILL
    assert left(home)
    go.ring()
    with Workbench(home, TIDY) as bench:
        assert bench.wait_for(run_id, "completed").run.attempts == 2
        until(bench, lambda: left(home) == set())
        first, _ = executions(bench, run_id)
        assert bench.desk.bytes.read_bytes(first.log_sha256) == b"words of 1\n"
        assert bench.ask("logs.read", run_id=run_id).text == "words of 2\n"


def test_other_files_beside_the_logs_stay(home, root):
    others = {"service.log", "service.log.1", "traceback-2026.log", "r_0.0.log.old"}
    (home / "logs").mkdir(parents=True)
    for name in others:
        (home / "logs" / name).write_text("")
    (home / "logs" / "r_00.00.log").write_text("of a run that nobody knows")
    with Workbench(home, TIDY) as bench:
        bench.apply(report("safe"), root)
        run = bench.run("report").run
        (one,) = executions(bench, run.id)
        until(bench, lambda: not any(name.startswith(one.token) for name in left(home)))
    assert {path.name for path in (home / "logs").iterdir()} == {*others, "r_00.00.log"}
