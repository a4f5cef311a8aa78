"""What a run reads is frozen once: every later attempt reads the same, or none at all."""

import shutil

import pytest

from duly.model.instant import HOUR_US
from duly.testkit.workbench import Workbench
from tests.node.jobs import commit, definition, files, git, outcome, starts

DAY = "2026-09-01"
# The first attempt fails before it has read anything.
SECOND_TIME = 'test "$DULY_ATTEMPT" = 1 && exit 3; mkdir -p reports; '
RETRIED = {"agent": {"restart": "safe"}, "retry": {"attempts": 2, "delay": "1h", "max_delay": "1h"}}


def first_attempt(bench, root, script, **fields):
    """Run one attempt, which fails, and return the run that waits for another."""
    bench.apply(definition(SECOND_TIME + script, **RETRIED, **fields), root)
    found = bench.run("report", window=DAY)
    assert (found.run.status, found.run.reason) == ("waiting", "retry_delay")
    return found.run.id


def second_attempt(bench, run_id):
    bench.move(HOUR_US)
    bench.settle()
    return bench.show(run_id)


@pytest.fixture
def repo(tmp_path):
    path = tmp_path / "repo"
    path.mkdir()
    git(path, "init", "--quiet")
    commit(path, "facts", "old\n")
    return path


def test_a_second_attempt_reads_the_files_that_the_first_one_froze(home, root):
    (root / "facts").write_text("old\n")
    with Workbench(home) as bench:
        run_id = first_attempt(bench, root, 'cat facts > "$DULY_ARTIFACT"')
        (root / "facts").write_text("new\n")
        assert second_attempt(bench, run_id).run.outcome == "completed"
    assert files(root) == {"facts": "new\n", f"reports/{DAY}.md": "old\n"}


def test_a_second_attempt_reads_the_commit_that_the_first_one_froze(home, root, repo):
    head = git(repo, "rev-parse", "HEAD").strip()
    script = 'git -C "$DULY_REPO" rev-parse HEAD > "$DULY_ARTIFACT"; '
    script += 'cat "$DULY_REPO/facts" >> "$DULY_ARTIFACT"; git -C "$DULY_REPO" remote'
    with Workbench(home) as bench:
        run_id = first_attempt(bench, root, script, inputs={"repo": str(repo)})
        commit(repo, "facts", "new\n")
        found = second_attempt(bench, run_id)
        contract = bench.ask("runs.contract", run_id=run_id)
    assert found.run.outcome == "completed"
    assert contract.input_snapshot.base_commit == head
    assert files(root) == {f"reports/{DAY}.md": f"{head}\nold\n"}


def test_work_in_the_repository_itself_happens_in_a_checkout_of_the_frozen_commit(home, repo):
    (repo / "uncommitted").write_text("not read\n")
    script = 'ls > "$DULY_ARTIFACT"; cat facts >> "$DULY_ARTIFACT"'
    with Workbench(home) as bench:
        run_id = first_attempt(bench, repo, script, inputs={"repo": "."})
        commit(repo, "facts", "new\n")
        assert second_attempt(bench, run_id).run.outcome == "completed"
    assert (repo / "reports" / f"{DAY}.md").read_text() == "facts\nreports\nold\n"
    assert git(repo, "status", "--short").split() == ["??", "reports/", "??", "uncommitted"]


def alter_base(home, run_id, repo):
    (home / "stage" / run_id / "base" / "facts").write_text("altered\n")


def remove_base(home, run_id, repo):
    shutil.rmtree(home / "stage" / run_id / "base")


def lose_bytes(home, run_id, repo):
    shutil.rmtree(home / "bytes" / "sha256")
    (home / "bytes" / "sha256").mkdir()


@pytest.mark.parametrize("harm", [alter_base, remove_base, lose_bytes])
def test_a_snapshot_that_was_altered_blocks_the_run_and_is_never_swapped(home, root, harm):
    (root / "facts").write_text("old\n")
    with Workbench(home) as bench:
        run_id = first_attempt(bench, root, 'cat facts > "$DULY_ARTIFACT"')
        harm(home, run_id, None)
        found = second_attempt(bench, run_id)
        assert outcome(found) == ("needs-review", "snapshot_unavailable")
        bench.ask("runs.resume", run_id=run_id, reason="try again")
        bench.settle()
        assert outcome(bench.show(run_id)) == ("needs-review", "snapshot_unavailable")
    assert (files(root), starts(root)) == ({"facts": "old\n"}, 1)


def test_a_frozen_commit_that_is_gone_blocks_the_run(home, root, repo):
    with Workbench(home) as bench:
        run_id = first_attempt(bench, root, "true", inputs={"repo": str(repo)})
        shutil.rmtree(repo / ".git")
        git(repo, "init", "--quiet")
        commit(repo, "facts", "other\n")
        assert outcome(second_attempt(bench, run_id)) == ("needs-review", "snapshot_unavailable")
    assert starts(root) == 1


def test_what_an_attempt_left_in_its_copy_is_not_seen_by_the_next(home, root):
    script = 'mkdir reports; touch reports/$DULY_ATTEMPT.md; ls reports > "$DULY_ARTIFACT"; '
    script += 'test "$DULY_ATTEMPT" = 2 || exit 3'
    with Workbench(home) as bench:
        bench.apply(definition(script, **RETRIED), root)
        run_id = bench.run("report", window=DAY).run.id
        assert second_attempt(bench, run_id).run.outcome == "completed"
    assert files(root) == {"reports/2.md": "", f"reports/{DAY}.md": f"2.md\n{DAY}.md\n"}


def test_dulys_own_directory_is_no_source(root):
    home = root / "home"
    home.mkdir(mode=0o700)
    (root / "facts").write_text("old\n")
    with Workbench(home) as bench:
        bench.apply(definition('mkdir reports; ls > "$DULY_ARTIFACT"'), root)
        assert bench.run("report", window=DAY).run.outcome == "completed"
    assert (root / "reports" / f"{DAY}.md").read_text() == "facts\nreports\n"


def test_a_precheck_declines_a_window_and_the_agent_is_not_started(home, root):
    precheck = ["sh", "-c", 'exit "$DULY_NOTHING_TO_DO"']
    with Workbench(home) as bench:
        bench.apply(definition(precheck=precheck), root)
        found = bench.run("report", window=DAY)
        assert (found.run.outcome, found.run.words) == ("no-change", "Nothing to do")
        assert bench.run("report", window=DAY).occurrences[-1].verdict == "reuse"
    assert (files(root), starts(root)) == ({}, 0)


def test_where_what_an_agent_left_cannot_be_compared_a_person_has_to_look(home, root):
    with Workbench(home) as bench:
        bench.apply(definition(f"rm -rf {home}/bytes/sha256/*", agent={"restart": "safe"}), root)
        found = bench.run("report", window=DAY)
        events = bench.ask("runs.events", run_id=found.run.id).events
    assert outcome(found) == ("needs-review", "snapshot_unavailable")
    (blocked,) = [one for one in events if one.kind == "run.block"]
    assert "no bytes" in blocked.body["message"]
    assert files(root) == {}
