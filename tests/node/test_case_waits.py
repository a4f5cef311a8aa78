"""Acceptance cases about what is missing when a run is due: it waits, says why, and never takes something else."""

import pytest

from duly.testkit.workbench import Workbench
from tests.node.jobs import REPORT, definition, files, git, outcome, starts


def waiting(script=REPORT, command=None, **fields):
    agent = {"restart": "safe", "timeouts": {"start": "1s"}}
    if command is not None:
        agent["command"] = command
    return definition(script, agent=agent, **fields)


def patient(script=REPORT):
    return definition(script, agent={"timeouts": {"start": "1h"}})


def stages(home):
    path = home / "stage"
    return sorted(path.iterdir()) if path.exists() else []


@pytest.mark.parametrize("is_staged", [True, False])
def test_case_h11_a_missing_directory_is_waited_for_and_no_other_is_used(home, root, is_staged):
    elsewhere = root.parent / "elsewhere"
    fields = {} if is_staged else {"isolation": "in_place"}
    with Workbench(home) as bench:
        bench.apply(waiting(**fields), root)
        root.rename(elsewhere)
        run_id = bench.start("report", window="2026-09-01")
        bench.settle()
        waits = bench.show(run_id).run
        assert (waits.status, waits.reason) == ("waiting", "cwd_missing")
        assert "directory" in waits.words
        assert sorted(path.name for path in root.parent.iterdir()) == ["elsewhere", "home"]
        elsewhere.rename(root)
        bench.move(300_000)
        assert bench.wait_for(run_id, "completed").run.attempts > 1
    assert files(root) == {"reports/2026-09-01.md": "2026-09-01\n"}


def test_case_h11_a_link_in_the_directorys_place_is_another_directory(home, root):
    elsewhere = root.parent / "elsewhere"
    with Workbench(home) as bench:
        bench.apply(waiting(), root)
        root.rename(elsewhere)
        root.symlink_to(elsewhere)
        run_id = bench.start("report")
        bench.settle()
        assert bench.show(run_id).run.reason == "cwd_missing"
    assert files(elsewhere) == {}


def test_case_e03_a_directory_that_never_comes_back_fails_the_run_before_any_write(home, root):
    with Workbench(home) as bench:
        bench.apply(waiting(), root)
        root.rename(root.parent / "elsewhere")
        run_id = bench.start("report")
        bench.settle()
        bench.move(1_500_000)
        found = bench.wait_for(run_id, "failed-before-write")
    assert found.run.reason == "start_deadline"
    assert found.run.words.startswith("Failed, nothing changed")
    assert (found.executions, starts(root)) == ([], 0)


def test_case_h10_a_program_gone_later_is_waited_for_and_no_working_copy_is_made(home, root):
    program = root.parent / "tool"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    with Workbench(home) as bench:
        bench.apply(waiting(command=[str(program)]), root)
        program.unlink()
        run_id = bench.start("report")
        bench.settle()
        waits = bench.show(run_id)
        assert (waits.run.status, waits.run.reason) == ("waiting", "program_missing")
        assert stages(home) == []
        bench.move(1_500_000)
        found = bench.wait_for(run_id, "failed-before-write")
    assert (found.run.reason, found.executions) == ("start_deadline", [])
    assert stages(home) == []


def test_a_program_that_cannot_be_executed_fails_before_any_write_at_once(home, root):
    program = root.parent / "tool"
    program.write_text("no program\n")
    program.chmod(0o755)
    with Workbench(home) as bench:
        bench.apply(waiting(command=[str(program)]), root)
        found = bench.run("report")
    assert outcome(found) == ("failed-before-write", "program_not_executable")
    assert [one.state for one in found.executions] == ["not_started_proven"]


def test_a_run_that_waits_is_cancelled_at_once(home, root):
    with Workbench(home) as bench:
        bench.apply(patient(), root)
        root.rename(root.parent / "elsewhere")
        run_id = bench.start("report")
        bench.settle()
        assert bench.ask("runs.cancel", run_id=run_id, reason="").is_done
        assert outcome(bench.show(run_id)) == ("cancelled", "cancelled_before_write")


def test_a_repository_without_commits_is_one_clear_failure(home, root, tmp_path):
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "--quiet")
    with Workbench(home) as bench:
        bench.apply(definition(inputs={"repo": str(repo)}), root)
        found = bench.run("report")
        events = bench.ask("runs.events", run_id=found.run.id).events
    assert outcome(found) == ("failed-before-write", "staging_failed")
    (failed,) = [one for one in events if one.kind == "run.fail"]
    assert failed.body["message"] == f"{repo} has no commits"
    assert (found.run.attempts, starts(root)) == (1, 0)
