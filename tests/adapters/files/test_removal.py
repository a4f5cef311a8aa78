"""Working copies can be removed whatever was done to them, and nothing outside is touched."""

import os
import resource

import pytest

from duly.adapters.files.removal import remove_tree


def test_closed_directories_and_odd_names_are_removed(tmp_path):
    tree = tmp_path / "tree"
    (tree / "closed" / "inner").mkdir(parents=True)
    (tree / "closed" / "inner" / "x").write_bytes(b"")
    os.mkfifo(tree / "fifo")
    (tree / "\udcff\n").write_bytes(b"")
    (tree / ".removed-1").mkdir()
    (tree / ".removed-1" / "y").write_bytes(b"")
    (tree / "closed" / "inner").chmod(0)
    (tree / "closed").chmod(0)
    tree.chmod(0o500)
    remove_tree(tree)
    assert list(tmp_path.iterdir()) == []


def test_a_depth_beyond_all_descriptors_is_removed(tmp_path):
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(200):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (here + 20, limits[1]))
    try:
        remove_tree(tmp_path / "d")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_what_they_point_to_stays(tmp_path):
    (tmp_path / "outside").mkdir(mode=0o500)
    (tmp_path / "outside-file").write_bytes(b"x")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "tree" / "file-link").symlink_to(tmp_path / "outside-file")
    (tmp_path / "tree" / "nowhere").symlink_to("nowhere")
    remove_tree(tmp_path / "tree")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside", "outside-file"]
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o500
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    remove_tree(tmp_path / "link")
    assert (tmp_path / "outside").is_dir()


@pytest.mark.parametrize("name", ["gone", "gone/deeper"])
def test_what_is_not_there_needs_no_removal(tmp_path, name):
    remove_tree(tmp_path / name)
