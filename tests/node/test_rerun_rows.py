"""The rerun table, row by row: a run is met again, on a real ledger, over real files, after real deaths."""

import pytest

from duly.testkit.workbench import Options, Workbench
from tests.node.jobs import REPORT, definition, files, outcome, report, starts

LATEST = definition(
    'mkdir -p reports; echo "$DULY_WINDOW" > reports/latest.md',
    result_artifact="reports/latest.md",
)
DAYS = ("2026-09-01", "2026-09-02", "2026-09-03")
IDLE = Options(is_working=False)


def verdict(found):
    return found.occurrences[-1].verdict


def told(bench):
    return bench.ledger.read(lambda tx, key: tx.automation_named("default", key).told, "report")


def test_completed_and_intact_is_reused(home, root):
    with Workbench(home) as bench:
        bench.apply(report("proven"), root)
        first = bench.run("report")
        again = bench.run("report")
    assert (again.run.id, verdict(again), starts(root)) == (first.run.id, "reuse", 1)
    assert again.run.words == "Done, artifact made"


def test_completed_without_an_artifact_is_reused(home, root):
    bare = definition("true", write_scope=None, result_artifact=None, expect={"exit": [0]})
    with Workbench(home) as bench:
        bench.apply(bare, root)
        bench.run("report")
        assert verdict(bench.run("report")) == "reuse"
    assert starts(root) == 1


def test_case_a25_superseded_by_a_later_recorded_publication_is_reused(home, root):
    with Workbench(home) as bench:
        bench.apply(LATEST, root)
        for day in DAYS:
            assert bench.run("report", window=day).run.outcome == "completed"
        again = bench.run("report", window=DAYS[0])
        assert verdict(again) == "reuse"
        assert verdict(bench.run("report", window=DAYS[2])) == "reuse"
        assert told(bench) is None
    assert files(root) == {"reports/latest.md": f"{DAYS[2]}\n"}
    assert starts(root) == 3


@pytest.mark.parametrize("harm", ["removed", "altered", "replaced by a link"])
def test_completed_but_its_artifact_is_gone_or_altered_asks_a_person(home, root, harm):
    with Workbench(home) as bench:
        bench.apply(report("proven"), root)
        first = bench.run("report", window=DAYS[0])
        file = root / "reports" / f"{DAYS[0]}.md"
        if harm == "altered":
            file.write_text("by somebody else")
        else:
            file.unlink()
        if harm == "replaced by a link":
            file.symlink_to(root.parent / "starts")
        again = bench.run("report", window=DAYS[0])
        assert told(bench) == "needs_review"
    assert verdict(again) == "review_artifact"
    assert again.run == first.run, "the run itself does not change"
    assert starts(root) == 1


def test_cancelled_is_stopped(home, root):
    with Workbench(home, IDLE) as bench:
        bench.apply(report("proven"), root)
        run_id = bench.start("report")
        assert bench.ask("runs.cancel", run_id=run_id, reason="not today").is_done
    with Workbench(home) as bench:
        again = bench.run("report")
        assert outcome(again) == ("cancelled", "cancelled_before_write")
        assert (again.run.id, verdict(again), starts(root)) == (run_id, "stopped", 0)
        redone = bench.run("report", redo="wanted after all", effects="recorded")
    assert (redone.run.outcome, starts(root)) == ("completed", 1)


def test_queued_is_joined(home, root, tmp_path):
    missing = root.parent / "elsewhere"
    with Workbench(home) as bench:
        bench.apply(report("proven"), root)
        root.rename(missing)
        run_id = bench.start("report")
        bench.settle()
        again = bench.run("report")
    assert (again.run.id, verdict(again)) == (run_id, "joined")
    assert (again.run.status, again.run.reason) == ("waiting", "cwd_missing")


def test_a_live_lease_is_busy(home, root, bell):
    begun, go = bell("begun"), bell("go")
    with Workbench(home) as bench:
        bench.apply(report("proven", f"echo > {begun}; read x < {go}; {REPORT}"), root)
        run_id = bench.start("report")
        begun.wait()
        assert bench.start("report") == run_id
        assert bench.engine.wait_until(
            lambda tx, _: not tx.unanswered_joins(1), None, ("joined",), 20_000_000
        )
        assert verdict(bench.show(run_id)) == "busy"
        assert bench.ask("runs.contract", run_id=run_id).lease_owner is not None
        go.ring()
        bench.settle()
        assert bench.show(run_id).run.outcome == "completed"
    assert starts(root) == 1


