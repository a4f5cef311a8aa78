"""Settings: one documented table, read as people write it, refused when it cannot be meant."""

import dataclasses
from pathlib import Path

import pytest

from duly.engine.settings import Settings, render, written
from duly.model.errors import ValidationError
from duly.model.instant import MINUTE_US, SECOND_US

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_documented_table_is_the_code():
    assert PAGE.read_text() == render(), "run tools/settings_table.py"


def test_every_setting_has_a_name_of_its_own_and_a_meaning():
    names = [written(one.name) for one in dataclasses.fields(Settings)]
    assert len(names) == len(set(names))
    assert all(one.metadata["meaning"] for one in dataclasses.fields(Settings))


def test_settings_are_read_as_people_write_them():
    found = Settings.from_texts({"lease": "2min", "limit": "8", "scan_wake_max": "500ms"})
    assert (found.lease_us, found.limit, found.scan_wake_us_max) == (2 * MINUTE_US, 8, 500_000)
    assert found.drain_us == Settings().drain_us


def test_every_default_can_be_written_and_read_back():
    rows = [line.split(" | ") for line in render().splitlines() if line.startswith("| `")]
    texts = {row[0].strip("|` "): row[2] for row in rows}
    assert Settings.from_texts(texts) == Settings()


def test_all_faults_are_told_at_once():
    with pytest.raises(ValidationError) as caught:
        Settings.from_texts({"lease": "soon", "limit": "-1", "colour": "red"})
    assert [fault.pointer for fault in caught.value.faults] == ["/lease", "/limit", "/colour"]


def test_a_lease_that_cannot_be_renewed_in_time_is_refused():
    with pytest.raises(ValidationError, match="lease_us"):
        Settings(lease_us=1000)


def test_leases_are_renewed_at_a_third():
    assert Settings().renew_every_us == 40 * SECOND_US
