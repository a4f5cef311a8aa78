"""A ledger that somebody altered by hand gets one clear error, and what is sound goes on."""

import json
import sqlite3

import pytest

COMMANDS = [("status",), ("run", "first"), ("run", "first", "--wait"), ("tick",), ("serve",)]


@pytest.fixture
def two(duly):
    for key in ("first", "second"):
        assert duly("add", key, "--cron", "0 9 * * *", "--", "true").code == 0
    return duly


def alter(duly, statement):
    db = sqlite3.connect(duly.home / "ledger.db")
    with db:
        db.execute(statement)
    db.close()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_dropped_table_is_one_error_with_its_next_step(two, command):
    alter(two, "drop table notice")
    told = two(*command)
    assert told.code == 2
    assert told.err.count("error:") == 1 and len(told.err.splitlines()) == 1
    for fact in (str(two.home / "ledger.db"), "notice is missing", "db check", "db backup"):
        assert fact in told.err
    assert not (two.home / "logs" / "crash.log").exists()


def test_the_check_says_what_is_missing_and_the_doctor_too(two):
    alter(two, "alter table setting rename column value to worth")
    told = two("db", "check", "--json")
    assert "column value is missing" in json.dumps(told.json)
    assert "column value is missing" in two("doctor").out


def test_a_table_that_goes_under_a_server_is_told_by_it(two):
    run = two("run", "first", "--wait", "--json").json["run"]["id"]
    with two.serving():
        alter(two, "drop table artifact")
        told = two("runs", "show", run)
        assert "is damaged (no such table: artifact)" in told.err
        assert "db check" in told.err


ALTERED = {
    "work": "update revision set work = '{}'",
    "timing": "update revision set timing = '{\"rule\":7}'",
    "definition": "update revision set definition = '{nope'",
    "gone": "delete from revision",
}
OF_FIRST = " where automation_id = (select automation_id from automation where job_key = 'first')"


@pytest.mark.parametrize("what", ALTERED)
def test_a_plan_that_cannot_be_read_is_named_and_others_go_on(two, what):
    alter(two, ALTERED[what] + OF_FIRST)
    for command in (("run", "first"), ("explain", "first"), ("automation", "show", "first")):
        told = two(*command)
        assert told.code == 2
        for fact in ("damaged", "automation first, revision 1", "db check", "db backup"):
            assert fact in told.err
    assert two("run", "second", "--wait").code == 0