@pytest.mark.parametrize(
    ("point", "is_written"), [("before:PublishFiles", False), ("done:PublishFiles", True)]
)
def test_effects_pending_are_reconciled_by_what_stands_there(home, root, nodes, point, is_written):
    with Workbench(home, IDLE) as bench:
        bench.apply(report("proven"), root)
        run_id = bench.start("report", window=DAYS[0])
    nodes.dies_at(home, point)
    assert (root / "reports" / f"{DAYS[0]}.md").exists() is is_written
    with Workbench(home) as bench:
        bench.settle()
        found = bench.show(run_id)
        events = bench.ask("runs.events", run_id=run_id).events
    read_back = next(one.body for one in events if one.kind == "publications.settled")
    event = "apply" if is_written else "refuse"
    assert read_back[f"reports/{DAYS[0]}.md"]["event"] == event
    assert (found.run.outcome, starts(root)) == ("completed", 1)


def test_killed_between_two_files_the_first_is_read_back_and_the_second_written(home, root, nodes):
    with Workbench(home, IDLE) as bench:
        bench.apply(report("proven", "mkdir reports; echo a > reports/a.md; " + REPORT), root)
        run_id = bench.start("report", window=DAYS[0])
    nodes.dies_at(home, "before:PublishFiles")
    # As it stands when a node dies behind its first file.
    (root / "reports").mkdir()
    (root / "reports" / f"{DAYS[0]}.md").write_text(f"{DAYS[0]}\n")
    with Workbench(home) as bench:
        bench.settle()
        found = bench.show(run_id)
    assert (found.run.outcome, starts(root)) == ("completed", 1)
    assert {one.state for one in found.effects} == {"succeeded"}
    assert files(root) == {"reports/a.md": "a\n", f"reports/{DAYS[0]}.md": f"{DAYS[0]}\n"}


def test_an_effect_that_somebody_overwrote_before_it_was_read_back_asks_a_person(home, root, nodes):
    with Workbench(home, IDLE) as bench:
        bench.apply(report("proven"), root)
        run_id = bench.start("report", window=DAYS[0])
    nodes.dies_at(home, "done:PublishFiles")
    file = root / "reports" / f"{DAYS[0]}.md"
    file.write_text("by somebody else")
    with Workbench(home) as bench:
        bench.settle()
        found = bench.show(run_id)
        assert outcome(found) == ("needs-review", "effect_altered")
        assert verdict(bench.run("report", window=DAYS[0])) == "stopped"
    assert file.read_text() == "by somebody else"


def test_failed_before_a_write_is_restarted_when_asked_again(home, root):
    (root / "source.txt").write_text("what the first attempt read is kept for the second")
    with Workbench(home) as bench:
        bench.apply(report("safe", f"test -e {root.parent}/ready || exit 3; {REPORT}"), root)
        first = bench.run("report")
        assert outcome(first) == ("failed-before-write", "exit_unexpected")
        (root.parent / "ready").touch()
        again = bench.run("report")
    assert (again.run.id, verdict(again)) == (first.run.id, "restart")
    assert (again.run.outcome, starts(root)) == ("completed", 2)


def test_failed_after_a_write_asks_a_person(home, root):
    script = "echo half > reports.md; exit 3"
    in_place = definition(
        script, isolation="in_place", write_scope=["reports.md"], result_artifact="reports.md"
    )
    with Workbench(home) as bench:
        bench.apply(in_place, root)
        first = bench.run("report")
        assert outcome(first) == ("failed-after-write", "exit_unexpected")
        again = bench.run("report")
    assert (verdict(again), again.run.outcome, starts(root)) == ("review", "failed-after-write", 1)


def test_needs_review_is_stopped_until_a_person_resolves_it(home, root):
    with Workbench(home) as bench:
        bench.apply(report("proven", "exit 3"), root)
        first = bench.run("report")
        assert outcome(first) == ("needs-review", "exit_unexpected")
        assert verdict(bench.run("report")) == "stopped"
        bench.ask("runs.resolve", run_id=first.run.id, outcome="completed", evidence="done by hand")
        assert verdict(bench.run("report")) == "reuse"
    assert starts(root) == 1


