"""What a fresh clone stands on: a Python that will do, and locks that hold on any machine."""

import re
import subprocess
import sys
import tomllib

import pytest

from tests.house.sources import ROOT

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def _find_python(path, python=""):
    command = ["/bin/sh", str(ROOT / "tools/find_python.sh")]
    environment = {"PATH": str(path)} | ({"PYTHON": python} if python else {})
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def _stand_in(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_a_python_that_does_not_run_is_passed_over(tmp_path):
    _stand_in(tmp_path / "python3.11", "exit 127")
    _stand_in(tmp_path / "python3", f'exec "{sys.executable}" "$@"')
    assert _find_python(tmp_path).stdout == f"{tmp_path}/python3\n"


def test_without_a_python_the_need_and_the_next_step_are_named(tmp_path):
    found = _find_python(tmp_path)
    assert found.returncode == 1
    assert "needs Python 3.11 or later" in found.stderr
    assert "make setup PYTHON=" in found.stderr


def test_a_python_without_venv_is_named_with_what_to_install(tmp_path):
    _stand_in(
        tmp_path / "python3",
        f'case "$*" in *ensurepip*) exit 1;; esac; exec "{sys.executable}" "$@"',
    )
    found = _find_python(tmp_path)
    assert found.returncode == 1
    assert "python3" in found.stderr
    assert "python3-venv" in found.stderr


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_is_exact_hashed_and_names_no_place(lock):
    lines = lock.read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith((" ", "#"))]
    assert wanted
    assert [line for line in wanted if not re.match(r"[a-z0-9-]+==\S+( ; .+)? \\$", line)] == []
    assert all(
        re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line)
        for line in lines
        if line not in wanted
    )


def test_everything_needed_at_run_time_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {re.split(r"[^a-z0-9-]", line)[0] for line in project["dependencies"]}
    for lock in (ROOT / "requirements/run.txt", ROOT / "requirements/dev.txt"):
        assert needed <= set(re.findall(r"^([a-z0-9-]+)==", lock.read_text(), re.MULTILINE))
