"""What the schema of a ledger declares, held against the one that its migrations make."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from duly.ledger import statements
from duly.ledger.sqlite import connection
from duly.ledger.statements import Migration

DECLARED: Final = "select type, name, tbl_name, sql from sqlite_schema where name not like 'sqlite_%' order by 1, 2"
_COLUMNS: Final = "select name from pragma_table_info(?)"
_NAMED_MAX: Final = 5

_Key = tuple[str, str]
_Declared = Mapping[_Key, tuple[str, str]]


def schema_hash(db: apsw.Connection) -> str:
    """Return the SHA-256 of everything that the schema of an open database declares."""
    return hashlib.sha256(repr(db.execute(DECLARED).fetchall()).encode()).hexdigest()


def expected_hash(migrations: Sequence[Migration] = ()) -> str:
    """Return the hash that a ledger of this program's schema has."""
    with _fresh(migrations or statements.sqlite_migrations()) as fresh:
        return schema_hash(fresh)


def verify(db: apsw.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Raise ForeignDatabaseError, naming what differs, unless all that Duly made stands as these migrations make it.

    Tables and views that somebody else added, and that touch none of Duly's, do no harm (a replicator keeps its own).
    """
    if schema_hash(db) == migrations[-1].schema_sha256:
        # Making a fresh schema to compare with takes a hundred times as long.
        return
    if found := list(differences(db, migrations, also_harmless=False)):
        more = f", and {len(found) - _NAMED_MAX} more" if len(found) > _NAMED_MAX else ""
        raise connection.damaged(path, "; ".join(found[:_NAMED_MAX]) + more)


def differences(
    db: apsw.Connection, migrations: Sequence[Migration], *, also_harmless: bool
) -> Iterator[str]:
    """Name what is missing, what is not as it was made, and what is foreign."""
    with _fresh(migrations) as fresh:
        ours, theirs = _declared(fresh), _declared(db)
        tables = {name for kind, name in ours if kind == "table"}
        for (kind, name), (table, _) in ours.items():
            if (kind, name) not in theirs:
                # What hangs on a missing table is missing with it.
                if kind == "table" or ("table", table) in theirs:
                    yield f"{kind} {name} is missing"
            elif ours[kind, name] != theirs[kind, name]:
                yield f"{kind} {name} was altered{_columns(fresh, db, name)}"
        for (kind, name), (table, _) in theirs.items():
            if (kind, name) not in ours and (also_harmless or table in tables):
                yield f"{kind} {name} is foreign"


def _fresh(migrations: Sequence[Migration]) -> closing[apsw.Connection]:
    db = apsw.Connection(":memory:")
    for migration in migrations:
        db.execute(migration.sql)
    return closing(db)


def _declared(db: apsw.Connection) -> _Declared:
    return {(kind, name): (table, sql) for kind, name, table, sql in db.execute(DECLARED)}


def _columns(fresh: apsw.Connection, db: apsw.Connection, table: str) -> str:
    """Say which columns differ, where it is that."""
    ours, theirs = ([name for (name,) in one.execute(_COLUMNS, (table,))] for one in (fresh, db))
    missing = [f"column {name} is missing" for name in ours if name not in theirs]
    foreign = [f"column {name} is foreign" for name in theirs if name not in ours]
    return f": {', '.join(missing + foreign)}" if missing or foreign else ""
