"""The rules of `tests/conftest.py`, each shown on a small session of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SHARED = ("conftest.py", "house/world_off.py", "house/left_over.py")
LEAVES_A_CHILD = """
import subprocess
def test_leaves_a_child():
    subprocess.Popen(["sleep", "60"], start_new_session=True)
"""
LEAVES_AN_ORPHAN = """
import subprocess
def test_leaves_an_orphan(tmp_path):
    subprocess.run(["sh", "-c", "setsid sleep 60 </dev/null >/dev/null 2>&1 &"], cwd=tmp_path, check=True)
"""


@pytest.fixture
def outcome(tmp_path):
    """Return a function that runs one test file in a room of its own and gives exit code and output."""

    def run(room, text, ci=""):
        for name in SHARED:
            (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TESTS / name, tmp_path / "tests" / name)
        (tmp_path / "tests" / room).mkdir()
        (tmp_path / "tests" / room / "test_one.py").write_text(text)
        (tmp_path / "pytest.ini").write_text(
            "[pytest]\naddopts = --import-mode=importlib\npythonpath = .\n"
        )
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--basetemp={tmp_path}/temp",
        ]
        ended = subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"CI": ci},
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.returncode, ended.stdout + ended.stderr

    return run


def test_pure_rooms_are_tested_with_the_world_off(outcome):
    code, output = outcome(
        "policy", "import time\n\ndef test_reads_the_clock():\n    time.time()\n"
    )
    assert code == 1
    assert "the world is switched off" in output


def test_other_rooms_are_tested_with_the_world_on(outcome):
    code, output = outcome(
        "engine", "import time\n\ndef test_reads_the_clock():\n    time.time()\n"
    )
    assert code == 0, output


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_a_skip_fails_the_session_in_ci_only(outcome, ci, code):
    got, output = outcome(
        "engine", "import pytest\n\ndef test_skips():\n    pytest.skip('no wine')\n", ci
    )
    assert got == code, output
    assert ("CI allows no skipped test" in output) == bool(ci)


@pytest.mark.skipif(sys.platform != "linux", reason="the search for processes reads /proc")
@pytest.mark.parametrize("text", [LEAVES_A_CHILD, LEAVES_AN_ORPHAN], ids=["child", "orphan"])
def test_a_process_left_over_fails_the_session(outcome, text):
    code, output = outcome("engine", text)
    assert code == 1, output
    assert "the tests left processes running" in output
    for line in output.splitlines():
        pid, _, command = line.partition(": ")
        if command == "sleep 60":
            os.kill(int(pid), 9)
            break
    else:
        pytest.fail(f"the process is not named in:\n{output}")
