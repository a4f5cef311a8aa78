"""A scan tells what is there, follows nothing, fears no name, and stops at its limits."""

import hashlib
import os
import pwd

import pytest

from duly.adapters.files.tree import (
    Kind,
    Limits,
    TreeTooLargeError,
    TreeUnreadableError,
    diff,
    scan,
)

LIMITS = Limits()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_scan_notes_kind_content_and_mode_of_everything(tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "a").chmod(0o640)
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "d" / "e" / "f").write_bytes(b"")
    (tmp_path / "d" / "link").symlink_to("/etc")
    os.mkfifo(tmp_path / "fifo")
    found = scan(tmp_path, LIMITS).entries
    assert list(found) == ["a", "d", "d/e", "d/e/f", "d/link", "fifo"]
    assert [entry.kind for entry in found.values()] == [
        Kind.FILE,
        Kind.DIRECTORY,
        Kind.DIRECTORY,
        Kind.FILE,
        Kind.LINK,
        Kind.OTHER,
    ]
    assert (found["a"].sha256, found["a"].size, found["a"].mode) == (sha(b"one"), 3, 0o640)
    assert found["d/link"].sha256 == sha(b"/etc")


def test_odd_names_are_told_apart(tmp_path):
    names = [b"new\nline", b"\xff\xfe", b"-rf", b"spa ce", b"\xc3\xbc", b"u\xcc\x88", b"*"]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(name)
    found = scan(tmp_path, LIMITS).entries
    assert {os.fsencode(path): entry.sha256 for path, entry in found.items()} == {
        name: sha(name) for name in names
    }


def test_no_difference_is_no_change(tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    before = scan(tmp_path, LIMITS)
    os.utime(tmp_path / "a", (1, 1))
    (tmp_path / "empty").mkdir()
    assert diff(before, scan(tmp_path, LIMITS)).all == ()


def test_a_difference_names_every_path_with_hashes_before_and_after(tmp_path):
    for name in ("stays", "grows", "goes", "turns", "mode", "dir-to-file/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / "mode").chmod(0o644)
    before = scan(tmp_path, LIMITS)
    (tmp_path / "grows").write_bytes(b"grown")
    os.utime(tmp_path / "grows", (1, 1))
    (tmp_path / "goes").unlink()
    (tmp_path / "turns").unlink()
    (tmp_path / "turns").symlink_to("stays")
    (tmp_path / "mode").chmod(0o755)
    (tmp_path / "dir-to-file" / "x").unlink()
    (tmp_path / "dir-to-file").rmdir()
    (tmp_path / "dir-to-file").write_bytes(b"file")
    (tmp_path / "new" / "deep").mkdir(parents=True)
    (tmp_path / "new" / "deep" / "file").write_bytes(b"new")
    found = diff(before, scan(tmp_path, LIMITS))
    assert [change.path for change in found.added] == ["dir-to-file", "new/deep/file"]
    assert [change.path for change in found.changed] == ["grows", "mode", "turns"]
    assert [change.path for change in found.removed] == ["dir-to-file/x", "goes"]
    grows = found.changed[0]
    assert (grows.before.sha256, grows.after.sha256) == (sha(b"grows"), sha(b"grown"))
    assert [change.path for change in found.all] == sorted(change.path for change in found.all)


def test_a_change_that_hides_its_size_and_time_is_found(tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    os.utime(tmp_path / "a", ns=(5, 5))
    before = scan(tmp_path, LIMITS)
    (tmp_path / "a").write_bytes(b"two")
    os.utime(tmp_path / "a", ns=(5, 5))
    assert [change.path for change in diff(before, scan(tmp_path, LIMITS)).changed] == ["a"]


def test_links_are_never_followed(tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x").write_bytes(b"x")
    (tmp_path / "root" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "root" / "loop").symlink_to(tmp_path / "root")
    (tmp_path / "root" / "nowhere").symlink_to("nowhere")
    assert list(scan(tmp_path / "root", LIMITS).entries) == ["loop", "nowhere", "out"]


def test_ignored_paths_are_left_out_whole(tmp_path):
    for name in (".git/index", "sub/.git/index", "a"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    found = scan(tmp_path, LIMITS, ignored=[".git"]).entries
    assert list(found) == ["a", "sub", "sub/.git", "sub/.git/index"]


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (Limits(entries_max=3), "more than 3 entries"),
        (Limits(bytes_max=9), "more than 9 bytes"),
        (Limits(depth_max=1), "more than 1 levels"),
    ],
)
def test_a_tree_beyond_a_limit_is_an_error_that_names_it(tmp_path, limits, named):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "x").write_bytes(b"12345")
    (tmp_path / "a" / "b" / "y").write_bytes(b"12345")
    with pytest.raises(TreeTooLargeError, match=str(tmp_path)) as caught:
        scan(tmp_path, limits)
    assert named in caught.value.message


def test_without_hashing_sizes_still_count(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert scan(tmp_path, LIMITS, is_hashed=False).entries["a"].sha256 == ""
    with pytest.raises(TreeTooLargeError):
        scan(tmp_path, Limits(bytes_max=4), is_hashed=False)


def test_a_root_that_is_missing_or_no_directory_is_an_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileNotFoundError):
        scan(tmp_path / "gone", LIMITS)
    with pytest.raises(NotADirectoryError):
        scan(tmp_path / "file", LIMITS)


def test_what_cannot_be_read_is_an_error_and_never_overlooked(tmp_path):
    root = tmp_path / "root"
    (root / "closed").mkdir(parents=True)
    (root / "closed" / "x").write_bytes(b"x")
    (root / "closed").chmod(0)
    if os.geteuid() == 0:
        code = _as_nobody(lambda: scan(root, LIMITS), tmp_path)
        assert code == 0
    else:
        with pytest.raises(TreeUnreadableError):
            scan(root, LIMITS)
    (root / "closed").chmod(0o700)


def _as_nobody(call, tmp_path) -> int:
    """Run a call that must raise TreeUnreadableError in a fork without root's rights; 0 if it did."""
    for directory in (tmp_path, *tmp_path.parents):
        if directory.stat().st_uid == os.geteuid() and directory.is_relative_to("/tmp"):
            directory.chmod(directory.stat().st_mode | 0o011)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(pwd.getpwnam("nobody").pw_gid)
            os.setuid(pwd.getpwnam("nobody").pw_uid)
            call()
        except TreeUnreadableError:
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
