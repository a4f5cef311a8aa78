"""Write down what changed in a git repository during a window: commits, files, new TODO lines, each with its source.

`digest.py` writes the report $DULY_ARTIFACT. `digest.py --check` writes nothing: it exits with 0 if the window has
commits, and with $DULY_NOTHING_TO_DO (77) if it has none. The same window of the same commit gives the same bytes.

Whoever writes the repository decides what git answers. So git gets argument lists, runs no hook and no other program,
and reads no settings of the user; every answer is bounded; and text of the repository is only ever shown as code.
"""

import os
import re
import sys
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, islice
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import IO, Final

COMMITS_MAX: Final = 500
FILES_MAX: Final = 300
FILES_OF_COMMIT_MAX: Final = 12
TODOS_MAX: Final = 300
MARKED_LINES_MAX: Final = 20_000
PATCH_BYTES_MAX: Final = 64 * 1024 * 1024
LINE_BYTES_MAX: Final = 4096
TEXT_CHARS_MAX: Final = 160

_GIT: Final = (
    *("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    # A larger file counts as binary: nobody wants a digest of its lines.
    *("-c", "core.bigFileThreshold=4m", "-c", "core.attributesFile=/dev/null"),
    *("-c", "log.showSignature=false", "-c", "i18n.logOutputEncoding=UTF-8"),
)
_DIFF: Final = (
    *("diff-tree", "--stdin", "-r", "--root", "--no-renames", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"),
)
_GIT_ENVIRONMENT: Final = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_HASH: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HUNK: Final = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS: Final = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13}
_MARK: Final = re.compile(rb"\b(?:TODO|FIXME)\b")
_Git = Popen[bytes]


class DigestError(Exception):
    """The report cannot be made; the text says why."""


@dataclass(frozen=True)
class Commit:
    """One commit. `is_edge`: a shallow clone ends here, so what this commit changed is not known."""

    name: str
    seconds: int
    parents: int
    author: str
    subject: str
    is_edge: bool


@dataclass(frozen=True)
class FileChange:
    """How many lines of a file a commit added and removed; None for a binary or very large file."""

    commit: str
    path: str
    added: int | None
    removed: int | None


@dataclass(frozen=True)
class LineChange:
    """One line that a commit added (with its number) or removed (number None)."""

    commit: str
    path: str
    number: int | None
    text: bytes


@dataclass(frozen=True)
class Digest:
    """All that the report says; the span is in seconds. `commits` are the newest of `commit_count`."""

    window: str
    span: tuple[int, int]
    base: str
    commit_count: int
    commits: list[Commit]
    files: list[FileChange]
    todos: list[LineChange]
    is_patch_cut: bool


class Repository:
    """A git repository as it was at one commit. Every method raises DigestError when git cannot answer."""

    def __init__(self, path: str, base: str) -> None:
        """Read `path` from commit `base` backwards."""
        self._path, self._base = path, base

    def commits(self, start: int, end: int) -> tuple[list[Commit], int]:
        """Return the newest commits of `[start, end)` by committer date, oldest first, and how many there are in all.

        Every commit behind the base is looked at, since dates need not be in order.
        """
        found = [one for one in self._names() if start <= one[0] < end]
        found.sort(key=lambda one: one[0])
        return self._described([name for _, name in found[-COMMITS_MAX:]]), len(found)

    def file_changes(self, commits: list[Commit]) -> list[FileChange]:
        """Return the files that commits changed, in the order of the commits."""
        found, commit = [], ""
        for record in self._ask([*_DIFF, "--numstat", "-z"], _names_of(commits)).split(b"\0"):
            if _HASH.fullmatch(record):
                commit = record.decode()
            elif record:
                added, removed, path = record.split(b"\t", 2)
                found.append(FileChange(commit, readable(path), _count(added), _count(removed)))
        return found

    def new_todos(self, commits: list[Commit]) -> tuple[list[LineChange], bool]:
        """Return marked lines that came and stayed, and whether there was too much to read to the end.

        A marked line that is removed again, or moved, takes one of the same text away.
        """
        found: dict[bytes, list[LineChange]] = {}
        with self._start([*_DIFF, "--patch", "--unified=0"]) as git:
            assert git.stdin is not None and git.stdout is not None
            git.stdin.write(_names_of(commits))
            git.stdin.close()
            marked = (one for one in line_changes(_lines(git.stdout)) if _MARK.search(one.text))
            for _, group in groupby(islice(marked, MARKED_LINES_MAX), lambda one: one.commit):
                _follow(found, list(group))
            is_cut = bool(git.stdout.read(1))
            git.kill()
        place = {commit.name: number for number, commit in enumerate(commits)}
        lines = [line for same in found.values() for line in same]
        return sorted(lines, key=lambda one: (place[one.commit], one.path, one.number)), is_cut

    def _names(self) -> Iterator[tuple[int, str]]:
        """Yield seconds and name of every commit behind the base, parents before children."""
        asked = ["rev-list", "--topo-order", "--reverse", "--timestamp", self._base]
        with self._start(asked) as git:
            assert git.stdin is not None and git.stdout is not None
            git.stdin.close()
            for line in git.stdout:
                seconds, name = line.decode().split()
                yield int(seconds), name
        if git.returncode:
            self._ask(["rev-parse", "--verify", f"{self._base}^{{commit}}"], b"")
            raise DigestError(f"git rev-list ended with {git.returncode}")

    def _described(self, names: list[str]) -> list[Commit]:
        if not names:
            return []
        edges = self._edges()
        fields = "%H%x00%ct%x00%P%x00%an%x00%s"
        asked = ["log", "--no-walk=unsorted", "--stdin", "-z", f"--format=tformat:{fields}"]
        answer = readable(self._ask(asked, "\n".join([*names, ""]).encode()))
        parts = iter(answer.split("\0"))
        return [
            Commit(name, int(seconds), len(parents.split()), author, subject, name in edges)
            for name, seconds, parents, author, subject in zip(*[parts] * 5, strict=False)
        ]

    def _edges(self) -> frozenset[str]:
        place = self._ask(["rev-parse", "--git-path", "shallow"], b"").decode().strip()
        file = Path(self._path, place)
        return frozenset(file.read_text().split()) if file.is_file() else frozenset()

    def _ask(self, arguments: list[str], given: bytes) -> bytes:
        with self._start(arguments, PIPE) as git:
            answer, words = git.communicate(given)
        if git.returncode:
            raise DigestError(readable(words).strip() or f"git {arguments[0]} found nothing")
        return answer

    def _start(self, arguments: list[str], errors: int = DEVNULL) -> _Git:
        argv, cwd = [*_GIT, *arguments], self._path
        environment = {"PATH": os.environ.get("PATH", os.defpath)} | _GIT_ENVIRONMENT
        return Popen(argv, cwd=cwd, env=environment, stdin=PIPE, stdout=PIPE, stderr=errors)


def line_changes(lines: Iterator[bytes]) -> Iterator[LineChange]:
    """Read a patch by the line counts of its hunks, so that no content can pass for a header."""
    commit, path, number, removed_left, added_left = "", "", 0, 0, 0
    for line in lines:
        if removed_left and line.startswith(b"-"):
            removed_left -= 1
            yield LineChange(commit, path, None, line[1:].strip())
        elif added_left and line.startswith(b"+"):
            added_left -= 1
            yield LineChange(commit, path, number, line[1:].strip())
            number += 1
        elif hunk := _HUNK.match(line):
            removed_left, number, added_left = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
        elif line.startswith(b"+++ "):
            path = _path(line[4:].rstrip(b"\n"))
        elif _HASH.fullmatch(line.rstrip(b"\n")):
            commit = line.decode().strip()


def readable(raw: bytes) -> str:
    """Return bytes as text; what is not UTF-8 is spelled out, so that two names never look alike."""
    return raw.decode("utf-8", "backslashreplace")


def code(text: str) -> str:
    """Return text of a stranger as an inert piece of Markdown: visible, on one line, bounded, and only ever code."""
    text = "".join(_visible(character) for character in text[: TEXT_CHARS_MAX + 1])
    if len(text) > TEXT_CHARS_MAX:
        text = text[: TEXT_CHARS_MAX - 1] + "…"
    if not text.strip():
        return "(empty)"
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def render(digest: Digest) -> list[str]:
    """Return the report's lines."""
    files, todos = digest.files, digest.todos
    start, end = map(_utc, digest.span)
    added, removed = (sum(getattr(f, side) or 0 for f in files) for side in ("added", "removed"))
    paths = len({file.path for file in files})
    authors = len({commit.author for commit in digest.commits})
    lines = [
        f"# What changed: {code(digest.window)}",
        "",
        f"- Span: {start} to {end}; the end is the query cutoff and not part of it",
        f"- Read backwards from commit {code(digest.base)}",
        f"- Commits: {digest.commit_count}, authors: {authors}, files: {paths}, lines: +{added} -{removed}",
        f"- New TODO and FIXME lines: {len(todos)}",
        *_remarks(digest),
    ]
    lines += ["", "## Commits", "", *_commit_lines(digest)]
    lines += ["", "## Files", "", *_file_lines(files)]
    return [*lines, "", "## New TODO and FIXME lines", "", *_todo_lines(todos)]


def _remarks(digest: Digest) -> Iterator[str]:
    if digest.commit_count > len(digest.commits):
        yield f"- Only the newest {len(digest.commits)} commits are shown and counted below"
    if any(commit.is_edge for commit in digest.commits):
        yield "- The clone is shallow: what its oldest commits changed is not known"
    if digest.is_patch_cut:
        yield "- The changes were too large to read to the end, so TODO and FIXME lines may be missing"


def _commit_lines(digest: Digest) -> list[str]:
    lines = []
    for commit in digest.commits:
        said = f"{_utc(commit.seconds)} by {code(commit.author)}: {code(commit.subject)}"
        lines.append(f"- {code(commit.name)} at {said}")
        if commit.parents > 1:
            lines.append("  - merges; what it brings in is told with the commits it merges")
        files = [file for file in digest.files if file.commit == commit.name]
        changed = [f"- {code(file.path)} {_size(file)}" for file in files]
        lines += [f"  {line}" for line in _first(FILES_OF_COMMIT_MAX, changed, "files")]
    return lines or ["None."]


def _file_lines(files: list[FileChange]) -> list[str]:
    lines = []
    by_path = sorted(files, key=lambda file: file.path)
    for path, group in groupby(by_path, lambda file: file.path):
        sources = [f"{_size(file)} in {code(file.commit[:12])}" for file in group]
        more = f", and {len(sources) - 5} more commits" if len(sources) > 5 else ""
        lines.append(f"- {code(path)}: {', '.join(sources[:5])}{more}")
    return _first(FILES_MAX, lines, "files") or ["None."]


def _todo_lines(todos: list[LineChange]) -> list[str]:
    lines = []
    for one in todos:
        place, text = code(f"{one.path}:{one.number}"), code(readable(one.text))
        lines.append(f"- {place} in {code(one.commit[:12])}: {text}")
    return _first(TODOS_MAX, lines, "lines") or ["None."]


def _first(count: int, lines: list[str], what: str) -> list[str]:
    more = [f"- and {len(lines) - count} more {what}"] if len(lines) > count else []
    return lines[:count] + more


def _follow(found: dict[bytes, list[LineChange]], changes: list[LineChange]) -> None:
    """Bring marked lines up to date with one commit's changes."""
    for line in changes:
        if line.number is not None:
            found.setdefault(line.text, []).append(line)
    for gone in changes:
        same = found.get(gone.text) if gone.number is None else None
        if same:
            here = [line for line in same if line.path == gone.path]
            same.remove((here or same)[-1])


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield lines up to PATCH_BYTES_MAX; of a longer line only the beginning."""
    size = 0
    while size < PATCH_BYTES_MAX and (line := stream.readline(LINE_BYTES_MAX)):
        yield line
        size += len(line)
        while not line.endswith(b"\n") and (line := stream.readline(LINE_BYTES_MAX)):
            size += len(line)


def _path(raw: bytes) -> str:
    name = raw.removesuffix(b"\t")
    if name.startswith(b'"'):
        name = _ESCAPE.sub(_unescaped, name[1:-1])
    return readable(name.removeprefix(b"b/"))


def _unescaped(match: "re.Match[bytes]") -> bytes:
    letter = match[1]
    return bytes([int(letter, 8)]) if len(letter) == 3 else bytes([_LETTERS.get(letter, letter[0])])


def _names_of(commits: list[Commit]) -> bytes:
    return "".join(f"{commit.name}\n" for commit in commits if not commit.is_edge).encode()


def _count(text: bytes) -> int | None:
    return None if text == b"-" else int(text)


def _visible(character: str) -> str:
    is_harmless = unicodedata.category(character)[0] not in "CZ" or character == " "
    return character if is_harmless else f"\\u{{{ord(character):x}}}"


def _size(file: FileChange) -> str:
    return "binary" if file.added is None else f"+{file.added} -{file.removed}"


def _utc(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def write(path: Path, lines: list[str]) -> None:
    """Write the report beside its place and rename it there, so that nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(lines):
            file.write(f"{line}\n")
            if number == len(lines) // 2:
                file.flush()
                _hold()
        os.fsync(file.fileno())
    draft.rename(path)


def _hold() -> None:
    """Wait while the file $DIGEST_HOLD exists; the demo holds a run this way, to kill its node at a known moment."""
    hold = Path(os.environ.get("DIGEST_HOLD") or "/nonexistent")
    if hold.exists():
        print(f"holding half-way while {hold} exists", flush=True)
    while hold.exists():
        time.sleep(0.05)


def main(arguments: list[str]) -> int:
    """Check the window or write its report; return the exit code."""
    bounds = (os.environ[name] for name in ("DULY_SPAN_START", "DULY_SPAN_END"))
    start, end = (int(datetime.fromisoformat(bound).timestamp()) for bound in bounds)
    window, base = os.environ["DULY_WINDOW"], os.environ["DULY_BASE_COMMIT"]
    repository = Repository(os.environ["DULY_REPO"], base)
    commits, count = repository.commits(start, end)
    if arguments == ["--check"]:
        return 0 if count else int(os.environ.get("DULY_NOTHING_TO_DO", "77"))
    files, (todos, is_cut) = repository.file_changes(commits), repository.new_todos(commits)
    digest = Digest(window, (start, end), base, count, commits, files, todos, is_cut)
    artifact = Path(os.environ["DULY_ARTIFACT"])
    write(artifact, render(digest))
    print(f"{count} commits, {len(todos)} new TODO and FIXME lines: {artifact}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (DigestError, OSError, KeyError) as error:
        sys.exit(f"digest: {type(error).__name__}: {error}")
