"""Power cuts: the files are rebuilt as a disk may leave them, and no acknowledged commit is missing."""

import random

import apsw
import pytest

from duly.ledger.api.core import DURABLE, RELAXED
from duly.ledger.sqlite.store import Member
from tests.ledger.sqlite_parts import Clock, Disk, open_store, put

GROUPS = 40
CUTS = 300
SECTOR = 512


class Recorder(Disk):
    """Keeps every write, sync and truncation in order; a sync of the log may fail and lose what it should have kept."""

    def __init__(self):
        super().__init__("recorder")
        self.log, self.losses = [], 0

    def before_write(self, file, data, offset):
        self.log.append(("write", file.name, offset, data))

    def before_sync(self, file):
        if self.losses and file.name.endswith("-wal"):
            self.losses -= 1
            self.log.append(("lose", file.name, 0, b""))
            raise apsw.IOError("fsync")
        self.log.append(("sync", file.name, 0, b""))

    def before_truncate(self, file, size):
        self.log.append(("truncate", file.name, size, b""))


def apply(files, operation):
    kind, name, offset, data = operation
    content = files.setdefault(name, bytearray())
    if kind == "truncate":
        del content[offset:]
    else:
        content.extend(bytes(max(0, offset - len(content))))
        content[offset : offset + len(data)] = data


def torn(operation, chance):
    """Return what of an unsynced operation reached the disk: all, nothing, or its first sectors."""
    kind, name, offset, data = operation
    lot = chance.random()
    if lot < 0.4:
        return None
    if lot < 0.6 and kind == "write" and len(data) > SECTOR:
        return kind, name, offset, data[: SECTOR * chance.randrange(1, len(data) // SECTOR + 1)]
    return operation


def cut(start, log, chance):
    """Return the files after a power cut behind the last operation of `log`."""
    files = {name: bytearray(content) for name, content in start.items()}
    unsynced = {}
    for operation in log:
        if operation[0] == "sync":
            for each in unsynced.pop(operation[1], []):
                apply(files, each)
        elif operation[0] == "lose":
            # The kernel drops pages that it could not write, and a later sync does not miss them.
            unsynced.pop(operation[1], None)
        else:
            unsynced.setdefault(operation[1], []).append(operation)
    for pending in unsynced.values():
        for operation in pending:
            if (left := torn(operation, chance)) is not None:
                apply(files, left)
    return files


def write_groups(path, disk, losses_at=(), losses_in_checkpoint=()):
    """Commit groups of both durabilities; return (log position, name, is durable) of each acknowledged member."""
    store = open_store(path, Clock(), vfs=disk.vfs)
    start = {str(path): path.read_bytes()}
    disk.log.clear()
    acknowledged = []
    for number in range(GROUPS):
        durability = RELAXED if number % 4 == 1 else DURABLE
        members = [f"{number:02}-{index}" for index in range(number % 5 + 1)]
        disk.losses = int(number in losses_at)
        answers = store.commit(
            [Member(fn=put, command=each, durability=durability) for each in members]
        )
        acknowledged += [
            (len(disk.log), answer.result, durability is DURABLE)
            for answer in answers
            if answer.error is None
        ]
        if number % 13 == 12:
            fails = number in losses_in_checkpoint
            disk.losses = int(fails)
            assert store.checkpoint() is not fails
    log = list(disk.log)
    store.close()
    return start, log, acknowledged


def found_after(files, path, folder):
    for name, content in files.items():
        (folder / name.rpartition("/")[2]).write_bytes(content)
    db = apsw.Connection(str(folder / path.name), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        assert db.pragma("integrity_check") == "ok"
        return {row[0] for row in db.execute("select scope from audit")}
    finally:
        db.close()
        for leftover in folder.iterdir():
            leftover.unlink()


def sample(tmp_path, count, seed):
    path, disk, folder = tmp_path / "ledger.db", Recorder(), tmp_path / "after"
    folder.mkdir()
    start, log, acknowledged = write_groups(path, disk)
    chance = random.Random(seed)
    order = [name for _, name, _ in acknowledged]
    for _ in range(count):
        position = chance.randrange(len(log) + 1)
        found = found_after(cut(start, log[:position], chance), path, folder)
        lost = {name for at, name, durable in acknowledged if durable and at <= position} - found
        assert not lost, f"cut {position}: {sorted(lost)}"
        # Commits survive in order: nothing is there without everything before it.
        assert found == set(order[: len(found)])


def test_no_acknowledged_commit_is_lost_to_a_power_cut(tmp_path):
    sample(tmp_path, CUTS, 1)


@pytest.mark.long
def test_no_acknowledged_commit_is_lost_to_many_power_cuts(tmp_path):
    sample(tmp_path, 20_000, 2)


@pytest.mark.parametrize(
    ("at", "in_checkpoint"), [((4, 16, 28), ()), ((), (25,))], ids=["commit", "checkpoint"]
)
def test_no_commit_is_lost_that_follows_a_sync_which_lost_its_pages(tmp_path, at, in_checkpoint):
    path, disk, folder = tmp_path / "ledger.db", Recorder(), tmp_path / "after"
    folder.mkdir()
    start, log, acknowledged = write_groups(path, disk, at, in_checkpoint)
    assert sum(operation[0] == "lose" for operation in log) == len(at + in_checkpoint)
    chance = random.Random(4)
    for _ in range(CUTS // 3):
        position = chance.randrange(len(log) + 1)
        found = found_after(cut(start, log[:position], chance), path, folder)
        lost = {name for at, name, durable in acknowledged if durable and at <= position} - found
        assert not lost, f"cut {position}: {sorted(lost)}"


def test_the_cuts_would_find_a_ledger_that_does_not_wait_for_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.ledger.test_power_cut.DURABLE", RELAXED)
    path, disk, folder = tmp_path / "ledger.db", Recorder(), tmp_path / "after"
    folder.mkdir()
    start, log, acknowledged = write_groups(path, disk)
    chance = random.Random(3)
    cuts = [chance.randrange(len(log) + 1) for _ in range(30)]
    assert any(
        {name for at, name, _ in acknowledged if at <= position}
        - found_after(cut(start, log[:position], chance), path, folder)
        for position in cuts
    )
