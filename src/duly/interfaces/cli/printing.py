"""How answers are printed: data on stdout, words about it on stderr; nothing that a terminal would obey."""

import contextlib
import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import click

from duly.model.errors import DulyError, Fault, ValidationError

# Control characters, and the marks that turn the direction of text: what is printed was written by others.
_UNSAFE: Final = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_GAP: Final = "  "
_NOTHING: Final = "-"
_FOLD: Final = "    "
# What a line break leaves whole: a word, and a command, so that it can be copied.
_WHOLE: Final = re.compile(r"^ +|(?:`[^`]*`|[^ ])+ *")
# RFC 3339 as answers have it; what is kept is the day, hour and minute, and the offset.
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)")


def clean(text: str) -> str:
    """Return text without anything that a terminal would obey; line ends and tabs stay."""
    return _UNSAFE.sub("", text)


def one_line(value: object) -> str:
    """Return a value for one cell of a table."""
    text = _NOTHING if value is None or value == "" else str(value)
    return " ".join(clean(text).split()) or _NOTHING


def minute(moment: str | None) -> str | None:
    """Return an instant of an answer to the minute, short enough for a table: `2026-12-01 02:30+01:00`."""
    return None if moment is None else _MOMENT.sub(r"\1 \2\4", moment)


def second(moment: str | None) -> str | None:
    """Return an instant of an answer to the second, as RFC 3339."""
    return None if moment is None else re.sub(r"\.\d+(?=Z|[+-]\d\d:)", "", moment)


def say(line: str) -> None:
    """Print words about what was done, on stderr; who closed it does not want them, and work goes on."""
    with contextlib.suppress(OSError):
        click.echo(clean(line), err=True)


def data(line: str) -> None:
    """Print a line of data on stdout."""
    click.echo(clean(line))


def sentence(line: str) -> None:
    """Print words that are data; a terminal gets them broken between words where they do not fit."""
    # The first line could be longer than what goes beneath it; one width for all reads as well.
    click.echo(f"\n{_FOLD}".join(_broken(clean(line), _limit(), _FOLD)))


def document(answer: object) -> None:
    """Print one JSON document on stdout; ASCII only, so that no terminal obeys it and no encoding breaks it."""
    click.echo(json.dumps(answer, indent=2))


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[tuple[str, str]]) -> None:
    """Print rows under (heading, field) columns; on a terminal the last one goes beneath where it does not fit."""
    cells = [[one_line(row.get(field)) for _, field in columns] for row in rows]
    heads = [head.upper() for head, _ in columns]
    widths = [max(map(width, column)) for column in zip(heads, *cells, strict=True)]
    limit = _limit()
    is_cut = limit is not None and width(_row(heads, widths, None)) > limit
    shown = heads[:-1] if is_cut else heads
    head = _row(shown, widths, limit)
    click.echo(head if os.environ.get("NO_COLOR") else click.style(head, bold=True))
    for row in cells:
        is_folded = limit is not None and width(_row(row, widths, None)) > limit
        click.echo(_row(row[:-1] if is_folded else row, widths, limit))
        if is_folded:
            for line in _broken(row[-1], limit, _FOLD):
                click.echo(_FOLD + line)


def fields(pairs: Iterable[tuple[str, object]]) -> None:
    """Print names and values, one below the other; what a terminal is too narrow for goes on below its beginning."""
    shown = [(name, one_line(value)) for name, value in pairs]
    longest = max(len(name) for name, _ in shown)
    beneath = " " * longest + _GAP
    limit = _limit()
    for name, value in shown:
        lines = _broken(value, limit, beneath)
        click.echo(name.ljust(longest) + _GAP + f"\n{beneath}".join(lines))


def _limit() -> int | None:
    """Return the columns of the terminal; None: a file or a program reads, and lines stay whole."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def width(text: str) -> int:
    """Return how many columns a text takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide


def _broken(text: str, limit: int | None, indent: str) -> list[str]:
    """Return a text in lines that fit behind `indent`, where words and commands are short enough; at least one."""
    if limit is None:
        return [text]
    lines, line = [], ""
    for word in _WHOLE.findall(text):
        if line and width(indent + line + word.rstrip()) > limit:
            lines.append(line.rstrip())
            line = ""
        line += word
    return [*lines, line.rstrip()]


def _row(cells: Sequence[str], widths: Sequence[int], limit: int | None) -> str:
    # A folded row has one cell less than there are columns.
    padded = [
        cell + " " * (space - width(cell)) for cell, space in zip(cells, widths, strict=False)
    ]
    line = _GAP.join(padded).rstrip()
    return line if limit is None or width(line) <= limit else line[: limit - 1] + "…"


def complain(error: DulyError, name: str) -> None:
    """Print an error on stderr: one line for each fault, placed by `name` and line, with what to write instead."""
    if not isinstance(error, ValidationError):
        click.echo(f"error: {one_line(_with_fix(error.message, error.fix))}", err=True)
        return
    for fault in error.faults:
        click.echo(one_line(_placed(fault, name)), err=True)


def _placed(fault: Fault, name: str) -> str:
    place = f"{name}:{fault.line}: " if name and fault.line else f"{name}: " if name else "error: "
    pointer = f"{fault.pointer}: " if fault.pointer else ""
    return place + pointer + _with_fix(fault.message, fault.fix)


def _with_fix(message: str, fix: str) -> str:
    return f"{message} — {fix}" if fix else message


def problem(error: DulyError) -> dict[str, Any]:
    """Return an error as data."""
    found: dict[str, Any] = {"code": error.code, "message": error.message, "fix": error.fix}
    if isinstance(error, ValidationError):
        found["faults"] = [
            {"pointer": one.pointer, "line": one.line, "message": one.message, "fix": one.fix}
            for one in error.faults
        ]
    return {"error": found}
