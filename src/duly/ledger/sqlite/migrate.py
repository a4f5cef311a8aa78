"""The schema of the ledger file: created whole, migrated behind a backup, refused when another version wrote it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from duly.ledger import statements
from duly.ledger.sqlite import connection, schema
from duly.ledger.sqlite.backup import backup
from duly.ledger.statements import Migration
from duly.model.errors import ForeignDatabaseError, SchemaVersionError, UnavailableError
from duly.model.instant import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaMeta:
    """Which schema a ledger has; programs from schema `min_reader` on may read it, from `min_writer` on write it."""

    version: int
    min_reader: int
    min_writer: int


def prepare(path: Path, at: Instant, migrations: Sequence[Migration] = ()) -> None:
    """Create the ledger, or bring an existing one up to date, with a backup beside it first.

    Raises ForeignDatabaseError for anything that is not a writable ledger, SchemaVersionError for one of the future.
    """
    known = migrations or statements.sqlite_migrations()
    if not os.path.lexists(path):
        _create(path, at, known)
        return
    connection.examine(path)
    if not (path.stat().st_mode & 0o200 and os.access(path, os.W_OK)):
        raise ForeignDatabaseError(
            f"{path} may not be written", fix="Give this user the right to write it."
        )
    found = _read_sound(path, known)
    if found.version > len(known):
        if found.min_writer > len(known):
            raise _newer(path, found)
    elif found.version < len(known):
        backup(path, _backup_name(path, found, at))
        _migrate(path, at, known)


def admit_reader(path: Path, migrations: Sequence[Migration] = ()) -> None:
    """Raise unless this program may read the file, and finds in it what it asks for."""
    known = migrations or statements.sqlite_migrations()
    connection.examine(path)
    admit_version(path, _read_sound(path, known), len(known))


def admit_version(path: Path, found: SchemaMeta, known: int) -> None:
    """Raise SchemaVersionError unless a program that knows `known` schemas may read this one."""
    if found.min_reader > known:
        raise _newer(path, found)
    if found.version < known:
        raise SchemaVersionError(
            f"{path} has schema {found.version}, this program reads {known}",
            fix="Run `duly db migrate`.",
        )


def read_meta(path: Path) -> SchemaMeta:
    """Return what the file says of its schema. Raises ForeignDatabaseError when it is damaged."""
    with _looking(path) as db:
        return meta_of(db)


def _read_sound(path: Path, known: Sequence[Migration]) -> SchemaMeta:
    """Return what the file says of its schema, and hold the schema against that, where it is known."""
    with _looking(path) as db:
        found = meta_of(db)
        if found.version <= len(known):
            schema.verify(db, path, known[: found.version])
        return found


@contextmanager
def _looking(path: Path) -> Iterator[apsw.Connection]:
    try:
        with closing(connection.open_reader(path)) as db:
            yield db
    except apsw.SQLError as error:
        raise connection.damaged(path, error) from error
    except apsw.Error as error:
        raise connection.as_error(error, path) from error


def meta_of(db: apsw.Connection) -> SchemaMeta:
    """Return what an open database says of its schema."""
    rows: list[tuple[Any, ...]] = db.execute(statements.named()["schema_meta_read"]).fetchall()
    if not rows:
        raise apsw.CorruptError("schema_meta is empty")
    version, min_reader, min_writer = rows[0]
    if version < 1:
        raise apsw.CorruptError(f"schema_meta names version {version}")
    return SchemaMeta(version=version, min_reader=min_reader, min_writer=min_writer)


def _create(path: Path, at: Instant, migrations: Sequence[Migration]) -> None:
    """Build it beside, then name it: no crash leaves half a ledger under the name."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(apsw.Connection(str(draft), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
            db.pragma("application_id", connection.APPLICATION_ID)
            _apply(db, at, migrations)
            db.pragma("journal_mode", "wal")
        connection.put_in_place(draft, path)
    except FileExistsError:
        # Another process was faster; its ledger is as good.
        connection.examine(path)
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be made ({error.strerror})", fix="Look at the directory, then repeat."
        ) from error
    except apsw.SQLError:
        raise  # a fault of the migration, not of the file
    except apsw.Error as error:
        raise connection.as_error(error, path) from error
    finally:
        draft.unlink(missing_ok=True)


def _migrate(path: Path, at: Instant, migrations: Sequence[Migration]) -> None:
    try:
        with closing(connection.open_writer(path)) as db:
            _apply(db, at, migrations)
    except apsw.SQLError:
        raise  # a fault of the migration, not of the file
    except apsw.Error as error:
        raise connection.as_error(error, path) from error


def _apply(db: apsw.Connection, at: Instant, migrations: Sequence[Migration]) -> None:
    """Do what is missing in one transaction: all of it, or nothing."""
    named = statements.named()
    db.execute("begin immediate")
    is_new = not db.execute(schema.DECLARED).fetchall()
    for migration in migrations[0 if is_new else meta_of(db).version :]:
        db.execute(migration.sql)
        meta = {
            "version": migration.version,
            "min_reader": migration.min_reader,
            "min_writer": migration.min_writer,
            "at": at,
        }
        db.execute(named["schema_meta_write"], meta)
    db.execute("commit")


def _backup_name(path: Path, found: SchemaMeta, at: Instant) -> Path:
    return path.with_name(f"{path.name}.schema-{found.version}.{at}.backup")


def _newer(path: Path, found: SchemaMeta) -> SchemaVersionError:
    return SchemaVersionError(
        f"{path} has schema {found.version}, written by a newer Duly", fix="Upgrade Duly."
    )
