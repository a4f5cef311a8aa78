"""Acceptance cases about how runs end, with real programs: limits, cancelling, proofs, and what goes on behind them."""

import os
import signal

import pytest

from duly.testkit.workbench import Options, Workbench
from tests.node.jobs import REPORT, definition, files, lives, outcome, report, starts

IN_PLACE = {"isolation": "in_place", "write_scope": ["*.md"], "result_artifact": "report.md"}
UNPROVEN = {"write_scope": None, "result_artifact": None}


def limited(script, restart="safe", **limits):
    agent = {"restart": restart, "timeouts": limits}
    return definition(script, agent=agent)


@pytest.mark.parametrize(
    ("limits", "restart", "ends"),
    [
        ({"wall": "1s"}, "safe", ("failed-before-write", "wall_timeout")),
        ({"silence": "1s"}, "proven", ("needs-review", "silence_timeout")),
    ],
)
def test_case_e01_a_limit_while_it_waits_for_its_model_settles_the_run(
    home, root, limits, restart, ends
):
    script = "setsid sleep 600 & echo $! > $DULY_CWDS/../pids; echo said something; sleep 600"
    with Workbench(home) as bench:
        bench.apply(limited(script, restart, **limits), root)
        found = bench.run("report", window="2026-09-01")
        assert outcome(found) == ends
        assert not lives(int((root.parent / "pids").read_text()))
        next_one = bench.start("report", window="2026-09-02")
        assert bench.wait_for(next_one, "running").run.status == "running", "the next slot is free"


def test_case_e02_a_cancelled_agent_is_dead_and_what_it_may_have_done_is_said(home, root, bell):
    begun = bell("begun")
    script = f"setsid sleep 600 & echo $! > {begun}; sleep 600"
    with Workbench(home) as bench:
        bench.apply(report("proven", script), root)
        run_id = bench.start("report")
        grandchild = int(begun.wait())
        assert not bench.ask("runs.cancel", run_id=run_id, reason="stuck").is_done
        found = bench.wait_for(run_id, "cancelled")
        kinds = [one.kind for one in bench.ask("runs.events", run_id=run_id).events]
    assert found.run.reason == "cancelled_may_have_written"
    assert found.run.words == "Cancelled, may have written"
    assert "run.cancel_asked" in kinds
    assert not lives(grandchild)


@pytest.mark.parametrize(
    ("restart", "script", "reason"),
    [
        ("safe", "true", "cancelled_before_write"),
        ("proven", "true", "cancelled_may_have_written"),
        ("safe", "echo half > report.md", "cancelled_after_write"),
    ],
)
def test_case_e02_the_outcome_of_a_cancelled_run_in_place_follows_from_its_directory(
    home, root, bell, restart, script, reason
):
    begun = bell("begun")
    script = f"{script}; echo > {begun}; sleep 600"
    with Workbench(home) as bench:
        bench.apply(definition(script, agent={"restart": restart}, **IN_PLACE), root)
        run_id = bench.start("report")
        begun.wait()
        bench.ask("runs.cancel", run_id=run_id, reason="stuck")
        assert bench.wait_for(run_id, "cancelled").run.reason == reason


def test_a_run_cancelled_during_its_check_publishes_nothing(home, root, bell):
    begun = bell("begun")
    verify = {"verify": ["sh", "-c", f"echo > {begun}; sleep 600"]}
    with Workbench(home) as bench:
        bench.apply(report("safe", expect=verify), root)
        run_id = bench.start("report")
        begun.wait()
        bench.ask("runs.cancel", run_id=run_id, reason="stuck")
        assert bench.wait_for(run_id, "cancelled").run.reason == "cancelled_before_write"
    assert files(root) == {}


def test_a_cancelled_run_whose_node_dies_first_is_cancelled_by_the_next_one(
    home, root, bell, nodes
):
    begun = bell("begun")
    with Workbench(home, Options(is_working=False)) as bench:
        bench.apply(report("proven", f"echo $$ > {begun}; sleep 600"), root)
        run_id = bench.start("report")
    node = nodes.start(home)
    agent = int(begun.wait())
    os.kill(node, signal.SIGKILL)
    assert nodes.ended() == -signal.SIGKILL
    with Workbench(home, Options(is_working=False)) as bench:
        assert not bench.ask("runs.cancel", run_id=run_id, reason="stuck").is_done
    with Workbench(home) as bench:
        bench.settle()
        assert outcome(bench.show(run_id)) == ("cancelled", "cancelled_may_have_written")
    assert not lives(agent)
    assert starts(root) == 1


def test_case_e04_exit_0_without_a_proof_is_not_completed(home, root):
    with Workbench(home) as bench:
        bench.apply(definition("true", **UNPROVEN), root)
        assert outcome(bench.run("report")) == ("needs-review", "no_proof")


