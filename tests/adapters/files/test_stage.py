"""What a run reads is frozen once, copied for each attempt, and any alteration of it is found."""

import json
import os

import pytest

from duly.adapters.files import stage
from duly.adapters.files.removal import remove_tree
from duly.adapters.files.stage import BaseAlteredError, Manifest, SourceBusyError
from duly.adapters.files.tree import Kind, Limits, Part, TreeTooLargeError, diff, scan
from duly.policy import scope

LIMITS = Limits()
ALL = Part()


def part(*globs):
    return Part(
        includes=lambda path: scope.matches(globs, path),
        reaches=lambda path: scope.reaches(globs, path),
    )


@pytest.fixture
def root(tmp_path):
    """A directory with something of everything."""
    root = tmp_path / "root"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "a.py").write_bytes(b"a")
    (root / "src" / "deep" / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "src" / "deep" / "run.sh").chmod(0o755)
    (root / "src" / "link").symlink_to("../other/b")
    (root / "other").mkdir()
    (root / "other" / "b").write_bytes(b"b" * 3_000_000)
    (root / "empty").mkdir(mode=0o711)
    return root


def test_a_base_and_its_copies_are_like_the_source(root, tmp_path):
    manifest = stage.freeze_base(root, tmp_path / "base", ALL, LIMITS)
    stage.make_copy(tmp_path / "base", tmp_path / "copy", manifest)
    for place in ("base", "copy"):
        assert diff(scan(root, LIMITS), scan(tmp_path / place, LIMITS)).all == ()
        assert (tmp_path / place / "empty").is_dir()
        stage.verify_base(tmp_path / place, manifest, LIMITS)
    before = (root / "src" / "a.py").stat()
    assert (tmp_path / "copy" / "src" / "a.py").stat().st_mtime_ns == before.st_mtime_ns
    assert (tmp_path / "copy" / "src" / "a.py").stat().st_ino != before.st_ino


def test_only_the_named_sources_are_frozen(root, tmp_path):
    manifest = stage.freeze_base(root, tmp_path / "base", part("src/*"), LIMITS)
    assert sorted(manifest.entries) == ["src", "src/a.py", "src/link"]
    stage.verify_base(tmp_path / "base", manifest, LIMITS)


def test_what_is_not_a_source_costs_nothing_of_the_limits(root, tmp_path):
    small = Limits(bytes_max=100)
    stage.freeze_base(root, tmp_path / "base", part("src/**"), small)
    with pytest.raises(TreeTooLargeError):
        stage.freeze_base(root, tmp_path / "other-base", ALL, small)
    assert not (tmp_path / "other-base").exists()


def test_a_later_change_of_the_source_changes_no_copy(root, tmp_path):
    manifest = stage.freeze_base(root, tmp_path / "base", ALL, LIMITS)
    (root / "src" / "a.py").write_bytes(b"changed")
    (root / "src" / "new").write_bytes(b"new")
    stage.make_copy(tmp_path / "base", tmp_path / "copy", manifest)
    assert (tmp_path / "copy" / "src" / "a.py").read_bytes() == b"a"
    assert not (tmp_path / "copy" / "src" / "new").exists()


def test_a_copy_can_be_changed_without_touching_the_base(root, tmp_path):
    manifest = stage.freeze_base(root, tmp_path / "base", ALL, LIMITS)
    stage.make_copy(tmp_path / "base", tmp_path / "copy", manifest)
    (tmp_path / "copy" / "other" / "b").write_bytes(b"by the agent")
    stage.verify_base(tmp_path / "base", manifest, LIMITS)


def test_case_h09_two_automations_that_share_a_directory_work_in_separate_copies(root, tmp_path):
    copies = [tmp_path / "copy-one", tmp_path / "copy-two"]
    for number, copy in enumerate(copies):
        manifest = stage.freeze_base(root, tmp_path / f"base-{number}", ALL, LIMITS)
        stage.make_copy(tmp_path / f"base-{number}", copy, manifest)
        (copy / "src" / "a.py").write_text(f"by {number}")
    assert [(copy / "src" / "a.py").read_text() for copy in copies] == ["by 0", "by 1"]
    assert (root / "src" / "a.py").read_bytes() == b"a"


