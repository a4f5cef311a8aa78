"""Logs are redacted wherever they are cut, kept within their limits, and can be followed while they grow."""

import base64
import hashlib
import json
import re
import urllib.parse

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.adapters.files.bytes_store import BytesStore
from duly.adapters.launch.log import LogFollower, LogLimits, LogWriter
from duly.adapters.launch.redaction import Redaction

SECRET = "sk-live/7+hunter2=?"


def redact(secrets, *pieces):
    redaction = Redaction(secrets)
    return b"".join([redaction.feed(piece) for piece in pieces]) + redaction.finish()


@pytest.mark.parametrize("cut", range(len(SECRET) + 1))
def test_a_secret_is_redacted_wherever_it_is_cut(cut):
    text = f"key={SECRET}&".encode()
    assert redact([SECRET], text[: 4 + cut], text[4 + cut :]) == b"key=[redacted]&"


def test_a_secret_is_redacted_byte_by_byte():
    text = f"a{SECRET}{SECRET}b{SECRET[:-1]}".encode()
    pieces = [text[at : at + 1] for at in range(len(text))]
    assert redact([SECRET], *pieces) == b"a[redacted][redacted]b" + SECRET[:-1].encode()


@pytest.mark.parametrize(
    "shown",
    [
        base64.b64encode(f"user:{SECRET}".encode()),
        base64.b64encode(f"me:{SECRET}!".encode()),
        base64.urlsafe_b64encode(f"x{SECRET}yz".encode()),
        SECRET.encode().hex().encode(),
        SECRET.encode().hex().upper().encode(),
        urllib.parse.quote(SECRET, safe="").encode(),
        urllib.parse.quote(SECRET).encode(),
        json.dumps({"key": SECRET + '"'}).encode(),
    ],
)
def test_encoded_forms_are_redacted_too(shown):
    found = redact([SECRET], b"shown: ", shown, b"\n")
    assert b"[redacted]" in found
    assert shown not in found


def test_lines_of_a_secret_file_are_redacted_one_by_one():
    secret = "-----BEGIN-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END-----"
    found = redact([secret], b"  MIIEvQIBADANBgkq\n  hkiG9w0BAQEFAASC\n")
    assert found == b"  [redacted]\n  [redacted]\n"


def test_of_two_secrets_at_one_place_the_longer_is_redacted():
    assert redact(["token", "token-2"], b"token-2 toke", b"n token-", b"3") == (
        b"[redacted] [redacted] [redacted]-3"
    )


def test_without_secrets_nothing_is_held_back():
    redaction = Redaction([])
    assert redaction.feed(b"abc") == b"abc"


def test_a_very_short_value_is_no_secret_worth_hiding():
    assert redact(["a", ""], b"banana") == b"banana"


@given(
    st.lists(st.text("ab", min_size=4, max_size=7), max_size=4),
    st.lists(st.binary(max_size=8).map(lambda b: bytes(97 + x % 2 for x in b)), max_size=12),
)
def test_the_result_does_not_depend_on_the_cuts(secrets, pieces):
    whole = b"".join(pieces)
    assert redact(secrets, *pieces) == redact(secrets, whole)


@pytest.fixture
def store(tmp_path):
    return BytesStore(tmp_path / "bytes")


@pytest.fixture
def write(tmp_path):
    """Start writers that are closed when the test ends."""
    writers = []

    def begin(limits=None, secrets=()):
        writers.append(LogWriter(tmp_path / "log", limits or LogLimits(), secrets))
        return writers[-1]

    yield begin
    for writer in writers:
        writer.close()


@pytest.fixture
def follow(tmp_path):
    """Start followers that are closed when the test ends."""
    followers = []

    def begin(limits=None):
        followers.append(LogFollower(tmp_path / "log", limits or LogLimits()))
        return followers[-1]

    yield begin
    for follower in followers:
        follower.close()


def test_a_small_log_is_stored_as_it_is(write, store, tmp_path):
    log = write()
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600
    log.write(b"one\n")
    log.write(b"two\n")
    stored = log.finish(store)
    assert store.read_bytes(stored.sha256) == b"one\ntwo\n"
    assert stored.sha256 == hashlib.sha256(b"one\ntwo\n").hexdigest()
    assert (stored.size_bytes, stored.dropped_bytes) == (8, 0)
    assert not (tmp_path / "log").exists()


def test_a_log_never_overwrites_another(write):
    write()
    with pytest.raises(FileExistsError):
        write()


@pytest.mark.parametrize("piece", [1, 7, 64, 5000])
@pytest.mark.parametrize("size", [0, 29, 30, 31, 50, 51, 1000])
def test_head_and_tail_are_kept_and_what_was_dropped_is_counted(write, store, piece, size):
    output = b"".join(b"%d," % n for n in range(size))[:size]
    log = write(LogLimits(head_bytes=10, tail_bytes=20))
    for at in range(0, size, piece):
        log.write(output[at : at + piece])
    stored = log.finish(store)
    text = store.read_bytes(stored.sha256)
    if size <= 30:
        assert text == output
    else:
        mark = b"\n[duly: %d bytes dropped here]\n" % (size - 30)
        assert text == output[:10] + mark + output[-20:]
    assert (stored.size_bytes, stored.dropped_bytes) == (len(text), max(0, size - 30))


def test_the_partial_file_of_a_flood_stays_small(write, tmp_path):
    log = write(LogLimits(head_bytes=1000, tail_bytes=1000))
    for _ in range(200):
        log.write(b"flood\n" * 100)
        assert (tmp_path / "log").stat().st_size < 4000


def test_secrets_never_reach_the_partial_file(write, follow):
    log = write(secrets=[SECRET])
    follower = follow()
    log.write(b"key " + SECRET[:7].encode())
    assert follower.read_new() == b"key "
    log.write(SECRET[7:].encode() + b"\n")
    assert follower.read_new() == b"[redacted]\n"


def test_a_follower_sees_what_is_written_when_it_is_written(write, follow):
    log = write()
    follower = follow()
    assert follower.read_new() == b""
    log.write(b"one")
    assert follower.read_new() == b"one"
    assert follower.read_new() == b""
    log.write(b"two")
    assert follower.read_new() == b"two"


def _all(follower):
    found = b""
    while data := follower.read_new():
        found += data
    return found


def test_a_follower_that_keeps_up_sees_every_byte_of_a_flood_once(write, follow):
    limits = LogLimits(head_bytes=10, tail_bytes=20)
    log, follower = write(limits), follow(limits)
    output = b"".join(b"%d," % n for n in range(200))
    found = b""
    for at in range(0, len(output), 7):
        log.write(output[at : at + 7])
        found += _all(follower)
    assert found == output


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 70), st.booleans()), max_size=40))
def test_a_follower_that_falls_behind_is_told_and_never_sees_a_byte_twice(tmp_path_factory, steps):
    limits = LogLimits(head_bytes=10, tail_bytes=20)
    path = tmp_path_factory.mktemp("follow") / "log"
    log = LogWriter(path, limits)
    follower = LogFollower(path, limits)
    output = "".join(chr(0x100 + n) for n in range(3000)).encode()
    at, found = 0, b""
    for size, is_read in steps:
        log.write(output[at : at + size])
        at += size
        found += _all(follower) if is_read else b""
    found += _all(follower)
    log.close()
    follower.close()
    texts = re.split(rb"\n\[duly: \d+ bytes dropped here\]\n", found)
    position = 0
    for text in texts:
        where = output.find(text, position)
        assert where >= 0
        position = where + len(text)
    if texts[-1]:
        assert position == at