def test_case_e04_a_declared_exit_completes_but_is_shown_as_not_verified(home, root):
    with Workbench(home) as bench:
        bench.apply(definition("true", **UNPROVEN, expect={"exit": [0]}), root)
        found = bench.run("report")
    assert (found.run.outcome, found.run.grade) == ("completed", "exit")
    assert found.run.words == "Exited 0, not verified"


def test_case_e05_whatever_goes_on_behind_the_result_is_killed(home, root):
    script = f"{REPORT}; (setsid sh -c 'echo $$ > ../pid; exec sleep 600' &) ; "
    script = script.replace("../pid", f"{root.parent}/pid")
    script += f"while ! test -s {root.parent}/pid; do :; done"
    with Workbench(home) as bench:
        bench.apply(report("proven", script), root)
        assert bench.run("report").run.outcome == "completed"
    assert not lives(int((root.parent / "pid").read_text()))


def test_case_e06_a_run_that_had_written_in_place_asks_a_person_after_a_restart(
    home, root, bell, nodes
):
    begun = bell("begun")
    script = f"echo half > report.md; echo > {begun}; sleep 600"
    with Workbench(home, Options(is_working=False)) as bench:
        bench.apply(definition(script, **IN_PLACE), root)
        run_id = bench.start("report")
    node = nodes.start(home)
    begun.wait()
    os.kill(node, signal.SIGKILL)
    assert nodes.ended() == -signal.SIGKILL
    with Workbench(home) as bench:
        bench.settle()
        assert outcome(bench.show(run_id)) == ("needs-review", "may_have_written")
    assert starts(root) == 1


@pytest.mark.parametrize(
    ("script", "reason"),
    [("true", "artifact_absent"), ("mkdir reports; : > $DULY_ARTIFACT", "artifact_empty")],
)
def test_case_e07_success_without_the_artifact_needs_review(home, root, script, reason):
    with Workbench(home) as bench:
        bench.apply(report("safe", script), root)
        assert outcome(bench.run("report")) == ("needs-review", reason)
    assert files(root) == {}


def test_an_old_artifact_is_not_the_result_of_a_run_that_did_not_write_it(home, root):
    (root / "report.md").write_text("yesterday's")
    staged = {"write_scope": ["*.md"], "result_artifact": "report.md"}
    with Workbench(home) as bench:
        bench.apply(definition("true", **staged), root)
        assert outcome(bench.run("report"))[1] == "artifact_absent"
        bench.apply(definition("cp -p report.md new; mv new report.md", **staged), root)
        assert bench.run("report", input_version="2").run.status == "waiting"


def test_an_artifact_written_again_with_the_same_bytes_is_a_result(home, root):
    (root / "report.md").write_text("the same")
    staged = {"write_scope": ["*.md"], "result_artifact": "report.md"}
    with Workbench(home) as bench:
        # Old times, as a copying tool sets them, make it no less written.
        script = "cat report.md > new && touch -r report.md new && mv new report.md"
        bench.apply(definition(script, **staged), root)
        assert bench.run("report").run.outcome == "completed"


def test_a_check_that_cannot_be_prepared_does_not_hide_that_the_agent_ran(home, root):
    secret = root.parent / "secret"
    secret.write_text("shh-very-secret")
    secret.chmod(0o600)
    agent = {"restart": "safe", "secrets": {"KEY": f"file:{secret}"}}
    script = f"echo half > report.md; rm {secret}"
    with Workbench(home) as bench:
        bench.apply(
            definition(script, **IN_PLACE | {"expect": {"verify": ["true"]}}, agent=agent), root
        )
        assert outcome(bench.run("report")) == ("needs-review", "verify_could_not_run")


def test_case_e09_a_run_that_needs_review_does_not_keep_the_next_slot_from_starting(home, root):
    with Workbench(home) as bench:
        bench.apply(report("proven", "exit 3"), root)
        bench.move_to_slot("report")
        bench.move_to_slot("report")
        found = bench.ask("runs.list", job_key="report").runs
    assert [one.status for one in found] == ["needs-review", "needs-review"]
    assert starts(root) == 2


def test_a_run_cancelled_during_its_precheck_starts_no_agent(home, root, bell):
    begun = bell("begun")
    with Workbench(home) as bench:
        bench.apply(report("proven", precheck=["sh", "-c", f"echo > {begun}; sleep 600"]), root)
        run_id = bench.start("report")
        begun.wait()
        bench.ask("runs.cancel", run_id=run_id, reason="stuck")
        assert bench.wait_for(run_id, "cancelled").run.reason == "cancelled_before_write"
    assert starts(root) == 0
