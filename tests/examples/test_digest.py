"""The example's program on small real repositories: what it finds, what it cites, what strangers cannot do to it."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from examples.repo_digest import digest
from tests.examples.repositories import DAY, NOON, made_at

PROGRAM = Path(digest.__file__)
MIDNIGHT = NOON // DAY * DAY
WINDOW = "2026-09-17"


@pytest.fixture
def repository(tmp_path):
    return made_at(tmp_path / "repo")


def _utc(seconds):
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _environment(repository, base, **other):
    return {
        "PATH": os.environ["PATH"],
        "DULY_REPO": str(repository.path),
        "DULY_BASE_COMMIT": base or repository.head(),
        "DULY_SPAN_START": _utc(MIDNIGHT),
        "DULY_SPAN_END": _utc(MIDNIGHT + DAY),
        "DULY_WINDOW": WINDOW,
        "DULY_ARTIFACT": f"reports/{WINDOW}.md",
        "DULY_NOTHING_TO_DO": "77",
        **other,
    }


def _run(repository, *arguments, base=None, **other):
    root = repository.path.parent / "root"
    root.mkdir(exist_ok=True)
    ended = subprocess.run(
        [sys.executable, PROGRAM, *arguments],
        cwd=root,
        env=_environment(repository, base, **other),
        capture_output=True,
        text=True,
        check=False,
    )
    return ended, root / "reports" / f"{WINDOW}.md"


def _report(repository, **other):
    ended, path = _run(repository, **other)
    assert (ended.returncode, ended.stderr) == (0, "")
    return path.read_text(encoding="utf-8")


def test_the_report_tells_commits_files_and_new_todos_with_their_sources(repository):
    first = repository.commit({"a.py": "x = 1\n# TODO: old\n"}, "Begin", MIDNIGHT - 1)
    second = repository.commit({"a.py": "x = 1\n# TODO: old\n# TODO: new\n"}, "Add a line")
    third = repository.commit({"b.py": "# FIXME\n"}, "Add a file", NOON + 1, "Bob")
    assert _report(repository) == "\n".join(
        [
            "# What changed: `2026-09-17`",
            "",
            "- Span: 2026-09-16T00:00:00Z to 2026-09-17T00:00:00Z; the end is the query cutoff and not part of it",
            f"- Read backwards from commit `{third}`",
            "- Commits: 2, authors: 2, files: 2, lines: +2 -0",
            "- New TODO and FIXME lines: 2",
            "",
            "## Commits",
            "",
            f"- `{second}` at 2026-09-16T12:00:00Z by `Ada`: `Add a line`",
            "  - `a.py` +1 -0",
            f"- `{third}` at 2026-09-16T12:00:01Z by `Bob`: `Add a file`",
            "  - `b.py` +1 -0",
            "",
            "## Files",
            "",
            f"- `a.py`: +1 -0 in `{second[:12]}`",
            f"- `b.py`: +1 -0 in `{third[:12]}`",
            "",
            "## New TODO and FIXME lines",
            "",
            f"- `a.py:3` in `{second[:12]}`: `# TODO: new`",
            f"- `b.py:1` in `{third[:12]}`: `# FIXME`",
            "",
        ]
    )
    assert first not in _report(repository)


@pytest.mark.parametrize(
    ("date", "expected"),
    [(MIDNIGHT - 1, 77), (MIDNIGHT, 0), (MIDNIGHT + DAY - 1, 0), (MIDNIGHT + DAY, 77)],
)
def test_a_commit_belongs_to_the_span_from_its_start_up_to_its_end(repository, date, expected):
    repository.commit({"a": "1"}, date=date)
    ended, path = _run(repository, "--check")
    assert (ended.returncode, ended.stderr) == (expected, "")
    assert not path.exists()


def test_commits_with_dates_out_of_order_are_found(repository):
    repository.commit({"a": "1"}, "old", MIDNIGHT - 9 * DAY)
    repository.commit({"a": "2"}, "from the future", MIDNIGHT + 9 * DAY)
    repository.commit({"a": "3"}, "in the window")
    for number in range(8):
        repository.commit({"a": f"later {number}"}, "too old again", MIDNIGHT - 9 * DAY)
    report = _report(repository)
    assert "- Commits: 1," in report
    assert "`in the window`" in report


def test_commits_behind_the_base_only_are_read(repository):
    base = repository.commit({"a": "1"}, "before")
    repository.commit({"a": "2"}, "after the base")
    assert "after the base" not in _report(repository, base=base)


def test_the_same_window_gives_the_same_bytes(repository):
    repository.commit({"a": "1\n", "b": "TODO\n"})
    assert _report(repository) == _report(repository)


def test_a_todo_that_was_moved_or_removed_again_is_not_new(repository):
    repository.commit({"a": "TODO: moved\nTODO: stays\n"}, date=MIDNIGHT - 1)
    repository.commit({"a": "TODO: stays\n", "b": "  TODO: moved\nTODO: short\n"})
    repository.commit({"b": "  TODO: moved\nTODO: kept\n"}, date=NOON + 1)
    todos = _report(repository).partition("## New TODO")[2]
    assert [word in todos for word in ("kept", "moved", "short", "stays")] == [True] + [False] * 3


def test_merges_are_named_and_what_they_bring_is_told_once(repository):
    repository.commit({"a": "1\n"}, date=MIDNIGHT - 1)
    repository.git("switch", "--quiet", "--create", "side")
    repository.commit({"b": "TODO\n"}, "On the side")
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message=Merge it", "side", date=NOON + 1)
    report = _report(repository)
    assert "`Merge it`\n  - merges;" in report
    assert "- New TODO and FIXME lines: 1\n" in report


def test_where_a_shallow_clone_ends_its_changes_are_not_invented(repository, tmp_path):
    repository.commit({"a": "TODO\n"}, date=MIDNIGHT - 1)
    name = repository.commit({"b": "2\n"})
    shallow = made_at(tmp_path / "shallow")
    shallow.git("fetch", "--quiet", "--depth=1", repository.path.as_uri(), "main")
    shallow.git("reset", "--quiet", "--hard", "FETCH_HEAD")
    report = _report(shallow)
    assert f"`{name}`" in report
    assert "The clone is shallow" in report
    assert "files: 0, lines: +0 -0" in report
    assert "- New TODO and FIXME lines: 0\n" in report


HOSTILE_NAMES = [
    b"new\nline TODO.md",
    b'quote"and\\slash',
    b"tab\there",
    b"caf\xe9",
    b"-rf",
    b"`code` [link](http://example.org)",
    b"<img src=x>|pipe|",
    "right\u202eto-left".encode(),
    b"a/b/c with space",
]


def test_hostile_names_and_texts_are_shown_as_inert_code_on_one_line(repository):
    todo = b"# TODO \x1b[31mred\x07 ``` </code><script>alert(1)</script> @everyone \xff\r\n"
    subject = b"# Heading [x](javascript:alert(1)) `` ` `` \x1b]0;title\x07 <b>"
    repository.commit(dict.fromkeys(HOSTILE_NAMES, todo), subject, author="E*v*e `x")
    report = _report(repository)
    assert len(report.partition("## New TODO")[2].splitlines()) == 2 + len(HOSTILE_NAMES)
    assert all(character >= " " or character == "\n" for character in report)
    assert "\u202e" not in report
    assert [line for line in _outside_code(report) if set(line) & set("<[*@`")] == []
    assert r"new\u{a}line TODO.md:1" in report
    assert r"caf\xe9:1" in report
    assert r"right\u{202e}to-left:1" in report


def _outside_code(report):
    """Yield each line without its code spans, as CommonMark reads them."""
    for line in report.splitlines():
        rest, kept = line, ""
        while "`" in rest:
            before, _, rest = rest.partition("`")
            run = 1 + len(rest) - len(rest.lstrip("`"))
            closing = _closing(rest[run - 1 :], run)
            assert closing is not None, line
            kept, rest = kept + before, closing
        yield kept + rest


def _closing(text, run):
    place = 0
    while (place := text.find("`", place)) >= 0:
        length = len(text[place:]) - len(text[place:].lstrip("`"))
        if length == run:
            return text[place + run :]
        place += length
    return None


def test_content_that_looks_like_a_patch_does_not_move_a_citation(repository):
    lines = ["+++ b/other.py", "--- a/other.py", "@@ -1 +99 @@", "diff --git a/x b/x", "TODO here"]
    repository.commit({"real.py": "\n".join([*lines, "0" * 40, ""])})
    assert "- `real.py:5` in" in _report(repository)


def test_huge_lines_and_files_are_bounded(repository):
    repository.commit({"long": "TODO " + "x" * 2_000_000, "big": b"TODO\n" * 1_500_000})
    report = _report(repository)
    assert "`big`: binary in" in report
    assert "- New TODO and FIXME lines: 1\n" in report
    assert max(map(len, report.splitlines())) < 500


def test_more_changes_than_may_be_read_are_told(repository, monkeypatch):
    repository.commit({"a": "TODO 1\nTODO 2\n" + "x\n" * 5_000})
    monkeypatch.setattr(digest, "PATCH_BYTES_MAX", 2_000)
    known = digest.Repository(str(repository.path), repository.head())
    commits, count = known.commits(MIDNIGHT, MIDNIGHT + DAY)
    todos, is_cut = known.new_todos(commits)
    files = known.file_changes(commits)
    told = digest.Digest("w", (0, 1), "b", count, commits, files, todos, is_cut)
    assert any("too large to read to the end" in line for line in digest.render(told))


def test_only_the_newest_of_too_many_commits_are_shown_and_that_is_told(repository, monkeypatch):
    names = [repository.commit({"a": str(number)}, date=NOON + number) for number in range(4)]
    monkeypatch.setattr(digest, "COMMITS_MAX", 3)
    known = digest.Repository(str(repository.path), repository.head())
    commits, count = known.commits(MIDNIGHT, MIDNIGHT + DAY)
    assert ([one.name for one in commits], count) == (names[1:], 4)
    told = digest.Digest("w", (0, 1), "b", count, commits, [], [], False)
    assert "- Only the newest 3 commits are shown and counted below" in digest.render(told)


def test_the_repositorys_own_settings_start_nothing(repository, tmp_path):
    witness = tmp_path / "started"
    repository.commit({"a.txt": "1\n", ".gitattributes": "*.txt diff=evil\n"}, date=MIDNIGHT - 1)
    repository.commit({"a.txt": "TODO\n"})
    for name in ("diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor"):
        repository.git("config", name, f"touch {witness}; cat")
    assert "- New TODO and FIXME lines: 1\n" in _report(repository)
    assert not witness.exists()


@pytest.mark.parametrize("arguments", [(), ("--check",)])
def test_without_a_usable_repository_it_fails_in_one_line_and_never_says_no_work(
    repository, arguments
):
    ended, path = _run(repository, *arguments, base="0" * 40)
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("digest: DigestError: fatal:")
    gone = repository.path / "gone"
    assert _run(repository, *arguments, base="0" * 40, DULY_REPO=str(gone))[0].returncode == 1
    assert not path.exists()


def test_nobody_sees_half_a_report(repository, tmp_path):
    repository.commit({"a": "1"})
    hold, root = tmp_path / "hold", tmp_path / "root"
    hold.touch()
    root.mkdir()
    environment = _environment(repository, None, DIGEST_HOLD=str(hold))
    command = [sys.executable, PROGRAM]
    with subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE) as held:
        said = held.stdout.readline()
        names = [path.name for path in (root / "reports").iterdir()]
        hold.unlink()
        held.communicate()
    assert said.startswith(b"holding half-way")
    assert names == [f".{WINDOW}.md.draft"]
    assert [path.name for path in (root / "reports").iterdir()] == [f"{WINDOW}.md"]
