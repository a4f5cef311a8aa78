"""Which paths beneath a root a list of globs allows: `*` and `?` stay within one name, `**` spans directories."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from duly.model.errors import Fault

DIGIT: Final = "\0"
"""In a glob given to `meet`: any one digit."""

_CHOICE: Final = re.compile(r"\{[^{}]*,[^{}]*\}")


def matches(globs: Sequence[str], path: str) -> bool:
    """Say whether a relative path with `/` between its names is allowed by any of the globs.

    `reports/` means everything beneath it; `[` is an ordinary character; names that start with a dot are
    names like others. A path that is absolute, or has an empty name, `.` or `..` in it, matches nothing.
    """
    names = path.split("/")
    if any(name in ("", ".", "..") for name in names):
        return False
    return any(_matches(_split(glob), names) for glob in globs)


def reaches(globs: Sequence[str], directory: str) -> bool:
    """Say whether anything beneath a directory could be allowed, so that others need not be looked into."""
    names = directory.split("/")
    return any(_reaches(_split(glob), names) for glob in globs)


def meet(one: str, other: str) -> bool:
    """Say whether any path is allowed by both of two globs; `DIGIT` in them stands for one digit."""
    return _meet(_strict(_split(one)), _strict(_split(other)), "**", _names_meet)


def faults(globs: Sequence[str], pointer: str = "/write_scope") -> tuple[Fault, ...]:
    """Return what is wrong with the globs: whatever could name something outside of the root, or nothing at all."""
    return tuple(
        Fault(pointer=f"{pointer}/{index}", message=f"{glob!r} {message}", fix=fix)
        for index, glob in enumerate(globs)
        for message, fix in _wrongs(glob)
    )


def _wrongs(glob: str) -> list[tuple[str, str]]:
    if not glob:
        return [("names nothing", "write ** for everything, or leave it out")]
    names = _split(glob)
    checks = (
        (glob.startswith("/"), "is absolute", "write it relative to the working directory"),
        (
            glob.startswith("~"),
            "names a home directory",
            "write it relative to the working directory",
        ),
        (".." in names, "leaves the working directory", "remove `..`"),
        # Elsewhere these exclude and choose; taken as plain characters they would silently name nothing.
        (glob.startswith("!"), "begins with !, which excludes nothing here", "list what is meant"),
        (
            _CHOICE.search(glob) is not None,
            "holds a choice in braces, which is not one here",
            "write one glob for each",
        ),
        ("\\" in glob, "holds a backslash", "write / between names"),
        ("\0" in glob, "holds a NUL", "remove it"),
        (
            not glob.startswith("/") and any(name in ("", ".") for name in names),
            "has an empty name in it",
            "remove `.` and `//`",
        ),
        (
            any("**" in name and name != "**" for name in names),
            "has ** within a name",
            "write ** alone between two /",
        ),
    )
    return [(message, fix) for is_wrong, message, fix in checks if is_wrong]


def _split(glob: str) -> list[str]:
    return f"{glob}**".split("/") if glob.endswith("/") else glob.split("/")


def _matches(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Match name by name; only the last `**` is ever retried, so the work is at most pattern times names."""
    at, position, star, resume = 0, 0, -1, 0
    while position < len(names):
        if at < len(pattern) and pattern[at] == "**":
            star, resume = at, position
            at += 1
        elif at < len(pattern) and _matches_name(pattern[at], names[position]):
            at, position = at + 1, position + 1
        elif star >= 0:
            resume += 1
            at, position = star + 1, resume
        else:
            return False
    return at == len(
        pattern
    )  # a `**` left over is not: it stands for what is beneath, not for the directory


def _reaches(pattern: Sequence[str], names: Sequence[str]) -> bool:
    for wanted, name in zip(pattern, names, strict=False):
        if wanted == "**":
            return True
        if not _matches_name(wanted, name):
            return False
    return len(pattern) > len(names)


def _matches_name(pattern: str, name: str) -> bool:
    at, position, star, resume = 0, 0, -1, 0
    while position < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, resume = at, position
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", name[position]):
            at, position = at + 1, position + 1
        elif star >= 0:
            resume += 1
            at, position = star + 1, resume
        else:
            return False
    return all(letter == "*" for letter in pattern[at:])


def _strict(pattern: list[str]) -> list[str]:
    """Say that a `**` at the end stands for at least one name."""
    return [*pattern, "*"] if pattern[-1] == "**" else pattern


def _names_meet(one: str, other: str) -> bool:
    return _meet(one, other, "*", _letters_meet)


def _letters_meet(one: str, other: str) -> bool:
    if one == other or "?" in (one, other):
        return True
    return DIGIT in (one, other) and (one + other).strip(DIGIT).isdigit()


def _meet(
    one: Sequence[str], other: Sequence[str], star: str, alike: Callable[[str, str], bool]
) -> bool:
    """Say whether two patterns, in which `star` spans any number of parts, have anything in common."""
    # below[j]: whether what is left of `one` behind the current part meets other[j:].
    below = [all(part == star for part in other[j:]) for j in range(len(other) + 1)]
    for mine in reversed(one):
        row = [False] * (len(other) + 1)
        row[-1] = mine == star and below[-1]
        for j in range(len(other) - 1, -1, -1):
            if star in (mine, other[j]):
                row[j] = below[j] or row[j + 1]
            else:
                row[j] = alike(mine, other[j]) and below[j + 1]
        below = row
    return below[0]
