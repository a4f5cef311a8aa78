"""The writer thread: groups from many threads, answers after the commit, a loud end."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.sqlite.store import StoreOptions
from duly.model.errors import CommitUnknownError, UnavailableError
from tests.ledger.sqlite_parts import SMALL, Clock, fail_after_put, names, put, stored


def open_ledger(path, **named):
    return SqliteLedger(path, Clock(), lambda session: session, StoreOptions(limits=SMALL), **named)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def ledger(path):
    opened = open_ledger(path)
    yield opened
    opened.close()


def test_what_was_written_is_read(ledger):
    assert ledger.write(put, "a") == "a"
    assert ledger.read(names, None) == ["a"]


def test_an_error_is_raised_where_it_was_asked_for(ledger):
    with pytest.raises(LookupError):
        ledger.write(fail_after_put, "a")
    assert ledger.read(names, None) == []


def test_many_threads_share_commits_and_each_gets_its_own_answer(ledger):
    def write(number):
        if number % 7 == 0:
            with pytest.raises(LookupError):
                ledger.write(fail_after_put, f"{number:03}")
            return None
        return ledger.write(put, f"{number:03}")

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(write, range(300)))
    assert [answer for answer in answers if answer] == ledger.read(names, None)


def test_answers_come_in_order_of_submission(ledger):
    answers, last = [], threading.Event()
    for number in range(700):
        ledger.submit(put, f"{number:03}", lambda result, _: answers.append(result))
    ledger.submit(put, "last", lambda *_: last.set())
    last.wait()
    assert answers == [f"{number:03}" for number in range(700)]


def test_keys_are_posted_once_their_commit_can_be_read(ledger):
    posted, found = threading.Event(), []

    def on_wake(keys):
        found.append((keys, ledger.read(names, None)))
        posted.set()

    ledger.on_wake = on_wake
    ledger.write(put, "a")
    posted.wait()
    assert found == [(frozenset({"a"}), ["a"])]


def test_a_commit_that_wakes_nobody_posts_nothing(ledger):
    posted = []
    ledger.on_wake = posted.append
    ledger.write(names, None)
    ledger.write(put, "a")
    ledger.write(names, None)
    assert posted == [frozenset({"a"})]


def test_closing_commits_what_was_submitted_and_refuses_the_rest(path):
    ledger = open_ledger(path)
    answers = []
    for number in range(300):
        ledger.submit(put, f"{number:03}", lambda result, _: answers.append(result))
    ledger.close()
    assert len(answers) == 300
    assert len(stored(path)) == 300
    with pytest.raises(UnavailableError, match="closed"):
        ledger.write(put, "late")
    ledger.close()


def test_a_closed_ledger_is_one_file_and_its_ballast(path):
    ledger = open_ledger(path)
    ledger.write(put, "a")
    ledger.read(names, None)
    ledger.close()
    assert sorted(entry.name for entry in path.parent.iterdir()) == [
        "ledger.db",
        "ledger.db.ballast",
    ]


def test_the_writer_does_not_wait_for_itself(ledger):
    refused = []

    def write_again(_result, _error):
        with pytest.raises(AssertionError) as caught:
            ledger.write(put, "b")
        refused.append(caught)

    ledger.submit(put, "a", write_again)
    ledger.write(names, None)
    assert refused


def die(_tx, _command):
    raise SystemExit("died")


@pytest.fixture
def uncaught(monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    return seen


def test_a_writer_that_dies_says_so_and_refuses_everything(path, uncaught):
    deaths, answers, all_in = [], [], threading.Event()
    ledger = open_ledger(path, on_death=deaths.append)
    ledger.write(put, "before")
    ledger.submit(lambda *_: all_in.wait(), None, lambda *_: None)
    ledger.submit(die, None, lambda _, error: answers.append(error))
    for _ in range(300):
        ledger.submit(put, "waits", lambda _, error: answers.append(error))
    all_in.set()
    ledger._thread.join()
    assert [type(death) for death in deaths] == [SystemExit]
    assert [type(args.exc_value) for args in uncaught] == [SystemExit]
    # Those that shared its group cannot know; the others were never begun.
    kinds = [type(answer) for answer in answers]
    assert kinds == sorted(kinds, key=[CommitUnknownError, UnavailableError].index)
    assert set(kinds) == {CommitUnknownError, UnavailableError}
    assert len(kinds) == 301
    with pytest.raises(UnavailableError, match="died"):
        ledger.write(put, "after")
    ledger.close()
    assert stored(path) == ["before"]


def test_an_answer_that_fails_ends_the_writer_and_no_answer_is_lost(path, uncaught):
    ledger = open_ledger(path)
    answers, all_in = [], threading.Event()

    def fail(*_):
        raise LookupError("a fault of the caller")

    ledger.submit(lambda *_: all_in.wait(), None, lambda *_: None)
    ledger.submit(put, "a", fail)
    ledger.submit(put, "b", lambda result, error: answers.append(error or result))
    all_in.set()
    ledger._thread.join()
    assert [type(answer) for answer in answers] == [CommitUnknownError]
    assert len(uncaught) == 1
    ledger.close()
    assert stored(path) == ["a", "b"]


WRITES_AND_TELLS = """
import os, sys, threading
from pathlib import Path
from duly.ledger.sqlite.ledger import SqliteLedger
ledger = SqliteLedger(Path(sys.argv[1]), lambda: 1, lambda session: session)
def put(tx, name):
    tx.audit(name, "put", {}, "test")
    return name
def client(number):
    for count in range(100_000):
        os.write(1, ledger.write(put, f"{number}-{count}").encode() + b"\\n")
for number in range(4):
    threading.Thread(target=client, args=(number,)).start()
"""


@pytest.mark.parametrize("acknowledged_min", [1, 37, 300])
def test_a_killed_process_loses_no_acknowledged_commit(path, acknowledged_min):
    with subprocess.Popen(
        [sys.executable, "-c", WRITES_AND_TELLS, str(path)], stdout=subprocess.PIPE, text=True
    ) as child:
        told = [child.stdout.readline().strip() for _ in range(acknowledged_min)]
        child.send_signal(signal.SIGKILL)
        told += [line.strip() for line in child.stdout if line.endswith("\n")]
    ledger = open_ledger(path)
    found = ledger.read(names, None)
    ledger.close()
    assert set(told) <= set(found)
    assert len(found) <= len(told) + 8
