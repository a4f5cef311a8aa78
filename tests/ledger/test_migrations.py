"""The schema: made whole, migrated behind a backup; files that are not ours stay as they are."""

import os
import sqlite3
from pathlib import Path

import apsw
import pytest

from duly.ledger import statements
from duly.ledger.sqlite import migrate
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.sqlite.reader_ledger import SqliteReader
from duly.model.errors import ForeignDatabaseError, SchemaVersionError, UnavailableError
from tests.ledger.sqlite_parts import START, Clock, commit, open_store, put, stored

SECOND = """
-- A column for labels.
-- min_reader 1, min_writer 2
alter table workspace add column labels text not null default '{}';
create index workspace_zone on workspace(zone);
"""
CLOSED = "-- min_reader 2, min_writer 2\ncreate table later(x integer) /* strict */;"
HALF_BROKEN = "create table half(x integer) /* strict */; insert into nowhere values (1);"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "schema"
    made.mkdir()
    for file in statements.SCHEMA.iterdir():
        (made / file.name).write_text(file.read_text())
    return made


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


def with_next(folder, text):
    """Return the migrations of today and one more."""
    count = len(statements.sqlite_migrations(folder))
    (folder / f"{count + 1:04}_next.sql").write_text(text)
    return statements.sqlite_migrations(folder)


def schema(path):
    db = apsw.Connection(str(path))
    try:
        return db.execute("select type, name, sql from sqlite_schema order by 1, 2").fetchall()
    finally:
        db.close()


def old_ledger(path):
    store = open_store(path)
    commit(store, (put, "kept"))
    store.close()


def test_a_new_ledger_has_the_newest_schema_and_belongs_to_its_user_alone(path):
    migrate.prepare(path, START)
    assert migrate.read_meta(path).version == len(statements.sqlite_migrations())
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_preparing_twice_changes_nothing(path):
    migrate.prepare(path, START)
    before = path.read_bytes()
    migrate.prepare(path, START + 1)
    assert path.read_bytes() == before


def test_a_migrated_ledger_has_the_schema_of_a_fresh_one_and_keeps_its_rows(path, folder, tmp_path):
    old_ledger(path)
    migrations = with_next(folder, SECOND)
    migrate.prepare(path, START, migrations)
    migrate.prepare(tmp_path / "fresh.db", START, migrations)
    assert schema(path) == schema(tmp_path / "fresh.db")
    assert stored(path) == ["kept"]
    found = migrate.read_meta(path)
    assert (found.version, found.min_reader, found.min_writer) == (len(migrations), 1, 2)


def test_a_backup_is_made_before_a_migration(path, folder):
    old_ledger(path)
    version = migrate.read_meta(path).version
    migrate.prepare(path, START, with_next(folder, SECOND))
    [kept] = path.parent.glob("*.backup")
    assert kept.name == f"ledger.db.schema-{version}.{START}.backup"
    assert migrate.read_meta(kept).version == version
    assert stored(kept) == ["kept"]


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(path, folder):
    old_ledger(path)
    before = schema(path)
    with pytest.raises(apsw.SQLError):
        migrate.prepare(path, START, with_next(folder, HALF_BROKEN))
    assert schema(path) == before
    assert stored(path) == ["kept"]


def test_a_creation_that_fails_leaves_nothing(path, folder):
    with pytest.raises(apsw.SQLError):
        migrate.prepare(path, START, with_next(folder, HALF_BROKEN))
    assert os.listdir(path.parent) == [folder.name]


def test_an_older_program_may_read_a_newer_ledger_but_not_write_it(path, folder):
    migrate.prepare(path, START, with_next(folder, SECOND))
    with pytest.raises(SchemaVersionError, match="newer"):
        SqliteLedger(path, Clock(), lambda session: session)
    reader = SqliteReader(path, Clock(), lambda session: session)
    assert reader.read(lambda tx, _: tx.rows("audit_chains"), None) == []
    with pytest.raises(UnavailableError):
        reader.write(put, "x")
    with pytest.raises(UnavailableError):
        reader.submit(put, "x", print)
    reader.close()


def test_an_older_program_does_not_read_a_ledger_that_forbids_it(path, folder):
    migrate.prepare(path, START, with_next(folder, CLOSED))
    with pytest.raises(SchemaVersionError, match="Duly"):
        SqliteReader(path, Clock(), lambda session: session)


def test_a_reader_does_not_migrate(path, folder):
    old_ledger(path)
    with pytest.raises(SchemaVersionError) as refused:
        migrate.admit_reader(path, with_next(folder, SECOND))
    assert "duly db migrate" in refused.value.fix


def other_database(path):
    db = sqlite3.connect(path)
    db.execute("create table theirs(x)")
    db.close()


def read_only(path):
    old_ledger(path)
    path.chmod(0o400)


FOREIGN = {
    "is a directory": Path.mkdir,
    "is empty": Path.touch,
    "is not a SQLite database": lambda path: path.write_text("job: digest\n" * 40),
    "is a SQLite database of another program": other_database,
    "cannot be read": lambda path: path.symlink_to(path.with_name("gone")),
    "may not be written": read_only,
}


def content(path):
    return path.read_bytes() if path.is_file() else None


@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_no_writable_ledger_is_named_and_left_alone(path, what):
    FOREIGN[what](path)
    before, beside = content(path), sorted(os.listdir(path.parent))
    with pytest.raises(ForeignDatabaseError, match=what) as refused:
        migrate.prepare(path, START)
    assert str(path) in refused.value.message
    assert refused.value.fix
    assert content(path) == before
    assert sorted(os.listdir(path.parent)) == beside


def test_a_damaged_ledger_is_said_to_be_damaged(path):
    old_ledger(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes(4096 - 100) + whole[4096:])
    with pytest.raises(ForeignDatabaseError, match="damaged"):
        migrate.prepare(path, START)


def test_a_directory_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(UnavailableError, match="No such file"):
        migrate.prepare(tmp_path / "missing" / "ledger.db", START)


def test_two_processes_that_create_at_once_end_with_one_ledger(path, monkeypatch):
    first = os.link

    def slower(draft, target):
        old_ledger_of_another(target)
        first(draft, target)

    def old_ledger_of_another(target):
        monkeypatch.setattr(os, "link", first)
        migrate.prepare(target.with_name("other.db"), START)
        os.rename(target.with_name("other.db"), target)

    monkeypatch.setattr(os, "link", slower)
    migrate.prepare(path, START)
    assert os.listdir(path.parent) == [path.name]


def test_tables_are_strict_in_sqlite():
    sql = statements.sqlite_migrations()[0].sql
    assert "/* strict */" not in sql and "/* keyed */" not in sql
    assert "strict, without rowid" in sql


def test_named_statements_are_split_at_their_names():
    text = (
        "-- About it.\n\n-- one: the first\nselect 1 -- note: not a name\n-- note: nor this\n;\n\n"
        "-- two: next\nselect 2\n"
    )
    assert statements.parse(text) == {
        "one": "select 1 -- note: not a name\n-- note: nor this\n",
        "two": "select 2",
    }
    with pytest.raises(AssertionError):
        statements.parse("-- one: a\nselect 1\n\n-- one: b\nselect 2\n")
