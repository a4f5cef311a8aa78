"""Acceptance cases about identity, end to end: one window is one run, one path has one owner, one revision is kept."""

import pytest

from duly.model.errors import DulyError
from duly.testkit.workbench import Workbench
from tests.node.jobs import REPORT, definition, files, outcome, report, starts

WORDED = 'mkdir -p reports; echo "said $(cat ../word)" > "$DULY_ARTIFACT"'


def worded(root, **fields):
    return definition(WORDED.replace("../word", f"{root.parent}/word"), **fields)


def say(root, word):
    (root.parent / "word").write_text(word)


def test_case_a18_a_manual_run_of_the_window_that_the_timer_ran_is_reuse(home, root):
    with Workbench(home) as bench:
        bench.apply(report("proven"), root)
        bench.move_to_slot("report")
        (timed,) = bench.ask("runs.list", job_key="report").runs
        before = files(root)
        found = bench.run("report")
    assert (found.run.id, found.occurrences[-1].verdict) == (timed.id, "reuse")
    assert (timed.cause, found.occurrences[-1].cause) == ("timer", "manual")
    assert (files(root), starts(root)) == (before, 1)
    assert list(before) == [f"reports/{timed.window_key}.md"]


def redone(bench, root, word, effects):
    say(root, word)
    return bench.run("report", window="2026-09-01", redo="another look", effects=effects)


def difference(bench, found):
    return bench.desk.bytes.read_bytes(found.artifacts[0].difference_sha256).decode()


def test_case_a20_a_redo_worded_differently_keeps_what_is_recorded_and_shows_the_difference(
    home, root
):
    say(root, "one")
    with Workbench(home) as bench:
        bench.apply(worded(root), root)
        first = bench.run("report", window="2026-09-01")
        found = redone(bench, root, "two", "recorded")
        assert (found.run.outcome, found.run.id != first.run.id) == ("completed", True)
        assert found.artifacts[0].sha256 == first.artifacts[0].sha256
        assert "-said one" in difference(bench, found) and "+said two" in difference(bench, found)
        again = bench.run("report", window="2026-09-01")
        assert (again.run.id, again.occurrences[-1].verdict) == (found.run.id, "reuse")
    assert files(root) == {"reports/2026-09-01.md": "said one\n"}


def test_a_redo_that_updates_replaces_the_file_under_the_same_effect(home, root):
    say(root, "one")
    with Workbench(home) as bench:
        bench.apply(worded(root), root)
        first = bench.run("report", window="2026-09-01")
        found = redone(bench, root, "two", "update")
        assert found.run.outcome == "completed"
        assert "-said one" in difference(bench, found) and "+said two" in difference(bench, found)
    assert [(one.id, one.update_number) for one in found.effects] == [(first.effects[0].id, 2)]
    assert files(root) == {"reports/2026-09-01.md": "said two\n"}


def test_a_redo_for_review_publishes_nothing_and_asks(home, root):
    say(root, "one")
    with Workbench(home) as bench:
        bench.apply(worded(root), root)
        bench.run("report", window="2026-09-01")
        found = redone(bench, root, "two", "review")
        assert outcome(found) == ("needs-review", "publication_refused")
    assert files(root) == {"reports/2026-09-01.md": "said one\n"}


def test_where_overwriting_is_denied_a_changed_result_is_refused_and_the_same_one_is_not(
    home, root
):
    say(root, "one")
    policy = {"side_effect_policy": {"overwrite_same_artifact": "denied"}}
    with Workbench(home) as bench:
        bench.apply(worded(root, **policy), root)
        bench.run("report", window="2026-09-01")
        same = bench.run("report", window="2026-09-01", input_version="2")
        assert same.run.outcome == "completed"
        say(root, "two")
        other = bench.run("report", window="2026-09-01", input_version="3")
        assert outcome(other) == ("needs-review", "publication_refused")
    assert files(root) == {"reports/2026-09-01.md": "said one\n"}


def test_a_redo_in_place_with_another_result_is_completed(home, root):
    script = f"cat {root.parent}/word > report.md"
    fields = {"isolation": "in_place", "write_scope": ["*.md"], "result_artifact": "report.md"}
    say(root, "one")
    with Workbench(home) as bench:
        bench.apply(definition(script, **fields), root)
        assert bench.run("report").run.outcome == "completed"
        say(root, "two")
        assert outcome(bench.run("report", input_version="2"))[0] == "completed"
    assert files(root) == {"report.md": "two"}


def test_case_a24_a_path_that_another_automation_publishes_is_refused_when_applied(home, root):
    with Workbench(home) as bench:
        bench.apply(report("proven"), root)
        with pytest.raises(DulyError) as refused:
            bench.apply(report("proven", job_key="second"), root)
        bench.apply(report("proven", job_key="third", result_artifact="reports/3.md"), root)
    assert "report" in str(refused.value)


@pytest.mark.parametrize("change", ["automation.delete", "automation.pause", "edit"])
def test_case_h05_a_run_lives_on_under_its_revision_whatever_becomes_of_its_definition(
    home, root, bell, change
):
    begun, go = bell("begun"), bell("go")
    with Workbench(home) as bench:
        bench.apply(report("proven", f"echo > {begun}; read x < {go}; {REPORT}"), root)
        run_id = bench.start("report", window="2026-09-01")
        begun.wait()
        if change == "edit":
            bench.apply(report("proven", "exit 9"), root)
        else:
            bench.ask(change, job_key="report")
        go.ring()
        bench.settle()
        found = bench.show(run_id)
        contract = bench.ask("runs.contract", run_id=run_id)
        if change == "automation.delete":
            bench.ask("automation.restore", job_key="report")
        again = bench.run("report", window="2026-09-01")
    assert (found.run.outcome, contract.revision) == ("completed", 1)
    assert (again.run.id, again.occurrences[-1].verdict) == (run_id, "reuse")
    assert files(root) == {"reports/2026-09-01.md": "2026-09-01\n"}


def test_case_h09_two_automations_in_one_directory_have_copies_of_their_own(home, root, bell):
    begun, go = bell("begun"), bell("go")
    # Each waits for the other to have written, and counts what it sees.
    script = f'mkdir -p reports; echo x > "$DULY_ARTIFACT"; echo > {begun}; read x < {go}; '
    script += 'ls reports | tr "\\n" " " > "$DULY_ARTIFACT"'
    with Workbench(home) as bench:
        for name in ("one", "two"):
            path = f"reports/{name}.md"
            bench.apply(
                definition(script, job_key=name, result_artifact=path, write_scope=[path]), root
            )
        ids = [bench.start(name) for name in ("one", "two")]
        begun.wait()
        begun.wait()
        go.ring()
        go.ring()
        bench.settle()
        assert [bench.show(one).run.outcome for one in ids] == ["completed"] * 2
    assert files(root) == {"reports/one.md": "one.md ", "reports/two.md": "two.md "}