def remove_file(base):
    (base / "src" / "a.py").unlink()


def change_file(base):
    (base / "src" / "a.py").write_bytes(b"A")


def add_file(base):
    (base / "src" / "extra").write_bytes(b"")


def change_mode(base):
    (base / "src" / "a.py").chmod(0o777)


def turn_link(base):
    (base / "src" / "link").unlink()
    (base / "src" / "link").symlink_to("/etc/passwd")


def replace_directory(base):
    (base / "src" / "deep" / "run.sh").unlink()
    (base / "src" / "deep").rmdir()
    (base / "src" / "deep").symlink_to("/etc")


@pytest.mark.parametrize(
    ("alter", "named"),
    [
        (remove_file, "src/a.py"),
        (change_file, "src/a.py"),
        (add_file, "src/extra"),
        (change_mode, "src/a.py"),
        (turn_link, "src/link"),
        (replace_directory, "src/deep"),
    ],
)
def test_an_altered_base_is_found_and_the_path_named(root, tmp_path, alter, named):
    manifest = stage.freeze_base(root, tmp_path / "base", ALL, LIMITS)
    alter(tmp_path / "base")
    with pytest.raises(BaseAlteredError, match=named):
        stage.verify_base(tmp_path / "base", manifest, LIMITS)
    if alter is not add_file:
        with pytest.raises(BaseAlteredError, match=named):
            stage.make_copy(tmp_path / "base", tmp_path / "copy", manifest)
        assert not (tmp_path / "copy").exists()


def test_a_base_that_is_gone_is_an_error(root, tmp_path):
    manifest = stage.freeze_base(root, tmp_path / "base", ALL, LIMITS)
    remove_tree(tmp_path / "base")
    with pytest.raises(BaseAlteredError, match="gone"):
        stage.verify_base(tmp_path / "base", manifest, LIMITS)


def test_a_missing_source_is_an_error_and_makes_nothing(tmp_path):
    with pytest.raises(FileNotFoundError):
        stage.freeze_base(tmp_path / "gone", tmp_path / "base", ALL, LIMITS)
    assert not (tmp_path / "base").exists()


def test_what_cannot_be_copied_is_named(root, tmp_path):
    os.mkfifo(root / "src" / "fifo")
    manifest = stage.freeze_base(root, tmp_path / "base", ALL, LIMITS)
    assert manifest.left_out == ("src/fifo",)
    stage.verify_base(tmp_path / "base", manifest, LIMITS)


def test_a_source_that_keeps_changing_is_an_error_and_leaves_nothing(root, tmp_path, monkeypatch):
    path = root / "src" / "a.py"
    ioctl = stage.fcntl.ioctl

    def write_meanwhile(*arguments):
        with path.open("ab") as file:
            file.write(b"more")
        return ioctl(*arguments)

    monkeypatch.setattr(stage.fcntl, "ioctl", write_meanwhile)
    with pytest.raises(SourceBusyError, match=r"src/a\.py"):
        stage.freeze_base(root, tmp_path / "base", part("src/a.py"), LIMITS)
    assert not (tmp_path / "base").exists()


def test_a_manifest_survives_json_whatever_the_names_are(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    for name in (b"\xff", b"base64:QQ==", b"new\nline", "ü".encode()):
        (root / os.fsdecode(name)).write_bytes(name)
    manifest = stage.freeze_base(root, tmp_path / "base", ALL, LIMITS)
    again = Manifest.from_plain(json.loads(json.dumps(manifest.to_plain())))
    assert again == manifest
    assert again.sha256 == manifest.sha256
    stage.verify_base(tmp_path / "base", again, LIMITS)


def test_the_hash_of_a_manifest_stands_for_its_content(root, tmp_path):
    first = stage.freeze_base(root, tmp_path / "one", ALL, LIMITS)
    second = stage.freeze_base(root, tmp_path / "two", ALL, LIMITS)
    (root / "src" / "a.py").write_bytes(b"A")
    third = stage.freeze_base(root, tmp_path / "three", ALL, LIMITS)
    assert first.sha256 == second.sha256 != third.sha256
    assert {entry.kind for entry in first.entries.values()} == {
        Kind.FILE,
        Kind.DIRECTORY,
        Kind.LINK,
    }
