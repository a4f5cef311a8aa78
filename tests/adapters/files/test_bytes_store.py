"""Bytes are kept by their hash, once, and damage is never handed out."""

import hashlib
import os

import pytest

from duly.adapters.files.bytes_store import BytesCorruptError, BytesMissingError, BytesStore


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def store(tmp_path):
    return BytesStore(tmp_path / "bytes")


def files(store):
    return sorted(str(p.relative_to(store.root)) for p in store.root.rglob("*") if p.is_file())


def test_bytes_come_back_as_they_were_put(store):
    assert store.put_bytes(b"hello") == sha(b"hello")
    assert store.read_bytes(sha(b"hello")) == b"hello"
    with store.open(sha(b"hello")) as file:
        assert file.read() == b"hello"
    name = sha(b"hello")
    assert files(store) == [f"sha256/{name[:2]}/{name[2:]}"]
    assert store.path_of(name).stat().st_mode & 0o777 == 0o600


def test_a_file_is_stored_as_a_copy_and_stays_where_it_was(store, tmp_path):
    data = os.urandom(3_000_000)
    (tmp_path / "file").write_bytes(data)
    assert store.put_file(tmp_path / "file") == sha(data)
    (tmp_path / "file").write_bytes(b"changed")
    assert store.read_bytes(sha(data)) == data


def test_putting_the_same_twice_keeps_one(store, tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    before = [store.put_bytes(b"x"), store.path_of(sha(b"x")).stat().st_ino]
    after = [store.put_file(tmp_path / "file"), store.path_of(sha(b"x")).stat().st_ino]
    assert before == after
    assert len(files(store)) == 1


def test_a_link_is_not_stored_as_what_it_points_to(store, tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="symbolic"):
        store.put_file(tmp_path / "link")
    assert files(store) == []


def test_missing_bytes_and_damaged_bytes_are_told_apart(store):
    name = store.put_bytes(b"good")
    store.path_of(name).write_bytes(b"evil")
    assert store.has(name)
    assert not store.verify(name)
    with pytest.raises(BytesCorruptError):
        store.read_bytes(name)
    store.path_of(name).unlink()
    assert not store.has(name)
    assert not store.verify(name)
    with pytest.raises(BytesMissingError):
        store.read_bytes(name)


def test_putting_damaged_bytes_again_repairs_them(store, tmp_path):
    name = store.put_bytes(b"good")
    store.path_of(name).write_bytes(b"evil")
    store.put_bytes(b"good")
    assert store.read_bytes(name) == b"good"
    store.path_of(name).write_bytes(b"evil")
    (tmp_path / "file").write_bytes(b"good")
    store.put_file(tmp_path / "file")
    assert store.read_bytes(name) == b"good"


def test_a_failed_put_leaves_nothing(store, tmp_path):
    with pytest.raises(FileNotFoundError):
        store.put_file(tmp_path / "gone")
    with pytest.raises(IsADirectoryError):
        store.put_file(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="fifo"):
        store.put_file(tmp_path / "fifo")
    assert files(store) == []


@pytest.mark.parametrize("name", ["", "abc", "../" * 21 + "x", sha(b"").upper(), sha(b"") + "\n"])
def test_only_hashes_name_bytes(store, name):
    with pytest.raises(ValueError, match="SHA-256"):
        store.path_of(name)
