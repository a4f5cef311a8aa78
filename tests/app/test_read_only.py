"""A data directory that may only be read answers what is asked of it, and refuses changes in one line."""

import ctypes
import shutil
import stat
import subprocess
import sys

import pytest

from tests.interfaces.front import SOON_S, Ended

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
LIBC = ctypes.CDLL(None)

READS = [
    ("status",),
    ("runs", "list"),
    ("automation", "list"),
    ("automation", "show", "first"),
    ("explain", "first"),
    ("db", "check"),
]
WRITES = [("run", "first"), ("run", "first", "--wait"), ("tick",), ("serve",)]


def take_rights():
    """Let files' rights count for root too; whoever is not root may not do this, and needs it not."""
    for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        LIBC.prctl(PR_CAPBSET_DROP, right, 0, 0, 0)


def ask(duly, *arguments):
    ended = subprocess.run(
        [sys.executable, "-m", "duly", *arguments],
        cwd=duly.here,
        env=duly.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=SOON_S,
        preexec_fn=take_rights,
    )
    return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)


def take_away(home):
    for path in (home, *home.rglob("*")):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)


def give_back(home):
    for path in (home, *home.rglob("*")):
        path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o200)


@pytest.fixture
def frozen(duly):
    assert duly("add", "first", "--cron", "0 9 * * *", "--", "true").code == 0
    assert duly("run", "first", "--wait").code == 0
    take_away(duly.home)
    yield duly
    give_back(duly.home)


@pytest.mark.parametrize("command", READS, ids=" ".join)
def test_what_only_looks_is_answered(frozen, command):
    told = ask(frozen, *command)
    assert (told.code, told.err) == (0, "")
    assert told.out


@pytest.mark.parametrize("command", WRITES, ids=" ".join)
def test_what_would_write_is_refused_in_one_line(frozen, command):
    told = ask(frozen, *command)
    assert told.code == 9
    assert told.err.count("\n") == 1
    assert f"error: {frozen.home} may only be read" in told.err
    assert "Give this user the right to write there" in told.err


def test_a_ledger_that_a_server_writes_is_read_through_its_log(duly):
    with duly.serving():
        assert duly("add", "first", "--cron", "0 9 * * *", "--", "true").code == 0
        duly.home.chmod(0o500)
        told = ask(duly, "db", "check")
        duly.home.chmod(0o700)
        assert (told.code, told.err) == (0, "")


def test_a_log_without_its_index_is_not_passed_over(duly):
    with duly.serving() as served:
        assert duly("add", "first", "--cron", "0 9 * * *", "--", "true").code == 0
        copy = duly.home.with_name("copy")
        shutil.copytree(duly.home, copy)
        assert (copy / "ledger.db-wal").stat().st_size
        assert served.process.poll() is None
    (copy / "ledger.db-shm").unlink()
    take_away(copy)
    told = ask(duly, "--home", str(copy), "status")
    give_back(copy)
    assert told.code == 9
    assert "still in its log" in told.err and "Copy the directory" in told.err
    assert "first" in duly("--home", str(copy), "automation", "list").out