def test_another_input_version_amends_with_a_difference_and_its_own_snapshot(home, root):
    (root / "facts").write_text("old\n")
    script = 'mkdir -p reports; cp facts "$DULY_ARTIFACT"'
    with Workbench(home) as bench:
        bench.apply(report("proven", script), root)
        first = bench.run("report", window=DAYS[0])
        (root / "facts").write_text("new\n")
        amended = bench.run("report", window=DAYS[0], input_version="2")
        before = bench.ask("runs.contract", run_id=first.run.id)
        after = bench.ask("runs.contract", run_id=amended.run.id)
        difference = bench.desk.bytes.read_bytes(amended.artifacts[0].difference_sha256).decode()
        assert verdict(bench.run("report", window=DAYS[0], input_version="0")) == "reuse"
    assert after.amends == first.run.id != amended.run.id
    assert after.result_artifact == before.result_artifact
    assert after.input_snapshot.base_tree != before.input_snapshot.base_tree
    assert "-old" in difference and "+new" in difference
    assert files(root)[f"reports/{DAYS[0]}.md"] == "new\n"


def test_another_input_version_waits_behind_a_run_that_needs_review(home, root):
    with Workbench(home) as bench:
        bench.apply(report("proven", 'test "$DULY_INPUT_VERSION" = 2 || exit 3; ' + REPORT), root)
        first = bench.run("report", window=DAYS[0])
        assert first.run.outcome == "needs-review"
        amended = bench.run("report", window=DAYS[0], input_version="2")
        assert (amended.run.status, amended.run.reason) == ("waiting", "waits_for_review")
        bench.ask("runs.resolve", run_id=first.run.id, outcome="failed", evidence="seen")
        bench.settle()
        assert bench.show(amended.run.id).run.outcome == "completed"
    assert starts(root) == 2


def test_an_earlier_window_done_anew_leaves_the_later_ones_result_and_keeps_its_own(home, root):
    worded = definition(
        f'mkdir -p reports; echo "$DULY_WINDOW $(cat {root.parent}/word)" > reports/latest.md',
        result_artifact="reports/latest.md",
    )
    word = root.parent / "word"
    word.write_text("first")
    with Workbench(home) as bench:
        bench.apply(worded, root)
        for day in DAYS:
            bench.run("report", window=day)
        word.write_text("anew")
        redone = bench.run("report", window=DAYS[0], redo="wrong figures", effects="update")
        assert outcome(redone) == ("completed", "artifact_present")
        assert files(root) == {"reports/latest.md": f"{DAYS[2]} first\n"}
        (artifact,) = redone.artifacts
        assert bench.desk.bytes.read_bytes(artifact.sha256) == f"{DAYS[0]} anew\n".encode()
        shown = bench.desk.bytes.read_bytes(artifact.difference_sha256).decode()
        assert f"+{DAYS[0]} anew" in shown
        events = bench.ledger.read(
            lambda tx, key: tx.audit_events(key, 0, 1000), f"run:{redone.run.id}"
        )
        assert f'"superseded":{{"reports/latest.md":"{DAYS[2]}"}}' in events[-1].body
        # It stands by the record, and the newest window is still done anew in its place.
        assert verdict(bench.run("report", window=DAYS[0])) == "reuse"
        newest = bench.run("report", window=DAYS[2], redo="wrong too", effects="update")
        assert outcome(newest) == ("completed", "artifact_present")
        assert told(bench) is None
    assert files(root) == {"reports/latest.md": f"{DAYS[2]} anew\n"}


def test_a_file_that_windows_share_and_that_is_no_result_is_worked_on_as_it_stands(home, root):
    index = definition(
        'mkdir -p reports; echo "$DULY_WINDOW" >> reports/index.md; date +%N > "$DULY_ARTIFACT"'
    )
    with Workbench(home) as bench:
        bench.apply(index, root)
        for day in DAYS[:2]:
            assert bench.run("report", window=day).run.outcome == "completed"
        redone = bench.run("report", window=DAYS[0], redo="wrong figures", effects="update")
        assert redone.run.outcome == "completed"
    written = "".join(f"{day}\n" for day in (DAYS[0], DAYS[1], DAYS[0]))
    assert (root / "reports" / "index.md").read_text() == written
