"""Readers: a snapshot each, beside the writer, unable to write."""

import threading

import apsw
import pytest

from tests.ledger.sqlite_parts import commit, names, open_store, put, raw


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "ledger.db")
    yield opened
    opened.close()


def test_a_reader_cannot_write(store):
    with pytest.raises(apsw.ReadOnlyError):
        store.read(put, "x")
    with pytest.raises(apsw.ReadOnlyError):
        store.read(raw, "create table theirs(x)")
    assert store.read(names, None) == []


def test_a_reader_sees_one_instant_while_others_commit(store):
    commit(store, (put, "a"))

    def twice(tx, _):
        before = names(tx)
        assert commit(store, (put, "b")) == ["b"]
        return before, names(tx)

    assert store.read(twice, None) == (["a"], ["a"])
    assert store.read(names, None) == ["a", "b"]


def test_a_commit_is_seen_by_every_read_that_follows(store):
    for number in range(50):
        commit(store, (put, f"{number:02}"))
        assert len(store.read(names, None)) == number + 1


def test_a_failed_read_leaves_the_next_one_whole(store):
    def fail(tx, _):
        names(tx)
        raise LookupError("mine")

    for _ in range(3):
        with pytest.raises(LookupError):
            store.read(fail, None)
        assert store.read(names, None) == []


def test_readers_on_many_threads_do_not_wait_for_the_writer(store):
    commit(store, (put, "a"))
    found = []

    def write_while_others_read(tx, _):
        put(tx, "b")
        threads = [
            threading.Thread(target=lambda: found.append(store.read(names, None))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    commit(store, (write_while_others_read, None))
    assert found == [["a"]] * 4


def test_connections_are_used_again(store):
    for _ in range(20):
        store.read(names, None)
    assert len(store._readers._idle) == 1
