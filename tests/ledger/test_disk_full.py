"""A full disk: refused early, nothing lost, and what already happened outside can still be recorded."""

import os
import shutil
import subprocess
import sys

import apsw
import pytest

from duly.ledger.api.core import MUST_LAND
from duly.ledger.sqlite import check
from duly.ledger.sqlite.space import MEBIBYTE, Space, SpaceLimits
from duly.ledger.sqlite.store import Member
from duly.model.errors import LedgerFullError
from tests.ledger.sqlite_parts import SMALL, Disk, Timer, commit, names, open_store, put

SECOND_NS = 1_000_000_000


class Counted(Disk):
    """A disk that takes `room` bytes more than its files hold when it is filled; the ballast counts."""

    def __init__(self, folder):
        super().__init__("counted")
        self.folder, self.limit = folder, None

    def used(self):
        return sum(entry.stat().st_size for entry in self.folder.iterdir())

    def fill(self):
        self.limit = self.used()

    def empty(self):
        self.limit = None

    def before_write(self, file, data, offset):
        grows = offset + len(data) - file.xFileSize()
        if self.limit is not None and grows > 0 and self.used() + grows > self.limit:
            raise apsw.FullError("counted")


class Mounted:
    """A small file system of its own, filled by another program's file."""

    vfs = ""

    def __init__(self, folder):
        self.folder = folder
        self.filler = folder / "filler"

    def fill(self):
        with self.filler.open("wb", buffering=0) as file:
            for size in (65_536, 4_096):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    continue

    def empty(self):
        self.filler.unlink()


def mount(folder):
    command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def unmount(folder):
    subprocess.run(["umount", "-l", str(folder)], check=True)


def can_mount(folder):
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("mount"):
        return False
    if is_mounted := mount(folder):
        unmount(folder)
    return is_mounted


@pytest.fixture(params=["counted", "mounted"])
def disk(request, tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    # Where nothing can be mounted the counted disk stands in: every claim is tested everywhere.
    if request.param == "counted" or not can_mount(folder):
        yield Counted(folder)
        return
    mount(folder)
    yield Mounted(folder)
    unmount(folder)


@pytest.fixture
def timer():
    return Timer()


@pytest.fixture
def store(disk, timer):
    opened = open_store(disk.folder / "ledger.db", vfs=disk.vfs, timer=timer, deadline_us=10**9)
    commit(opened, (put, "before"))
    yield opened
    opened.close()


def put_long(tx, name):
    tx.audit(name, "put", {"text": "x" * 100_000}, "test")
    return name


def fill_the_ledger(store):
    written = []
    while (answer := commit(store, (put_long, f"n{len(written):03}"))[0]) == f"n{len(written):03}":
        written.append(answer)
    assert isinstance(answer, LedgerFullError)
    return written


def test_a_full_disk_refuses_the_member_and_keeps_what_was_committed(store, disk):
    disk.fill()
    written = fill_the_ledger(store)
    assert store.read(names, None) == ["before", *written]
    disk.empty()
    assert commit(store, (put, "z")) == ["z"]
    assert store.read(names, None) == ["before", *written, "z"]


def test_in_a_full_group_each_member_learns_its_own_fate(store, disk):
    disk.fill()
    fill_the_ledger(store)
    answers = commit(store, (put_long, "p"), (put_long, "q"))
    assert [type(answer) for answer in answers] == [LedgerFullError] * len(answers)


def test_an_outcome_lands_on_a_full_disk(store, disk, timer):
    disk.fill()
    written = fill_the_ledger(store)
    answer = store.commit([Member(fn=put_long, command="z", durability=MUST_LAND)])[0]
    assert answer.result == "z"
    assert store.read(names, None) == ["before", *written, "z"]
    assert store.is_low_on_space
    store.close()
    assert check.check(disk.folder / "ledger.db").is_sound


def test_the_ballast_returns_with_the_room(store, disk, timer):
    ballast = disk.folder / "ledger.db.ballast"
    assert ballast.stat().st_size == SMALL.ballast_bytes
    disk.fill()
    fill_the_ledger(store)
    store.commit([Member(fn=put_long, command="z", durability=MUST_LAND)])
    assert not ballast.exists()
    disk.empty()
    timer.now += 2 * SECOND_NS
    store.tidy(is_idle=True)
    assert ballast.stat().st_size == SMALL.ballast_bytes
    assert not store.is_low_on_space


def test_no_half_ledger_is_made_on_a_full_disk(tmp_path):
    if not can_mount(tmp_path):
        return
    mount(tmp_path)
    try:
        full = Mounted(tmp_path)
        full.fill()
        with pytest.raises(LedgerFullError, match="no space"):
            open_store(tmp_path / "ledger.db")
        assert os.listdir(tmp_path) == ["filler"]
        full.empty()
        open_store(tmp_path / "ledger.db").close()
    finally:
        unmount(tmp_path)


def test_room_is_called_low_before_it_is_gone(tmp_path):
    def is_low(**limits):
        return Space(tmp_path / "ledger.db", SpaceLimits(**limits), Timer()).is_low

    assert not is_low(free_bytes_min=MEBIBYTE, ballast_bytes=4096)
    assert is_low(free_bytes_min=1 << 60, ballast_bytes=4096)


def test_a_disk_too_small_for_the_ballast_is_low_from_the_start(tmp_path):
    space = Space(
        tmp_path / "ledger.db", SpaceLimits(free_bytes_min=0, ballast_bytes=1 << 60), Timer()
    )
    assert space.is_low
    assert not space.ballast.exists()


def test_the_disk_is_looked_at_once_a_second(tmp_path, monkeypatch):
    looks = []
    real = os.statvfs
    monkeypatch.setattr(os, "statvfs", lambda path: looks.append(path) or real(path))
    timer = Timer()
    space = Space(tmp_path / "ledger.db", SMALL, timer)
    looks.clear()
    for _ in range(100):
        assert not space.is_low
    assert len(looks) <= 1
    timer.now += SECOND_NS
    assert not space.is_low
    assert len(looks) <= 2


WRITES_UNTIL_REFUSED = """
import os, resource, signal, sys
from pathlib import Path
from duly.ledger.sqlite import migrate
from duly.ledger.sqlite.space import SpaceLimits
from duly.ledger.sqlite.store import Member, Store, StoreOptions
from duly.model.errors import UnavailableError
migrate.prepare(Path(sys.argv[1]), 1)
limits = SpaceLimits(ballast_bytes=4096, free_bytes_min=0)
store = Store(Path(sys.argv[1]), lambda: 1, lambda session: session, StoreOptions(limits=limits))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
def put(tx, name):
    tx.audit(name, "put", {"text": "x" * 20_000}, "test")
for number in range(200):
    answer = store.commit([Member(fn=put, command=f"{number:03}")])[0]
    assert answer.error is None or isinstance(answer.error, UnavailableError), answer.error
    print(f"{number:03}" if answer.error is None else type(answer.error).__name__)
"""


def test_a_file_that_may_not_grow_loses_no_acknowledged_commit(tmp_path):
    path = tmp_path / "ledger.db"
    command = [sys.executable, "-c", WRITES_UNTIL_REFUSED, str(path)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    landed = {name for name in told if name.isdecimal()}
    assert 10 < len(landed) < 200
    store = open_store(path)
    assert landed <= set(store.read(names, None)) <= {f"{number:03}" for number in range(200)}
    assert commit(store, (put, "z")) == ["z"]
    store.close()
    assert check.check(path).is_sound
