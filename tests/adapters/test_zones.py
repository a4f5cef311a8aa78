"""Zones come from the pinned package; the host only says which one it is in."""

import importlib.resources
import os
import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from duly.adapters.zones import Zones, host_zone_name
from duly.model.errors import ValidationError
from duly.model.instant import from_datetime
from duly.recurrence.zone import offset_at, resolve, wall

ZONES = Zones()


def test_every_zone_of_the_package_loads_and_answers() -> None:
    assert len(ZONES) > 500
    assert ZONES.known["Asia/Taipei"] is ZONES.load("Asia/Taipei")
    assert ZONES.version == ZONES.load("UTC").version
    assert ZONES.version[:4].isdigit()
    for name in ZONES:
        zone = ZONES[name]
        assert zone.name == name
        assert abs(offset_at(1_800_000_000, zone)) <= 14 * 3_600


def test_the_systems_own_zone_files_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONTZPATH", "/nonexistent")
    zone = Zones().load("America/New_York")
    assert offset_at(1_780_315_200, zone) == -4 * 3_600


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("asia/taipei", "Asia/Taipei"),
        ("Asia/Taipeh", "Asia/Taipei"),
        ("New York", "America/New_York"),
        ("Mars/Olympus_Mons", "a name such as"),
        ("", "a name such as"),
        ("../../etc/passwd", "a name such as"),
        ("/etc/localtime", "a name such as"),
        ("Asia/Taipei\x00", ""),
        ("Asia/../Asia/Taipei", ""),
        ("zones", ""),
        ("A" * 100_000, "a name such as"),
        ("亞洲/臺北", "a name such as"),
    ],
)
def test_an_unknown_zone_is_refused_naming_similar_ones(name: str, fix: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ZONES.load(name)
    (fault,) = caught.value.faults
    assert fault.pointer == "/schedule/timezone"
    assert fix in fault.fix
    assert len(fault.message) < 120
    assert fault.message.isprintable()


def test_local_times_are_read_once_and_read_back() -> None:
    zone = ZONES.load("America/New_York")
    for at in range(1_772_900_000, 1_773_000_000, 900):
        local = wall(from_datetime(_utc(at)), zone)
        if not local.fold:
            assert resolve(local.replace(tzinfo=None), zone) == at * 1_000_000


def _utc(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


# What the search for slots relies on (duly/recurrence/zone.py, pieces.py).
BLOCK_S = 1 << 18
FIRST_S = -4 * 86_400


@pytest.mark.parametrize("name", sorted(ZONES))
def test_no_zone_comes_back_to_an_offset_within_days_or_moves_by_more_than_a_day(name: str) -> None:
    changes = [(at, offset) for at, offset in _changes(name) if at >= FIRST_S - BLOCK_S]
    real = [later for earlier, later in pairwise(changes) if earlier[1] != later[1]]
    for earlier, later in pairwise(real):
        assert abs(later[1] - earlier[1]) <= 86_400
        assert later[0] - earlier[0] >= BLOCK_S, "offsets that change twice within a block"
    assert all(-15 * 3_600 <= offset <= 15 * 3_600 for _, offset in changes)


def _changes(name: str) -> list[tuple[int, int]]:
    """Return the instants and offsets of a TZif file's second block (RFC 8536 §3.1)."""
    data = importlib.resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
    isutc, isstd, leap, times, types, chars = struct.unpack(">6l", data[20:44])
    skip = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isutc
    _, _, _, times, types, _ = struct.unpack(">6l", data[skip + 20 : skip + 44])
    body = skip + 44
    instants = struct.unpack(f">{times}q", data[body : body + 8 * times])
    kinds = data[body + 8 * times : body + 9 * times]
    at = body + 9 * times
    offsets = [struct.unpack(">l", data[at + 6 * n : at + 6 * n + 4])[0] for n in range(types)]
    return [(instant, offsets[kind]) for instant, kind in zip(instants, kinds, strict=True)]


@pytest.mark.parametrize(
    ("environ", "link", "text", "expected"),
    [
        ({"TZ": "Asia/Taipei"}, None, None, "Asia/Taipei"),
        ({"TZ": ":Asia/Taipei"}, None, None, "Asia/Taipei"),
        ({"TZ": "/usr/share/zoneinfo/Europe/London"}, None, None, "Europe/London"),
        ({"TZ": "/somewhere/else"}, None, None, None),
        ({"TZ": ":/etc/localtime"}, "/usr/share/zoneinfo/Asia/Tokyo", None, "Asia/Tokyo"),
        ({}, "/usr/share/zoneinfo/America/New_York", "Asia/Taipei\n", "America/New_York"),
        ({}, "../usr/share/zoneinfo/Etc/UTC", None, "Etc/UTC"),
        ({"TZ": ""}, "/var/db/timezone/zoneinfo/Asia/Tokyo", None, "Asia/Tokyo"),
        ({}, None, "Asia/Kolkata\n", "Asia/Kolkata"),
        ({}, "/somewhere/else", "Asia/Kolkata\n", "Asia/Kolkata"),
        ({}, None, "\n", None),
        ({}, None, None, None),
    ],
)
def test_the_hosts_zone_is_found_in_its_usual_places(
    tmp_path: Path, environ: Mapping[str, str], link: str | None, text: str | None, expected: str
) -> None:
    if link is not None:
        os.symlink(link, tmp_path / "localtime")
    if text is not None:
        (tmp_path / "timezone").write_text(text)
    assert host_zone_name(environ, tmp_path) == expected


def test_a_zone_file_that_is_no_text_names_no_zone(tmp_path: Path) -> None:
    (tmp_path / "timezone").write_bytes(b"\xff\xfe")
    (tmp_path / "localtime").write_bytes(b"TZif")
    assert host_zone_name({}, tmp_path) is None


def test_a_zone_knows_all_its_names() -> None:
    zones = Zones()
    assert zones.load("Asia/Calcutta").is_called("Asia/Kolkata")
    assert zones.load("Asia/Kolkata").is_called("Asia/Calcutta")
    assert zones.load("US/Eastern").is_called("America/New_York")
    assert not zones.load("Asia/Taipei").is_called("Asia/Tokyo")
    for name in zones:
        assert all(zones[other].is_called(name) for other in zones[name].names)
