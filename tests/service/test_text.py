"""Times that people give are read, or refused with what to write instead."""

import pytest

from duly.model.errors import ValidationError
from duly.model.instant import to_text
from duly.service.definition import duration
from duly.service.text import parse


def test_a_time_with_an_offset_is_that_instant():
    assert to_text(parse("2026-12-24T18:00:00+02:00", "/at")) == "2026-12-24T16:00:00Z"


@pytest.mark.parametrize(
    "text",
    ["", "now", "25:00", "2026-02-30", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", "1969"],
)
def test_what_is_no_time_that_may_be_meant_is_refused(text):
    with pytest.raises(ValidationError) as refused:
        parse(text, "/at")
    (fault,) = refused.value.faults
    assert fault.pointer == "/at"
    assert len(fault.message) < 200


@pytest.mark.parametrize(
    ("text", "duration_us"),
    [
        ("80s", 80_000_000),
        ("80", 80_000_000),
        ("0.25", 250_000),
        ("5m", 300_000_000),
        ("5min", 300_000_000),
        ("0", 0),
    ],
)
def test_a_time_to_wait_has_a_unit_or_is_in_seconds(text, duration_us):
    assert duration.read_wait(text) == duration_us


def test_a_definition_writes_the_unit():
    with pytest.raises(ValueError, match="such as 90s"):
        duration.read("80")
