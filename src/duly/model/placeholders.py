"""Placeholders such as `{window}` in commands, prompts, paths: a closed list, replaced once; all else is literal."""

import re
from collections.abc import Mapping
from typing import Final

NAMES: Final[Mapping[str, str]] = {
    "job_key": "the automation's job_key",
    "window": "the window key; in a path, with characters that file names do not like as `-`",
    "input_version": "the input version",
    "span_start": "start of the span that is read, RFC 3339 in UTC",
    "span_end": "end of the span that is read (the query cutoff), RFC 3339 in UTC",
    "base_commit": "the frozen commit of `inputs.repo`",
    "repo": "the checkout of `inputs.repo`",
    "root": "the directory the work happens in: a staged copy, or the first of `cwds`",
    "artifact": "path of the result artifact, beneath the root",
    "prompt": "the rendered prompt, as one argument",
    "prompt_file": "path of a file with the rendered prompt",
    "run_id": "the run's id",
    "attempt": "which attempt this is, from 1",
}
IN_PATHS: Final = ("job_key", "window", "input_version")

_KNOWN: Final = re.compile(r"\{(" + "|".join(NAMES) + r")\}")
_LOOKS_LIKE: Final = re.compile(r"\{([a-z_]+)\}")
_NOT_IN_FILE_NAMES: Final = re.compile(r"[^A-Za-z0-9._+-]+")


def expand(text: str, values: Mapping[str, str]) -> str:
    """Return `text` with every known placeholder that has a value replaced; values are not read again."""
    return _KNOWN.sub(lambda match: values.get(match[1], match[0]), text)


def expand_path(text: str, values: Mapping[str, str]) -> str:
    """Return a relative path: only the names of `IN_PATHS` are replaced, each as one safe part of a file name."""
    safe = {name: file_name(values[name]) for name in IN_PATHS if name in values}
    return expand(text, safe)


def file_name(text: str) -> str:
    """Return text as part of a file name; never empty, never `.` or `..`, without separators."""
    name = _NOT_IN_FILE_NAMES.sub("-", text).strip("-.")
    return name or "_"


def unknown_in_path(text: str) -> list[str]:
    """Return the placeholders of a path that would not be replaced."""
    return [name for name in _LOOKS_LIKE.findall(text) if name not in IN_PATHS]
