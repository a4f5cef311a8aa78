"""Who may own the data directory next, and who waits for whom."""

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from duly.app.front_door import FrontDoor
from duly.app.turn import take
from duly.interfaces.cli.codes import Exit
from duly.ledger.sqlite import owner
from duly.model.errors import OwnerConflictError
from tests.interfaces.front import SOON_S, until

MANY = 30
# Programs that have all they need in memory start closer together than any shell could start them.
AT_ONCE = """
import os, sys
from duly.app.front_door import FrontDoor
from duly.interfaces.cli.root import run

run(("explain", "first"), FrontDoor)
sys.stdout.flush()
wait, go = os.pipe()
pids = []
for number in range(int(sys.argv[1])):
    pids.append(os.fork())
    if not pids[-1]:
        os.close(go)
        os.read(wait, 1)
        code = run(("run", "first", "--idempotency-key", f"key-{number}"), FrontDoor)
        sys.stderr.flush()
        os._exit(code)
os.close(go)
print("codes", *(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids))
"""


@pytest.fixture
def one(duly):
    assert duly("add", "first", "--cron", "0 9 * * *", "--", "true").code == 0
    return duly


def test_many_commands_at_one_instant_all_get_their_turn(one):
    ended = subprocess.run(
        [sys.executable, "-c", AT_ONCE, str(MANY)],
        cwd=one.here,
        env=one.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=SOON_S,
    )
    assert ended.stdout.splitlines()[-1] == "codes " + " ".join(["0"] * MANY), ended.stderr


def test_who_writes_a_little_is_waited_for_longer_than_who_works(one, monkeypatch):
    monkeypatch.setattr("duly.app.turn._BRIEF_S", 0.4)
    monkeypatch.setattr("duly.app.turn._WORKING_S", 0.0)
    front = FrontDoor(None)
    tries = []

    def facts():
        tries.append(1)
        return front.facts("", is_brief=True)

    for is_brief in (False, True):
        tries.clear()
        with (
            owner.acquire(one.home, front.facts("", is_brief=is_brief)),
            pytest.raises(OwnerConflictError, match=f"process {os.getpid()} on"),
        ):
            take(one.home, facts)
        assert (len(tries) > 1) is is_brief


def test_one_that_has_ended_is_not_taken_for_the_new_owner_that_still_writes_its_name(one):
    front = FrontDoor(None)
    ended = subprocess.Popen(["true"])
    ended.wait()
    stale = replace(front.facts("http://127.0.0.1:9", is_brief=False), pid=ended.pid)
    fresh = front.facts("http://127.0.0.1:8", is_brief=False)
    with owner.acquire(one.home, stale) as held:
        assert front.url() is None
        assert one("status").code == 0
        found = []
        thread = threading.Thread(target=lambda: found.append(front.url()))
        thread.start()
        held.publish(fresh)
        thread.join()
    assert found == [fresh.url]


def test_a_server_whose_lock_file_was_removed_is_found_and_stays_the_only_one(one):
    with one.serving() as served:
        lock = one.home / "owner.lock"
        lock.unlink()
        assert one("run", "first", "--idempotency-key", "1").code == 0
        lock.unlink(missing_ok=True)
        second = one.program("serve")
        assert second.code == Exit.CONFLICT
        assert f"serving {served.url}" in second.err
        until(lock.exists)
        assert one("status").code == 0
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(SOON_S) == 0


def test_a_server_ends_where_its_directory_was_taken_away(one):
    with one.serving() as served:
        one.home.rename(one.home.with_name("elsewhere"))
        assert served.process.wait(SOON_S) == 1
    assert one("status").code == 0
