"""The SQL of the ledger, read from its files: named statements, and numbered schema migrations."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

_ROOM: Final = files("duly.ledger")
SCHEMA: Final = _ROOM / "schema"

# A statement begins at `-- name: description`, at the head of a file or after an empty line.
_HEAD: Final = re.compile(r"(?:\A|(?<=\n\n))-- ([a-z][a-z0-9_]*): .+\n")
_MIGRATION: Final = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_SCHEMA_HASH: Final = re.compile(r"^-- sqlite schema ([0-9a-f]{64})$", re.MULTILINE)
_BOUNDS: Final = re.compile(r"^-- min_reader (\d+), min_writer (\d+)$", re.MULTILINE)

# The schema is written once; these are SQLite's words for its two kinds of table.
_SQLITE_TABLES: Final = (
    ("/* strict */", "strict"),
    ("/* keyed */", "strict, without rowid"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered step of the schema, in the words of one dialect.

    Programs that know at least schema `min_reader` may read the ledger after it, from `min_writer` on write it.
    `schema_sha256` is what everything declared hashes to after it, where the file says so.
    """

    version: int
    min_reader: int
    min_writer: int
    sql: str
    schema_sha256: str | None


@cache
def named() -> Mapping[str, str]:
    """Return every statement of `ledger/sql/*.sql` by its name."""
    found: dict[str, str] = {}
    for file in sorted((_ROOM / "sql").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            for name, text in parse(file.read_text("utf-8")).items():
                assert name not in found, f"two statements are named {name}"
                found[name] = text
    return MappingProxyType(found)


def parse(text: str) -> dict[str, str]:
    """Split the text of one file into its statements; text before the first name is a comment."""
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found: dict[str, str] = {}
    for head, end in zip(heads, ends, strict=True):
        assert head[1] not in found, f"two statements are named {head[1]}"
        found[head[1]] = text[head.end() : end].strip().removesuffix(";")
    return found


def sqlite_migrations(folder: Traversable = SCHEMA) -> tuple[Migration, ...]:
    """Return the migrations of a folder in order, in SQLite's dialect; their numbers run from 1 without a gap."""
    found = sorted(
        (int(name[1]), file.read_text("utf-8"))
        for file in folder.iterdir()
        if (name := _MIGRATION.fullmatch(file.name))
    )
    assert [number for number, _ in found] == list(range(1, len(found) + 1)), "a gap in the schema"
    return tuple(_migration(number, text) for number, text in found)


def _migration(number: int, text: str) -> Migration:
    bounds, declared = _BOUNDS.search(text), _SCHEMA_HASH.search(text)
    reader, writer = (int(bounds[1]), int(bounds[2])) if bounds else (number, number)
    for token, words in _SQLITE_TABLES:
        text = text.replace(token, words)
    return Migration(
        version=number,
        min_reader=reader,
        min_writer=writer,
        sql=text,
        schema_sha256=declared[1] if declared else None,
    )
