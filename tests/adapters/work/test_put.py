"""Files are put in their place all together or not at all, and never over what somebody else wrote."""

import hashlib
import os
from dataclasses import replace

import pytest

from duly.adapters.work import put
from duly.adapters.work import requests as r
from duly.adapters.work.requests import FileFate
from duly.model.instant import HOUR_US, Instant
from duly.model.plan import Isolation
from tests.adapters.work.parts import copy_of, frozen, work, workshop


@pytest.fixture
def shop(home):
    return workshop(home)


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "old.md").write_text("old\n")
    return path


@pytest.fixture
def part(shop, root):
    return frozen(shop, work(root))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def change(copy, name, after, before=None):
    (copy / name).parent.mkdir(parents=True, exist_ok=True)
    (copy / name).write_text(after)
    return r.ChangedFile(
        path=name,
        before=None if before is None else sha256(before),
        after=sha256(after),
        bytes=len(after),
        mode=0o644,
    )


def publish(shop, part, *files, not_after=None):
    until = Instant(shop.clock() + HOUR_US) if not_after is None else not_after
    request = r.PublishFiles(part=part, files=files, not_after=until)
    return [(one.path, one.fate) for one in put.publish_files(shop, request)]


def test_files_are_published_in_their_order_with_directories_made(shop, root, part):
    copy = copy_of(shop, part)
    files = [change(copy, "a/b/new.md", "new\n"), change(copy, "old.md", "newer\n", "old\n")]
    assert publish(shop, part, *files) == [
        ("a/b/new.md", FileFate.PUBLISHED),
        ("old.md", FileFate.PUBLISHED),
    ]
    assert (root / "a/b/new.md").read_text() == "new\n"
    assert (root / "old.md").read_text() == "newer\n"
    # Once more, as after a crash before it was recorded.
    assert {fate for _, fate in publish(shop, part, *files)} == {FileFate.PUBLISHED}


def hinder_by_content(root):
    (root / "new.md").write_text("foreign\n")
    return FileFate.CONFLICT


def hinder_by_link(root):
    (root / "new.md").symlink_to("old.md")
    return FileFate.REFUSED


def hinder_by_directory(root):
    (root / "new.md").mkdir()
    return FileFate.REFUSED


def hinder_by_fifo(root):
    os.mkfifo(root / "new.md")
    return FileFate.REFUSED


@pytest.mark.parametrize(
    "hinder", [hinder_by_content, hinder_by_link, hinder_by_directory, hinder_by_fifo]
)
def test_where_one_is_hindered_none_is_written(shop, root, part, hinder):
    copy = copy_of(shop, part)
    files = [change(copy, "a.md", "a\n"), change(copy, "new.md", "new\n")]
    fate = hinder(root)
    assert publish(shop, part, *files) == [("a.md", FileFate.NOT_SENT), ("new.md", fate)]
    assert not (root / "a.md").exists()


def test_a_removed_target_is_a_conflict(shop, root, part):
    copy = copy_of(shop, part)
    file = change(copy, "old.md", "newer\n", "old\n")
    (root / "old.md").unlink()
    assert publish(shop, part, file) == [("old.md", FileFate.CONFLICT)]
    assert not (root / "old.md").exists()


def test_after_the_holders_deadline_nothing_is_sent(shop, root, part):
    file = change(copy_of(shop, part), "new.md", "new\n")
    assert publish(shop, part, file, not_after=Instant(0)) == [("new.md", FileFate.NOT_SENT)]
    assert not (root / "new.md").exists()


def test_a_root_behind_a_link_is_refused(shop, root, part, tmp_path):
    file = change(copy_of(shop, part), "new.md", "new\n")
    root.rename(tmp_path / "moved")
    root.symlink_to(tmp_path / "moved")
    assert publish(shop, part, file) == [("new.md", FileFate.REFUSED)]
    assert not (tmp_path / "moved" / "new.md").exists()


def test_a_copy_that_was_changed_behind_the_examination_is_refused(shop, root, part):
    copy = copy_of(shop, part)
    file = change(copy, "new.md", "new\n")
    (copy / "new.md").write_text("other\n")
    assert publish(shop, part, file) == [("new.md", FileFate.REFUSED)]
    assert not (root / "new.md").exists()


def test_in_place_the_program_wrote_it_and_only_what_stands_is_said(shop, root, part):
    here = replace(part, work=replace(part.work, isolation=Isolation.IN_PLACE))
    written = change(root, "new.md", "new\n", "new\n")
    altered = change(root, "old.md", "newer\n", "newer\n")
    (root / "old.md").write_text("by somebody else\n")
    assert publish(shop, here, written, altered) == [
        ("new.md", FileFate.PUBLISHED),
        ("old.md", FileFate.CONFLICT),
    ]


@pytest.mark.parametrize(
    ("text", "is_shown"), [("newer\n", True), ("no\0text", False), ("x" * 2_000_000, False)]
)
def test_the_difference_is_kept_for_text_of_moderate_size(shop, root, part, text, is_shown):
    file = change(copy_of(shop, part), "old.md", text, "old\n")
    (sha,) = put.compare(shop, r.Compare(part=part, files=(file,)))
    assert (sha is not None) is is_shown
    if sha is not None:
        assert shop.bytes.read_bytes(sha).decode().splitlines()[-2:] == ["-old", "+newer"]


def test_bytes_that_are_not_put_in_their_place_are_kept_as_they_were_examined(shop, root, part):
    copy = copy_of(shop, part)
    file = change(copy, "old.md", "newer\n", "old\n")
    assert put.keep_files(shop, r.KeepFiles(part=part, files=(file,)))
    assert shop.bytes.read_bytes(file.after) == b"newer\n"
    (copy / "old.md").write_text("other\n")
    assert not put.keep_files(shop, r.KeepFiles(part=part, files=(file,)))
    (copy / "old.md").unlink()
    assert not put.keep_files(shop, r.KeepFiles(part=part, files=(file,)))
    assert (root / "old.md").read_text() == "old\n"


def test_reading_back_tells_hashes_absence_and_trouble_apart(shop, root):
    (root / "link").symlink_to("old.md")
    request = r.ReadBack(root=str(root), paths=("old.md", "none", "link", "a/b", "../up"))
    found = {one.path: (one.sha256, one.trouble is None) for one in put.read_back(shop, request)}
    assert found == {
        "old.md": (sha256("old\n"), True),
        "none": (None, True),
        "link": (None, False),
        "a/b": (None, True),
        "../up": (None, False),
    }
    gone = r.ReadBack(root=str(root / "gone"), paths=("old.md",))
    assert [(one.sha256, one.trouble) for one in put.read_back(shop, gone)] == [(None, None)]
