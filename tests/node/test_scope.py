"""Nothing but what a run may change leaves its working copy, however it is dressed up."""

import os

import pytest

from duly.model.errors import ValidationError
from duly.testkit.workbench import Options, Workbench
from tests.node.jobs import REPORT, definition, files, outcome

DAY = "2026-09-01"


def run(home, root, script, **fields):
    with Workbench(home) as bench:
        bench.apply(definition(script, **fields), root)
        return bench.run("report", window=DAY)


def what_is_outside(bench, found):
    """Return the kept list of paths outside the scope."""
    events = bench.ask("runs.events", run_id=found.run.id).events
    (block,) = [one for one in events if one.kind == "run.block"]
    return bench.desk.bytes.read_bytes(block.body["difference"]).decode().splitlines()


@pytest.mark.parametrize(
    ("dressed_up", "named"),
    [
        ("echo x > other.txt", "other.txt"),
        ("echo x > reports/other.txt", "reports/other.txt"),
        ("rm facts", "facts"),
        ("mv facts reports/facts.md", "facts"),
        ("echo changed > facts", "facts"),
        ("ln -s /etc/passwd reports/link.md", "reports/link.md"),
        ("ln -s nowhere reports/link.md", "reports/link.md"),
        ("rm facts; ln -s /etc/passwd facts", "facts"),
        ("ln facts reports/hard.md", "reports/hard.md"),
        ("mkfifo reports/fifo.md", "reports/fifo.md"),
        ('ln -s .. reports/up; echo x > "reports/up/beside.txt"', "beside.txt"),
        ("printf x > \"$(printf 'reports/odd\\377.md')\"", "reports/odd\\\\udcff.md"),
        ("printf x > \"$(printf 'two\\nlines')\"", "two\\nlines"),
    ],
)
def test_a_change_outside_the_scope_needs_review_and_nothing_is_published(
    home, root, dressed_up, named
):
    (root / "facts").write_text("facts\n")
    before = files(root)
    with Workbench(home) as bench:
        bench.apply(definition(f"{REPORT}; {dressed_up}"), root)
        found = bench.run("report", window=DAY)
        assert outcome(found) == ("needs-review", "out_of_scope")
        assert named in what_is_outside(bench, found)
    assert files(root) == before
    assert sorted(os.listdir(root)) == ["facts"]


@pytest.mark.parametrize("place", [".git/hooks/post-commit", "sub/.git/config", ".GIT/config"])
def test_a_repositorys_inside_is_never_published_whatever_the_scope_says(home, root, place):
    script = f"mkdir -p $(dirname {place}); echo x > {place}; {REPORT}"
    found = run(home, root, script, write_scope=["**"])
    assert outcome(found) == ("needs-review", "out_of_scope")
    assert os.listdir(root) == []


def test_dulys_own_directory_is_never_published_to_whatever_the_scope_says(root):
    home = root / "home"
    home.mkdir(mode=0o700)
    script = f'mkdir home; echo "[notify]" > home/config.toml; {REPORT}'
    found = run(home, root, script, write_scope=["**"])
    assert outcome(found) == ("needs-review", "out_of_scope")
    assert not (home / "config.toml").exists()


def test_names_with_spaces_newlines_and_quotes_in_scope_are_published_as_they_are(home, root):
    name = 'it\'s a "file"\n of {window} €.md'
    script = f'{REPORT}; printf x > "reports/$NAME"'
    found = run(home, root, script, agent={"env": {"NAME": name.replace("\n", "\t")}})
    assert found.run.outcome == "completed"
    assert set(os.listdir(root / "reports")) == {f"{DAY}.md", name.replace("\n", "\t")}


def test_a_link_that_was_there_already_is_no_artifact(home, root):
    outside = root.parent / "outside"
    outside.write_text("outside\n")
    (root / "report.md").symlink_to(outside)
    fields = {"result_artifact": "report.md", "write_scope": ["*.md"]}
    found = run(home, root, "rm report.md; echo x > report.md", **fields)
    assert outcome(found) == ("needs-review", "out_of_scope")
    assert outside.read_text() == "outside\n"
    assert (root / "report.md").is_symlink()


