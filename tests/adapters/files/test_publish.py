"""A file is published beneath its root, compared first, and through no trap that an agent may have laid."""

import hashlib
import os
import resource
import socket
from dataclasses import replace

import pytest

from duly.adapters.files.publish import (
    Absent,
    Before,
    Conflict,
    Published,
    PublishFile,
    Refusal,
    Refused,
    publish,
    read_back,
)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


NEW, OLD = b"the new report\n", b"the old report\n"


@pytest.fixture
def place(tmp_path):
    """A root, and a staged copy that holds the new report."""
    (tmp_path / "root").mkdir()
    (tmp_path / "staged" / "reports").mkdir(parents=True)
    (tmp_path / "staged" / "reports" / "a.md").write_bytes(NEW)
    return tmp_path


@pytest.fixture
def request_for(place):
    return PublishFile(
        root=place / "root",
        path="reports/a.md",
        source_root=place / "staged",
        source="reports/a.md",
        sha256=sha(NEW),
        expected_before=Before.ABSENT,
    )


def everything(root):
    """All that stands beneath a root, without what a directory holds."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def old_report(place):
    (place / "root" / "reports").mkdir(exist_ok=True)
    (place / "root" / "reports" / "a.md").write_bytes(OLD)
    return place / "root" / "reports" / "a.md"


def test_a_new_file_and_its_directories_are_made(place, request_for):
    assert publish(request_for) == Published(before=None, after=sha(NEW), is_changed=True)
    assert read_back(place / "root", "reports/a.md") == sha(NEW)
    assert everything(place / "root") == ["reports", "reports/a.md"]
    assert (place / "root" / "reports" / "a.md").stat().st_nlink == 1
    assert (place / "staged" / "reports" / "a.md").read_bytes() == NEW


def test_repeating_a_publication_changes_nothing_and_says_so(place, request_for):
    publish(request_for)
    again = Published(before=sha(NEW), after=sha(NEW), is_changed=False)
    assert publish(request_for) == again
    assert publish(replace(request_for, expected_before=sha(OLD))) == again


def test_the_expected_content_is_replaced_and_keeps_its_mode(place, request_for):
    target = old_report(place)
    target.chmod(0o604)
    assert publish(replace(request_for, expected_before=sha(OLD))) == Published(
        before=sha(OLD), after=sha(NEW), is_changed=True
    )
    assert target.stat().st_mode & 0o777 == 0o604
    assert target.read_bytes() == NEW


@pytest.mark.parametrize("expected", [Before.ABSENT, sha(b"something else")])
def test_anything_but_the_expected_content_is_left_alone(place, request_for, expected):
    target = old_report(place)
    assert publish(replace(request_for, expected_before=expected)) == Conflict(sha(OLD))
    assert target.read_bytes() == OLD
    assert everything(place / "root") == ["reports", "reports/a.md"]


def test_a_file_that_should_stand_there_but_does_not_is_a_conflict(place, request_for):
    assert publish(replace(request_for, expected_before=sha(OLD))) == Conflict(None)
    assert everything(place / "root") == []


def test_any_content_may_be_replaced_when_declared(place, request_for):
    old_report(place)
    assert publish(replace(request_for, expected_before=Before.ANY)).before == sha(OLD)


def link_directory(place):
    (place / "elsewhere").mkdir()
    (place / "root" / "reports").symlink_to(place / "elsewhere")


def link_file(place):
    (place / "secret").write_bytes(OLD)
    (place / "root" / "reports").mkdir()
    (place / "root" / "reports" / "a.md").symlink_to(place / "secret")


def link_nowhere(place):
    (place / "root" / "reports").mkdir()
    (place / "root" / "reports" / "a.md").symlink_to(place / "not-yet-there")


def hard_link(place):
    (place / "secret").write_bytes(OLD)
    (place / "root" / "reports").mkdir()
    os.link(place / "secret", place / "root" / "reports" / "a.md")


def directory(place):
    (place / "root" / "reports" / "a.md").mkdir(parents=True)


def fifo(place):
    (place / "root" / "reports").mkdir()
    os.mkfifo(place / "root" / "reports" / "a.md")


def a_socket(place):
    (place / "root" / "reports").mkdir()
    here = os.getcwd()
    os.chdir(place / "root" / "reports")  # a socket's path has a short limit
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("a.md")
    os.chdir(here)


def file_as_directory(place):
    (place / "root" / "reports").write_bytes(OLD)


@pytest.mark.parametrize(
    ("trap", "refusal"),
    [
        (link_directory, Refusal.LINK),
        (link_file, Refusal.LINK),
        (link_nowhere, Refusal.LINK),
        (hard_link, Refusal.HARD_LINK),
        (directory, Refusal.NOT_A_FILE),
        (fifo, Refusal.NOT_A_FILE),
        (a_socket, Refusal.NOT_A_FILE),
        (file_as_directory, Refusal.NOT_A_DIRECTORY),
    ],
)
def test_a_trap_at_the_target_is_refused_and_left_as_it_is(place, request_for, trap, refusal):
    trap(place)
    before = everything(place)
    found = publish(replace(request_for, expected_before=Before.ANY))
    assert isinstance(found, Refused)
    assert found.reason is refusal
    assert "reports/a.md" in found.detail
    assert everything(place) == before
    if (place / "secret").exists():
        assert (place / "secret").read_bytes() == OLD


@pytest.mark.parametrize(
    "path", ["", "..", "../a", "reports/../../a", "/etc/x", "a//b", "a/.", "a\0b"]
)
def test_a_path_that_is_not_plainly_beneath_the_root_is_refused(place, request_for, path):
    assert publish(replace(request_for, path=path)).reason is Refusal.OUTSIDE
    assert publish(replace(request_for, source=path)).reason is Refusal.OUTSIDE
    assert read_back(place / "root", path).reason is Refusal.OUTSIDE


def test_a_source_that_became_something_else_is_never_published(place, request_for):
    (place / "staged" / "reports" / "a.md").write_bytes(OLD)
    assert publish(request_for).reason is Refusal.SOURCE_CHANGED
    assert everything(place / "root") == ["reports"]


def test_a_source_that_is_a_trap_is_never_published(place, request_for):
    source = place / "staged" / "reports" / "a.md"
    os.link(source, place / "other-name")
    assert publish(request_for).reason is Refusal.HARD_LINK
    source.unlink()
    assert publish(request_for).reason is Refusal.SOURCE_MISSING
    source.symlink_to(place / "other-name")
    assert publish(request_for).reason is Refusal.LINK
    source.unlink()
    os.mkfifo(source)
    assert publish(request_for).reason is Refusal.NOT_A_FILE
    assert [name for name in everything(place / "root") if name != "reports"] == []


def test_a_missing_root_is_never_made(place, request_for):
    assert publish(replace(request_for, root=place / "gone")).reason is Refusal.ROOT_MISSING
    assert read_back(place / "gone", "a") == Absent()
    assert not (place / "gone").exists()


def test_a_root_may_be_reached_through_a_link_of_the_operator(place, request_for):
    (place / "alias").symlink_to(place / "root")
    assert publish(replace(request_for, root=place / "alias")).after == sha(NEW)


def test_what_a_crash_left_behind_is_cleared_by_the_next_try(place, request_for, monkeypatch):
    class PowerCut(BaseException):
        pass

    def cut(*_, **__):
        raise PowerCut

    publish(request_for)
    target = place / "root" / "reports" / "a.md"
    target.unlink()
    monkeypatch.setattr(os, "unlink", cut)  # the crash: nothing after the first unlink happens
    with pytest.raises(PowerCut):
        publish(request_for)
    monkeypatch.undo()
    found = publish(request_for)
    assert found == Published(before=None, after=sha(NEW), is_changed=True)
    assert everything(place / "root") == ["reports", "reports/a.md"]


def test_a_crash_between_name_and_clean_up_is_repeated_to_the_same_result(place, request_for):
    publish(request_for)
    reports = place / "root" / "reports"
    label = hashlib.sha256(f"a.md\0{sha(NEW)}".encode()).hexdigest()[:24]
    os.link(reports / "a.md", reports / f".duly-{label}.part")
    assert publish(request_for) == Published(before=sha(NEW), after=sha(NEW), is_changed=False)
    assert everything(reports) == ["a.md"]


def test_odd_names_are_published_like_others(place, request_for):
    odd = "reports/new\nline \udcff ü.md"
    (place / "staged" / odd).write_bytes(NEW)
    assert publish(replace(request_for, path=odd, source=odd)).after == sha(NEW)
    assert read_back(place / "root", odd) == sha(NEW)


def test_a_disk_that_takes_no_more_is_refused_and_the_old_file_stays(place, request_for):
    old_report(place)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, limits[1]))
    try:
        found = publish(replace(request_for, expected_before=sha(OLD)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert found.reason is Refusal.SYSTEM
    assert everything(place / "root") == ["reports", "reports/a.md"]
    assert read_back(place / "root", "reports/a.md") == sha(OLD)


def test_a_name_that_no_file_system_takes_is_refused(place, request_for):
    assert publish(replace(request_for, path="x" * 300)).reason is Refusal.SYSTEM
    assert read_back(place / "root", "x" * 300).reason is Refusal.SYSTEM
