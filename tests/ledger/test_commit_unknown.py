"""A commit that failed on its way to the disk: nobody is told more than is known, and the ledger finds out."""

import threading

import apsw
import pytest

from duly.ledger.sqlite import connection, readers
from duly.model.errors import CommitUnknownError, UnavailableError
from tests.ledger.sqlite_parts import (
    Clock,
    Disk,
    commit,
    copy_as_crashed,
    names,
    open_store,
    put,
    stored,
)

COMMIT_MARK = slice(4, 8)  # in a frame's header: not zero in the last frame of a commit
FRAME_HEADER_BYTES = 24


class Sick(Disk):
    """Fails to sync or write the log while it is ill; keeps a copy of the files as the first failure left them."""

    syncs = writes = 0
    path = folder = crashed = None

    def before_sync(self, file):
        if self.syncs and file.name.endswith("-wal"):
            self.syncs -= 1
            self.fail("fsync")

    def before_write(self, file, data, _offset):
        is_frame = len(data) == FRAME_HEADER_BYTES and file.name.endswith("-wal")
        if self.writes and is_frame and any(data[COMMIT_MARK]):
            self.writes -= 1
            self.fail("write")

    def fail(self, what):
        if self.crashed is None:
            self.crashed = copy_as_crashed(self.path, self.folder)
        raise apsw.IOError(what)


@pytest.fixture
def disk(tmp_path):
    sick = Sick()
    sick.path, sick.folder = tmp_path / "ledger.db", tmp_path / "crashed"
    return sick


@pytest.fixture
def store(disk):
    opened = open_store(disk.path, vfs=disk.vfs)
    commit(opened, (put, "before"))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("failing", "lands"), [("syncs", True), ("writes", False)], ids=["sync", "write"]
)
def test_after_reopening_the_ledger_says_what_a_crash_would_have_shown(
    store, disk, tmp_path, failing, lands
):
    setattr(disk, failing, 1)
    answers = commit(store, (put, "a"), (put, "b"))
    assert [type(answer) for answer in answers] == [CommitUnknownError] * 2
    found = store.read(names, None)
    assert found == stored(disk.crashed) == (["a", "b", "before"] if lands else ["before"])
    assert commit(store, (put, "c")) == ["c"]
    assert store.read(names, None) == sorted([*found, "c"])
    assert stored(copy_as_crashed(disk.path, tmp_path / "later")) == sorted([*found, "c"])


def test_nothing_follows_a_doubtful_commit_in_the_log(store, disk):
    disk.syncs = 1
    commit(store, (put, "a"))
    # What the failed sync may have lost was copied into the database and synced there.
    assert disk.path.with_name("ledger.db-wal").stat().st_size == 0


def test_while_the_disk_stays_ill_the_ledger_is_unavailable_and_then_it_is_back(store, disk):
    disk.syncs = 4
    answers = [commit(store, (put, name))[0] for name in ("a", "b", "c", "d", "e", "f")]
    kinds = [type(answer) for answer in answers]
    assert kinds[0] is CommitUnknownError
    assert UnavailableError in kinds
    assert answers[-1] == "f"
    landed = {name for name, answer in zip("abcdef", answers, strict=True) if answer == name}
    assert landed <= set(store.read(names, None)) <= {"before", "a", *landed}


def test_a_reader_in_the_way_delays_reopening_but_nobody_is_misled(store, disk, monkeypatch):
    monkeypatch.setattr(readers, "_WAIT_S", 0.05)
    reading, finish = threading.Event(), threading.Event()

    def long_read(tx, _):
        seen = names(tx)
        reading.set()
        finish.wait()
        return [seen, names(tx)]

    found = []
    reader = threading.Thread(target=lambda: found.append(store.read(long_read, None)))
    reader.start()
    reading.wait()
    disk.syncs = 1
    assert type(commit(store, (put, "a"))[0]) is CommitUnknownError
    assert type(commit(store, (put, "b"))[0]) is UnavailableError
    with pytest.raises(UnavailableError):
        store.read(names, None)
    finish.set()
    reader.join()
    assert found == [[["before"], ["before"]]]
    assert commit(store, (put, "c")) == ["c"]
    assert store.read(names, None) == ["a", "before", "c"]


def test_a_member_that_fails_on_the_disk_alone_is_not_of_unknown_fate(disk):
    store = open_store(disk.path, Clock(), vfs=disk.vfs)

    def ill(tx, _):
        put(tx, "ill")
        raise apsw.IOError("read")

    answers = commit(store, (put, "a"), (ill, None), (put, "b"))
    assert [type(answer) for answer in answers] == [str, UnavailableError, str]
    assert store.read(names, None) == ["a", "b"]
    store.close()


def test_what_a_killed_owner_left_in_the_log_is_settled_before_anything_follows_it(store, disk):
    commit(store, (put, "a"))
    left = copy_as_crashed(disk.path, disk.folder)
    log = left.with_name("ledger.db-wal")
    assert log.stat().st_size > 0
    again = open_store(left)
    assert log.stat().st_size == 0
    assert again.read(names, None) == ["a", "before"]
    again.close()


def test_somebody_who_reads_does_not_keep_a_new_owner_out(store, disk, monkeypatch):
    monkeypatch.setattr(connection, "_BUSY_MS", 50)
    commit(store, (put, "a"))
    left = copy_as_crashed(disk.path, disk.folder)
    reader = connection.open_reader(left)
    reader.execute("begin; select count(*) from audit")
    again = open_store(left)
    assert commit(again, (put, "b")) == ["b"]
    assert again.read(names, None) == ["a", "b", "before"]
    reader.close()
    again.close()
