"""The rules of `tests/conftest.py`, shown on two small sessions in which every test passes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SHARED = ("conftest.py", "house/world_off.py", "house/left_over.py")
INI = "[pytest]\naddopts = --assert=plain --import-mode=importlib\npythonpath = .\n"
SKIPS = """
import pytest
def test_skips():
    pytest.skip("no wine")
"""
IN_A_PURE_ROOM = """
import time, pytest
def test_cannot_read_the_clock():
    with pytest.raises(pytest.fail.Exception, match="switched off"):
        time.time()
"""
IN_ANOTHER_ROOM = """
import subprocess, time
def test_reads_the_clock():
    assert time.time() > 0
def test_leaves_a_child():
    subprocess.Popen(["sleep", "61"], start_new_session=True)
def test_leaves_an_orphan(tmp_path):
    subprocess.run(["sh", "-c", "sleep 62 </dev/null >/dev/null 2>&1 &"], cwd=tmp_path, check=True)
"""


def _session(root, files, ci):
    for name, text in files.items():
        (root / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "tests" / name).write_text(text)
    for name in SHARED:
        (root / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TESTS / name, root / "tests" / name)
    (root / "pytest.ini").write_text(INI)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--basetemp=temp"]
    return subprocess.run(
        command, cwd=root, env=os.environ | {"CI": ci}, capture_output=True, text=True, check=False
    )


def test_a_skip_fails_a_session_in_ci(tmp_path):
    ended = _session(tmp_path, {"engine/test_one.py": SKIPS}, "true")
    assert ended.returncode == 1, ended.stdout
    assert "CI allows no skipped test" in ended.stdout
    assert "no wine" in ended.stdout


def test_elsewhere_only_what_was_left_running_fails_a_session(tmp_path):
    files = {
        "policy/test_pure.py": IN_A_PURE_ROOM,
        "engine/test_skip.py": SKIPS,
        "engine/test_other.py": IN_ANOTHER_ROOM,
    }
    ended = _session(tmp_path, files, "")
    left = {
        command: int(pid)
        for pid, _, command in (line.partition(": ") for line in ended.stdout.splitlines())
        if command.startswith("sleep")
    }
    for pid in left.values():
        os.kill(pid, 9)
    assert "4 passed, 1 skipped" in ended.stdout
    assert "CI allows" not in ended.stdout
    if sys.platform == "linux":
        assert ended.returncode == 1
        assert "the tests left processes running" in ended.stdout
        assert set(left) == {"sleep 61", "sleep 62"}


def test_the_home_is_fresh_private_and_named(home):
    assert list(home.iterdir()) == []
    assert home.stat().st_mode & 0o777 == 0o700
    assert os.environ["DULY_HOME"] == str(home)


def test_no_test_sees_the_developers_home():
    with pytest.raises(NotADirectoryError):
        Path(os.environ["DULY_HOME"]).mkdir(parents=True)
