"""The switch of `world_off.py` itself: what it refuses, and what it lets pass."""

import os
import random
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house import world_off

TOUCHES = {
    "file": lambda: open("/etc/hostname"),  # noqa: SIM115
    "directory": lambda: os.listdir("/"),
    "file facts": lambda: os.stat("/"),
    "socket": socket.socket,
    "database": lambda: sqlite3.connect(":memory:"),
    "subprocess": lambda: subprocess.Popen(["true"]),
    "thread": lambda: threading.Thread(target=int).start(),
    "wall clock": lambda: time.time(),
    "monotonic clock": lambda: time.monotonic_ns(),
    "sleep": lambda: time.sleep(0),
    "random": lambda: random.random(),
    "random bytes": lambda: os.urandom(1),
    "environment": lambda: os.getenv("HOME"),
}


@pytest.mark.parametrize("what", TOUCHES)
def test_every_touch_of_the_world_fails_the_test(what):
    with world_off.switched_off(), pytest.raises(pytest.fail.Exception, match="switched off"):
        TOUCHES[what]()


def test_no_except_clause_can_hide_a_touch():
    def hides():
        try:
            time.time()
        except Exception:  # noqa: BLE001
            return "hidden"

    with world_off.switched_off(), pytest.raises(pytest.fail.Exception):
        hides()


def test_imports_and_computing_are_no_touch():
    sys.modules.pop("this_is_not_there", None)
    with world_off.switched_off():
        with pytest.raises(ImportError):
            __import__("this_is_not_there")
        assert sum(range(10)) == 45


@given(st.text())
def test_strategies_may_read_their_own_tables(text):
    with world_off.switched_off():
        assert text == text[:]


def test_the_world_is_back_afterwards():
    with world_off.switched_off():
        pass
    assert time.time() > 0
    assert os.stat("/")
