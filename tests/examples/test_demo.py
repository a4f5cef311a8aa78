"""The demo: which windows it chooses, that all it claims is true, and that it leaves nothing running."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest

from examples.repo_digest import demo_windows
from examples.repo_digest.demo_node import living
from tests.examples.repositories import DAY, NOON, made_at
from tests.house.sources import ROOT

HOUR = 3_600
MIDNIGHT = NOON // DAY * DAY + DAY


@pytest.fixture
def repository(tmp_path):
    return made_at(tmp_path / "repo")


def _chosen(repository, period, now):
    size = {"day": DAY, "hour": HOUR}[period]
    found = demo_windows.windows_of(repository.path, period, size, now)
    return found and (found.first, found.second, found.empty)


def test_the_newest_two_days_with_commits_are_read_by_the_windows_after_them(repository):
    for days in (9, 5, 5, 2):
        repository.commit({"a": str(days)}, date=NOON - days * DAY)
    expected = ("2026-09-12", "2026-09-15", "2026-09-16")
    assert _chosen(repository, "day", NOON) == expected
    assert _chosen(repository, "day", MIDNIGHT - 1) == expected


def test_a_day_counts_from_the_moment_it_is_over(repository):
    repository.commit({"a": "1"}, date=NOON - DAY)
    repository.commit({"a": "2"}, date=MIDNIGHT - 1)
    assert _chosen(repository, "day", MIDNIGHT - 1) is None
    assert _chosen(repository, "day", MIDNIGHT) == ("2026-09-16", "2026-09-17", "2026-09-15")


def test_hours_serve_where_there_is_only_one_day(repository):
    for hours in (4, 3, 0):
        repository.commit({"a": str(hours)}, date=NOON - hours * HOUR)
    assert _chosen(repository, "day", NOON) is None
    expected = ("2026-09-16T09", "2026-09-16T10", "2026-09-16T12")
    assert _chosen(repository, "hour", NOON + HOUR - 1) == expected


@pytest.mark.parametrize("commits", [0, 1])
def test_a_repository_that_is_too_young_is_copied_and_added_to(
    repository, commits, tmp_path, monkeypatch
):
    for number in range(commits):
        repository.commit({"a": str(number)}, date=NOON)
    assert _chosen(repository, "hour", NOON) is None
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.setattr(demo_windows, "PLACE", place)
    copy = demo_windows.copy_of(repository.path, NOON)
    found = demo_windows.windows_of(copy, "day", DAY, NOON)
    assert (found.first, found.second, found.empty) == ("2026-09-15", "2026-09-16", "2026-09-14")
    assert repository.git("status", "--porcelain") == b""


def _demo(tmp_path, repository, **other):
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    named = {"DULY_DEMO_DIR": str(tmp_path), "DULY_DEMO_REPO": str(repository.path)}
    return subprocess.Popen(
        [sys.executable, "-m", "examples.repo_digest.demo"],
        cwd=ROOT,
        env={**kept, **named, **other},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _left(tmp_path):
    return living(f"DULY_HOME={tmp_path}/", f"DULY_ROOT={tmp_path}/")


@pytest.fixture
def lively(repository):
    """A repository with commits on two days before today."""
    today = int(time.time()) // DAY * DAY
    for days in (3, 2):
        repository.commit({"a": f"TODO: {days}\n"}, date=today - days * DAY)
    return repository


def test_all_that_the_demo_claims_is_true(tmp_path, lively):
    with _demo(tmp_path, lively) as demo:
        told, _ = demo.communicate()
    assert demo.returncode == 0, told
    assert "All of it is true" in told
    last = datetime.fromtimestamp(time.time() // DAY * DAY - DAY, UTC)
    assert f"dedupe_key: repo-digest:{last:%Y-%m-%d}:0" in told
    assert "status: completed" in told
    assert _left(tmp_path) == []


def test_a_demo_that_is_interrupted_leaves_nothing_running(tmp_path, lively):
    with _demo(tmp_path, lively) as demo:
        while not (line := demo.stdout.readline()).startswith("[3/"):
            assert line, "the demo ended early"
        assert _left(tmp_path) != []
        demo.send_signal(signal.SIGTERM)
        told, _ = demo.communicate()
    assert demo.returncode == 128 + signal.SIGTERM, told
    assert _left(tmp_path) == []


def test_a_demo_that_cannot_go_on_says_why_in_one_line(tmp_path, repository):
    with _demo(tmp_path, repository, PATH=str(tmp_path)) as demo:
        told, _ = demo.communicate()
    assert demo.returncode == 1
    assert "FAILED" in told and "git: No such file" in told
    assert "Traceback" not in told


def test_a_second_demo_in_the_same_place_refuses_and_leaves_the_first_alone(tmp_path, lively):
    with _demo(tmp_path, lively) as first:
        while not (line := first.stdout.readline()).startswith("[3/"):
            assert line, "the demo ended early"
        with _demo(tmp_path, lively) as second:
            told, _ = second.communicate()
        is_first_alive = first.poll() is None
        first.send_signal(signal.SIGTERM)
        first.communicate()
    assert second.returncode == 1
    assert "another demo is at work" in told
    assert is_first_alive
