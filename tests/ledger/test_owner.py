"""One owner for a data directory, freed by the kernel however it ends."""

import dataclasses
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from duly.ledger.sqlite.owner import OwnerFacts, acquire, read_owner
from duly.model.errors import OwnerConflictError, UnavailableError

FACTS = OwnerFacts(
    pid=4711,
    start_ticks=99,
    boot_id="boot",
    host="heron",
    url="http://127.0.0.1:8765",
    started_at=1_800_000_000_000_000,
    version="0.1.0",
)
OWNS = """
import sys, subprocess
from pathlib import Path
from duly.ledger.sqlite.owner import OwnerFacts, acquire
facts = OwnerFacts(pid=1, start_ticks=None, boot_id="b", host="h", url="", started_at=0, version="v")
owner = acquire(Path(sys.argv[1]), facts)
{then}
print("owned", flush=True)
sys.stdin.read()
"""
STARTS_A_CHILD = "subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'])"
FORKS = """
import os
wait, go = os.pipe()
if os.fork() == 0:
    os.write(go, b"x")
    sys.stdin.read()
    os._exit(0)
os.read(wait, 1)
"""


def start_owner(home, then=""):
    child = subprocess.Popen(
        [sys.executable, "-c", OWNS.format(then=then), str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "owned\n"
    return child


def kill(child):
    child.send_signal(signal.SIGKILL)
    child.wait()


def end(child):
    child.stdin.close()
    child.stdout.close()


def test_case_a04_the_second_owner_is_refused_and_told_who_is_first(home):
    with acquire(home, FACTS), pytest.raises(OwnerConflictError) as refused:
        acquire(home, dataclasses.replace(FACTS, pid=2))
    assert refused.value.code == "owned"
    for fact in ("4711", "heron", "2027-01-15T08:00:00Z", "http://127.0.0.1:8765"):
        assert fact in refused.value.message
    assert "kill 4711" in refused.value.fix


def test_an_owner_of_another_process_is_named_too(home):
    child = start_owner(home)
    with pytest.raises(OwnerConflictError, match="process 1 on h since 1970"):
        acquire(home, FACTS)
    assert read_owner(home).host == "h"
    kill(child)
    end(child)


def test_others_read_who_owns_the_directory_while_it_is_owned(home):
    assert read_owner(home) is None
    with acquire(home, FACTS) as owner:
        assert read_owner(home) == FACTS
        moved = dataclasses.replace(FACTS, url="")
        owner.publish(moved)
        assert read_owner(home) == moved
    assert read_owner(home) is None


def test_a_killed_owner_leaves_the_directory_free(home):
    child = start_owner(home)
    kill(child)
    assert read_owner(home) is None
    acquire(home, FACTS).release()
    end(child)


@pytest.mark.parametrize("then", [STARTS_A_CHILD, FORKS], ids=["exec", "fork"])
def test_a_child_that_lives_on_does_not_keep_the_directory(home, then):
    owner = start_owner(home, then)
    kill(owner)
    assert read_owner(home) is None
    acquire(home, FACTS).release()
    end(owner)


def test_waiting_for_the_owner_to_end_gets_the_directory(home):
    child = start_owner(home)
    waiting = []
    thread = threading.Thread(target=lambda: waiting.append(acquire(home, FACTS, wait_s=30)))
    thread.start()
    kill(child)
    thread.join()
    waiting[0].release()
    end(child)


def test_asking_who_owns_it_never_costs_another_the_directory(home):
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            read_owner(home)

    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    try:
        for _ in range(50):
            acquire(home, FACTS).release()
    finally:
        stop.set()
        for asker in askers:
            asker.join()


def test_a_missing_directory_is_said_so(tmp_path):
    with pytest.raises(UnavailableError, match="No such file"):
        acquire(tmp_path / "missing", FACTS)
    assert read_owner(tmp_path / "missing") is None


def test_the_lock_is_for_this_user_alone(home):
    with acquire(home, FACTS):
        assert os.stat(home / "owner.lock").st_mode & 0o777 == 0o600


def test_removing_the_lock_file_lets_nobody_else_in(home):
    with acquire(home, FACTS):
        (home / "owner.lock").unlink()
        for _ in range(2):
            with pytest.raises(OwnerConflictError, match="does not say who it is"):
                acquire(home, FACTS)
        with pytest.raises(UnavailableError, match="does not say who it is"):
            read_owner(home)
    acquire(home, FACTS).release()


def test_a_lock_on_the_file_alone_counts_too(home):
    file = os.open(home / "owner.lock", os.O_RDWR | os.O_CREAT)
    os.write(file, json.dumps(dataclasses.asdict(FACTS)).encode())
    fcntl.flock(file, fcntl.LOCK_EX)
    assert read_owner(home) == FACTS
    with pytest.raises(OwnerConflictError, match="4711"):
        acquire(home, FACTS)
    os.close(file)
    acquire(home, FACTS).release()


def test_an_owner_puts_back_the_lock_file_that_somebody_removed(home):
    with acquire(home, FACTS) as owner:
        (home / "owner.lock").unlink()
        assert owner.keep()
        assert read_owner(home) == FACTS
        with pytest.raises(OwnerConflictError, match="4711"):
            acquire(home, FACTS)
    assert read_owner(home) is None


def test_a_lock_file_that_another_made_instead_becomes_the_owners_own(home):
    with acquire(home, FACTS) as owner:
        (home / "owner.lock").unlink()
        with pytest.raises(OwnerConflictError, match="does not say who it is"):
            acquire(home, FACTS)
        assert owner.keep()
        file = os.open(home / "owner.lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(file)
        assert read_owner(home) == FACTS


def test_who_asks_meanwhile_finds_the_owner_once_the_file_is_put_back(home):
    with acquire(home, FACTS) as owner:
        (home / "owner.lock").unlink()
        found = []
        thread = threading.Thread(target=lambda: found.append(read_owner(home)))
        thread.start()
        assert owner.keep()
        thread.join()
    assert found == [FACTS]


def test_a_directory_that_was_moved_away_is_no_place_to_go_on_in(home):
    with acquire(home, FACTS) as owner:
        home.rename(home.with_name("elsewhere"))
        assert not owner.keep()
        home.mkdir()
        assert not owner.keep()
        acquire(home, FACTS).release()
