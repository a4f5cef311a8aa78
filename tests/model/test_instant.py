"""Instants are exact."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from duly.model.instant import Instant, from_datetime, to_datetime, to_text

MOMENTS = st.datetimes(timezones=st.just(UTC))


@given(MOMENTS)
def test_a_datetime_comes_back_to_the_microsecond(moment):
    assert to_datetime(from_datetime(moment)) == moment


def test_an_offset_makes_no_other_instant():
    there = datetime(2026, 11, 1, 1, 30, tzinfo=timezone(timedelta(hours=-4)))
    assert to_text(from_datetime(there)) == "2026-11-01T05:30:00Z"


def test_a_fraction_is_written_only_where_there_is_one():
    assert to_text(Instant(0)) == "1970-01-01T00:00:00Z"
    assert to_text(Instant(1)) == "1970-01-01T00:00:00.000001Z"
