"""A ledger whose schema was altered is refused when it is opened, and says what differs."""

import shutil

import apsw
import pytest

from duly.ledger import statements
from duly.ledger.sqlite import migrate, schema
from duly.ledger.sqlite.check import check
from duly.model.errors import ForeignDatabaseError
from tests.ledger.sqlite_parts import START, open_store

ALTERATIONS = {
    "drop table notice": "damaged (table notice is missing)",
    "drop index run_newest": "index run_newest is missing",
    "alter table setting add column theirs text": "table setting was altered: column theirs is foreign",
    "alter table setting rename column value to worth": "column value is missing, column worth is foreign",
    "drop table setting; create table setting(a)": "column name is missing",
    "create trigger theirs after insert on run begin select 1; end": "trigger theirs is foreign",
    "create unique index theirs on run(automation_id)": "index theirs is foreign",
}


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "ledger.db"
    migrate.prepare(made, START)
    return made


def alter(path, statement):
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()


@pytest.mark.parametrize("statement", ALTERATIONS)
def test_an_altered_schema_is_named_by_reader_writer_and_check(path, statement):
    alter(path, statement)
    wanted = ALTERATIONS[statement]
    for opened in (migrate.admit_reader, lambda path: migrate.prepare(path, START)):
        with pytest.raises(ForeignDatabaseError) as refused:
            opened(path)
        assert wanted in refused.value.message
        assert str(path) in refused.value.message
        assert "duly db check" in refused.value.fix and "duly db backup" in refused.value.fix
    faults = " ".join(check(path).faults)
    assert wanted.removeprefix("damaged (").removesuffix(")") in faults


def test_what_somebody_else_keeps_beside_does_no_harm(path):
    alter(path, "create table _replicator(seq); create index _r on _replicator(seq)")
    alter(path, "create view theirs as select run_id from run")
    migrate.admit_reader(path)
    migrate.prepare(path, START)
    assert "schema: view theirs is foreign" in check(path).faults


def test_a_version_that_cannot_be_is_damage(path):
    alter(path, "update schema_meta set version = 0")
    with pytest.raises(ForeignDatabaseError, match="names version 0"):
        migrate.prepare(path, START)


def test_a_table_that_goes_while_the_ledger_is_open_is_damage_too(tmp_path):
    path = tmp_path / "open.db"
    store = open_store(path)
    alter(path, "drop table workspace")
    with pytest.raises(ForeignDatabaseError, match="no such table"):
        store.read(lambda tx, _: tx.rows("workspace", workspace_id="w"), None)
    store.close()


def test_the_newest_migration_says_what_its_schema_hashes_to():
    """Written in its file: `-- sqlite schema HASH`; without it every start would pay for a fresh schema."""
    assert statements.sqlite_migrations()[-1].schema_sha256 == schema.expected_hash()


def test_an_older_schema_is_held_against_its_own_version(path, tmp_path):
    folder = tmp_path / "schema"
    shutil.copytree(statements.SCHEMA, folder)
    (folder / "0002_next.sql").write_text("create table later(x integer) /* strict */;")
    newer = statements.sqlite_migrations(folder)
    migrate.prepare(path, START, newer)
    migrate.admit_reader(path, newer)
    alter(path, "drop table later")
    with pytest.raises(ForeignDatabaseError, match="table later is missing"):
        migrate.admit_reader(path, newer)
