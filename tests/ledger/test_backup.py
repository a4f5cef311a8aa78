"""Backups of a living ledger, and the check that finds what is wrong with one."""

import threading

import apsw
import pytest

from duly.ledger.audit_chain import Head
from duly.ledger.sqlite import migrate, schema
from duly.ledger.sqlite.backup import backup
from duly.ledger.sqlite.check import check
from duly.model.errors import ConflictError, ForeignDatabaseError, UnavailableError
from tests.ledger.plans import explain_named
from tests.ledger.sqlite_parts import START, commit, names, open_store, put, stored

LOST_EXECUTION = """
insert into execution(run_id, fence, part, claim_id, state, token, argv, is_empty, started_at_us)
values ('r_lost', 1, 'main', 'c', 'intent', 't', '[]', 0, 1)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def store(path):
    opened = open_store(path)
    commit(opened, (put, "a"), (put, "b"), (put, "a"), (put, "a"))
    yield opened
    opened.close()


def change(path, sql):
    db = apsw.Connection(str(path))
    db.execute(sql)
    db.close()


def test_a_backup_is_a_whole_ledger_of_one_file_for_its_user_alone(store, path, tmp_path):
    target = tmp_path / "copy.db"
    backup(path, target)
    assert stored(target) == ["a", "a", "a", "b"]
    assert target.stat().st_mode & 0o777 == 0o600
    assert check(target).is_sound
    assert not list(tmp_path.glob("copy.db?*"))


def test_a_backup_taken_while_others_write_holds_an_instant(store, path, tmp_path):
    stop, rounds = threading.Event(), []

    def write():
        while not stop.is_set():
            rounds.append(commit(store, (put, "a"), (put, "b")))

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(5):
        backup(path, tmp_path / f"{number}.db")
    stop.set()
    writer.join()
    for number in range(5):
        found = stored(tmp_path / f"{number}.db")
        assert found.count("a") - found.count("b") == 2
        assert check(tmp_path / f"{number}.db").is_sound
    assert rounds


def test_a_backup_never_replaces_a_file(store, path, tmp_path):
    target = tmp_path / "precious"
    target.write_text("mine")
    with pytest.raises(ConflictError, match="exists already"):
        backup(path, target)
    assert target.read_text() == "mine"


def test_a_backup_of_or_to_nowhere_is_refused(store, path, tmp_path):
    with pytest.raises(ForeignDatabaseError):
        backup(tmp_path / "missing.db", tmp_path / "copy.db")
    with pytest.raises(UnavailableError, match="No such file"):
        backup(path, tmp_path / "missing" / "copy.db")


def test_a_sound_ledger_is_called_sound_and_its_heads_are_told(store, path):
    report = check(path)
    assert report.faults == ()
    assert {scope: head.seq for scope, head in report.heads.items()} == {"a": 3, "b": 1}


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        (
            "update audit set body = '{}x' where scope = 'a' and seq = 2",
            "audit chain of a: row 2 edited",
        ),
        ("delete from audit where scope = 'a' and seq = 1", "audit chain of a: row 1 missing"),
        ("delete from audit where scope = 'a' and seq = 3", "audit chain of a: row 3 cut off"),
        ("delete from audit where scope = 'b'", "audit chain of b: row 1 cut off"),
        ("create table theirs(x)", "schema: table theirs is foreign"),
        (
            LOST_EXECUTION,
            "execution without its attempt: 1 (r_lost)",
        ),
    ],
    ids=["edited", "missing", "cut off", "scope cut off", "schema", "invariant"],
)
def test_the_check_finds_what_was_done_behind_the_ledgers_back(store, path, sql, fault):
    anchors = check(path).heads
    change(path, sql)
    report = check(path, anchors)
    assert not report.is_sound
    assert any(fault in found for found in report.faults), report.faults


def test_an_anchor_finds_a_chain_that_was_written_anew(store, path):
    report = check(path, {"a": Head(3, "0" * 64)})
    assert report.faults == ("audit chain of a: row 3 written anew since it was anchored",)


def test_the_check_finds_damaged_bytes(store, path):
    commit(store, *[(put, f"row {number}") for number in range(300)])
    store.close()
    db = apsw.Connection(str(path))
    (root,) = db.execute("select rootpage from sqlite_schema where name = 'audit'").fetchone()
    db.close()
    whole = bytearray(path.read_bytes())
    whole[(root - 1) * 4096 : root * 4096] = bytes(4096)
    path.write_bytes(whole)
    report = check(path)
    assert any(fault.startswith("damaged") for fault in report.faults)
    with pytest.raises(ForeignDatabaseError):
        backup(path, path.with_name("copy.db"))
    assert not path.with_name("copy.db").exists()


def test_the_check_leaves_the_ledger_to_its_writer(store, path):
    check(path)
    assert commit(store, (put, "c")) == ["c"]
    assert store.read(names, None) == ["a", "a", "a", "b", "c"]


def test_a_schema_hash_follows_the_schema(path):
    migrate.prepare(path, START)
    db = apsw.Connection(str(path))
    assert schema.schema_hash(db) == schema.expected_hash()
    db.execute("create index extra on audit(kind)")
    assert schema.schema_hash(db) != schema.expected_hash()
    db.close()


def test_the_newest_audit_row_of_a_scope_is_found_by_a_seek(path):
    migrate.prepare(path, START)
    plan = explain_named(path, "audit_head", scope="a")
    assert "SEARCH audit USING INDEX" in plan
    assert "SCAN" not in plan and "TEMP B-TREE" not in plan
