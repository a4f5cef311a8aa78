"""What an attempt left is compared with what it was given, name by name."""

import os
from dataclasses import replace

import pytest

from duly.adapters.files.removal import remove_tree
from duly.adapters.files.tree import Limits
from duly.adapters.work import examine as examination
from duly.adapters.work import requests as r
from duly.adapters.work.errors import CannotWorkError
from duly.adapters.work.examine import examine
from duly.adapters.work.performers import performers
from duly.model.plan import Isolation
from duly.model.reasons import Reason
from tests.adapters.work.parts import copy_of, frozen, prepared, work, workshop


@pytest.fixture
def shop(home):
    return workshop(home)


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    (path / "sub").mkdir(parents=True)
    (path / "facts").write_text("facts\n")
    (path / "old.md").write_text("old\n")
    (path / "sub" / "tool").write_text("#!/bin/sh\n")
    (path / "sub" / "tool").chmod(0o755)
    (path / "link").symlink_to("facts")
    return path


def look(shop, part):
    return examine(shop, r.Examine(part=part))


def test_an_untouched_copy_shows_no_change(shop, root):
    part = frozen(shop, work(root))
    copy_of(shop, part)
    found = look(shop, part)
    assert (found.in_scope, found.out_of_scope, found.artifact) == ((), (), None)
    assert found.difference_sha256 is None


def test_new_and_changed_files_in_scope_carry_their_hashes_before_and_after(shop, root):
    part = frozen(shop, work(root))
    copy = copy_of(shop, part)
    (copy / "old.md").write_text("new\n")
    (copy / "report.md").write_text("report\n")
    found = look(shop, part)
    old, report = found.in_scope
    assert (old.path, old.before is None, report.path, report.before) == (
        "old.md",
        False,
        "report.md",
        None,
    )
    assert found.artifact == report
    assert report.bytes == 7


def test_a_change_of_times_or_permissions_alone_is_none(shop, root):
    part = frozen(shop, work(root))
    copy = copy_of(shop, part)
    os.utime(copy / "facts", (1, 1))
    (copy / "sub" / "tool").chmod(0o700)
    (copy / "new").mkdir()
    assert look(shop, part).out_of_scope == ()


@pytest.mark.parametrize("stamp_ns", [None, 0, 2**61])
def test_an_artifact_written_again_with_the_same_bytes_counts_whatever_its_times(
    shop, root, stamp_ns
):
    wanted = work(root, result_artifact="old.md")
    part = frozen(shop, wanted)
    copy = copy_of(shop, part)
    assert look(shop, part).artifact is None
    (copy / "old.md").write_text("old\n")
    if stamp_ns is not None:
        os.utime(copy / "old.md", ns=(stamp_ns, stamp_ns))
    assert look(shop, part).artifact is not None
    assert look(shop, part).in_scope == ()


def test_an_artifact_from_the_future_was_not_written_for_that(shop, root):
    os.utime(root / "old.md", ns=(2**61, 2**61))
    part = frozen(shop, work(root, result_artifact="old.md"))
    copy_of(shop, part)
    assert look(shop, part).artifact is None


def test_an_artifact_outside_the_scope_is_none(shop, root):
    part = frozen(shop, work(root, write_scope=("reports/*",)))
    (copy_of(shop, part) / "report.md").write_text("x")
    found = look(shop, part)
    assert (found.artifact, found.out_of_scope) == (None, ("report.md",))


def test_names_that_are_no_text_are_shown_escaped_and_never_published(shop, root):
    part = frozen(shop, work(root))
    odd = os.fsencode(copy_of(shop, part)) + b"/odd\xff.md"
    with open(odd, "wb") as file:
        file.write(b"x")
    found = look(shop, part)
    assert (found.in_scope, found.out_of_scope) == ((), ("odd\\udcff.md",))


def test_the_kept_list_names_one_path_a_line(shop, root):
    part = frozen(shop, work(root))
    copy = copy_of(shop, part)
    (copy / "two\nlines").write_text("x")
    (copy / "facts").unlink()
    found = look(shop, part)
    assert shop.bytes.read_bytes(found.difference_sha256) == b"facts\ntwo\\nlines"


def test_a_lost_snapshot_is_no_reason_to_call_everything_new(shop, root):
    part = frozen(shop, work(root))
    copy_of(shop, part)
    shop.bytes.path_of(part.snapshot.base_tree).unlink()
    with pytest.raises(CannotWorkError) as refused:
        look(shop, part)
    assert refused.value.reason is Reason.SNAPSHOT_UNAVAILABLE


@pytest.mark.parametrize(
    "ruin",
    [
        lambda copy: remove_tree(copy),
        lambda copy: (copy / "deep" / "/".join("d" * 300)).mkdir(parents=True),
        lambda copy: (copy / "huge").write_bytes(bytes(1_000_001)),
    ],
)
def test_a_copy_that_cannot_be_compared_is_not_called_a_lost_input(shop, root, ruin, monkeypatch):
    monkeypatch.setattr(examination, "LIMITS", Limits(bytes_max=1_000_000))
    part = frozen(shop, work(root))
    ruin(copy_of(shop, part))
    with pytest.raises(CannotWorkError) as refused:
        look(shop, part)
    assert refused.value.reason is Reason.WORK_UNREADABLE


def test_what_cannot_be_removed_stays_and_disturbs_nobody(shop):
    perform = performers(shop)[r.RemoveStage]
    assert perform(r.RemoveStage(run_id="r_gone"))
    shop.stages.parent.mkdir(parents=True, exist_ok=True)
    shop.stages.write_text("in the way")
    assert not perform(r.RemoveStage(run_id="r_1"))


@pytest.fixture
def in_place(shop, root):
    part = frozen(shop, work(root, isolation=Isolation.IN_PLACE))
    prepared(shop, part)
    return part


def test_in_place_nothing_is_copied_and_every_change_is_seen(shop, root, in_place):
    assert look(shop, in_place).in_scope == ()
    (root / "report.md").write_text("report\n")
    (root / "facts").unlink()
    (root / "link").unlink()
    (root / "link").symlink_to("elsewhere")
    found = look(shop, in_place)
    assert [one.path for one in found.in_scope] == ["report.md"]
    assert found.out_of_scope == ("facts", "link")
    assert not shop.stage(in_place.pin.run_id).copy(1).exists()


def test_in_place_a_file_written_again_with_the_same_bytes_is_a_change(shop, root):
    part = frozen(shop, work(root, isolation=Isolation.IN_PLACE, result_artifact="old.md"))
    prepared(shop, part)
    os.utime(root / "old.md", ns=(2**60, 2**60))
    assert look(shop, part).artifact is not None


def test_in_place_without_a_scope_nothing_is_compared(shop, root, in_place):
    part = replace(in_place, work=replace(in_place.work, write_scope=()))
    (root / "facts").unlink()
    assert look(shop, part).out_of_scope == ()