def published_while(home, root, bell, change):
    """Run a program, `change` something while it works, and return how the run ended."""
    begun, go = bell("begun"), bell("go")
    with Workbench(home) as bench:
        bench.apply(definition(f"echo > {begun}; read x < {go}; {REPORT}"), root)
        run_id = bench.start("report", window=DAY)
        begun.wait()
        change()
        go.ring()
        return bench.wait_for(run_id, "needs-review", "completed", "failed-before-write")


def test_a_directory_that_became_a_link_meanwhile_is_not_followed(home, root, bell):
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (root / "reports").mkdir()

    def change():
        (root / "reports").rmdir()
        (root / "reports").symlink_to(elsewhere)

    found = published_while(home, root, bell, change)
    assert outcome(found) == ("needs-review", "publication_refused")
    assert list(elsewhere.iterdir()) == []


def test_a_root_that_became_a_link_meanwhile_is_not_followed(home, root, bell):
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()

    def change():
        root.rename(root.parent / "moved")
        root.symlink_to(elsewhere)

    found = published_while(home, root, bell, change)
    assert outcome(found) == ("needs-review", "publication_refused")
    assert list(elsewhere.iterdir()) == []


def test_a_file_that_somebody_else_wrote_meanwhile_is_left_alone(home, root, bell):
    target = root / "reports" / f"{DAY}.md"

    def change():
        target.parent.mkdir()
        target.write_text("by somebody else")

    found = published_while(home, root, bell, change)
    assert outcome(found) == ("needs-review", "publication_refused")
    assert target.read_text() == "by somebody else"
    assert [one.state for one in found.effects] == ["failed"]


def test_a_file_that_somebody_else_linked_meanwhile_is_left_alone(home, root, bell):
    other = root.parent / "other"
    other.write_text("elsewhere")
    target = root / "reports" / f"{DAY}.md"

    def change():
        target.parent.mkdir()
        os.link(other, target)

    found = published_while(home, root, bell, change)
    assert outcome(found) == ("needs-review", "publication_refused")
    assert other.read_text() == "elsewhere"


def test_where_one_of_two_files_cannot_be_written_neither_is(home, root):
    (root / "z.md").write_text("old")
    script = f'echo new > a.md; echo new > z.md; echo foreign > "{root}/z.md"'
    fields = {"result_artifact": "a.md", "write_scope": ["*.md"]}
    found = run(home, root, script, **fields)
    assert outcome(found) == ("needs-review", "publication_refused")
    assert files(root) == {"z.md": "foreign\n"}
    assert {one.state for one in found.effects} == {"failed"}


@pytest.mark.parametrize(
    "fields",
    [
        {"write_scope": ["../*.md"]},
        {"write_scope": ["/etc/*"]},
        {"write_scope": ["a/../../b"]},
        {"result_artifact": "../up.md"},
        {"result_artifact": "/etc/motd"},
        {"inputs": {"sources": ["../**"]}},
    ],
)
def test_a_scope_outside_the_root_is_refused_when_applied(home, root, fields):
    with Workbench(home, Options(is_working=False)) as bench, pytest.raises(ValidationError):
        bench.apply(definition(**fields), root)


def test_names_given_by_whoever_asks_cannot_lead_out_of_the_scope(home, root):
    fields = {"result_artifact": "reports/{input_version}.md"}
    with Workbench(home) as bench:
        bench.apply(definition(**fields), root)
        found = bench.run("report", window=DAY, input_version="../../../evil")
    assert found.run.outcome == "completed"
    assert list(files(root)) == ["reports/evil.md"]


def test_in_place_a_change_outside_the_scope_needs_review(home, root):
    (root / "facts").write_text("facts\n")
    fields = {"isolation": "in_place", "write_scope": ["*.md"], "result_artifact": "a.md"}
    found = run(home, root, "echo x > a.md; rm facts", **fields)
    assert outcome(found) == ("needs-review", "out_of_scope")


def test_a_flood_of_output_is_bounded(home, root):
    script = f"head -c 20000000 /dev/zero | tr '\\0' x; {REPORT}"
    found = run(home, root, script)
    assert found.run.outcome == "completed"
    assert found.executions[0].log_bytes < 2_200_000
    kept = sum(path.stat().st_size for path in (home / "bytes").rglob("*") if path.is_file())
    assert kept < 2_300_000
    assert list((home / "logs").glob("*.log*")) == []
