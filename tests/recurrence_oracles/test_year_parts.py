"""Days and weeks of the year, with dateutil and the standard library's ISO calendar as witnesses, in UTC.

Where a week lies in two years, dateutil finds its days by some of its numbers and not by others: 2022-01-01 is in the
52nd week of 2021, and not found by 52. There the ISO calendar is the witness.
"""

from datetime import UTC, date, datetime, timedelta

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duly.model.errors import ValidationError
from duly.model.instant import Instant, from_datetime, to_datetime
from tests.recurrence.places import instant, rrule

WEEKDAYS = st.lists(
    st.sampled_from(("MO", "TU", "WE", "TH", "FR", "SA", "SU")), min_size=1, unique=True
)


def numbers(most: int, back: int) -> st.SearchStrategy[str]:
    one = st.integers(1, most) | st.integers(-back, -1)
    return st.lists(one, min_size=1, max_size=4, unique=True).map(
        lambda found: ",".join(map(str, found))
    )


@st.composite
def rules(draw: st.DrawFn) -> str:
    """A YEARLY rule by days or weeks of the year."""
    parts = ["FREQ=YEARLY", "BYHOUR=9", "BYMINUTE=0"]
    if draw(st.booleans()):
        parts.append(f"BYYEARDAY={draw(numbers(366, 366))}")
        if draw(st.booleans()):
            parts.append(f"BYDAY={','.join(draw(WEEKDAYS))}")
    else:
        parts.append(f"BYWEEKNO={draw(numbers(53, 51))}")
        parts.append(f"BYDAY={','.join(draw(WEEKDAYS))}")
        parts.append(f"WKST={draw(st.sampled_from(('MO', 'SU', 'WE')))}")
    if draw(st.booleans()):
        parts.append(f"BYMONTH={draw(st.integers(1, 12))}")
    if draw(st.booleans()):
        parts.append(f"INTERVAL={draw(st.integers(2, 4))}")
    return ";".join(parts)


@given(rules(), st.integers(0, 3_000))
@settings(max_examples=300, deadline=None)
def test_days_and_weeks_of_the_year_are_those_that_dateutil_names(text: str, day: int) -> None:
    start = datetime.fromisoformat("2018-01-01T09:00") + timedelta(days=day)
    try:
        schedule = rrule(text, start.isoformat())
    except ValidationError as error:
        assume("fire" not in error.message)
        raise
    until = start + timedelta(days=9 * 365)
    expected = [
        from_datetime(each.replace(tzinfo=UTC))
        for each in rrulestr(text, dtstart=start).between(start, until, True)
    ]
    at = Instant(from_datetime(start.replace(tzinfo=UTC)) - 1)
    found = schedule.between(at, from_datetime(until.replace(tzinfo=UTC)), 10_000)
    names_weeks = "BYWEEKNO" in text
    ours = [slot.due_at for slot in found.slots]
    assert [at for at in ours if not (names_weeks and _at_an_edge(at))] == [
        at for at in expected if not (names_weeks and _at_an_edge(at))
    ]


def _at_an_edge(at: Instant) -> bool:
    day = to_datetime(at).timetuple().tm_yday
    return day <= 7 or day >= 359


@pytest.mark.parametrize("week", [1, 2, 51, 52, 53, -1, -2, -52, -53])
def test_weeks_are_those_of_the_iso_calendar(week: int) -> None:
    days = "BYDAY=MO,TU,WE,TH,FR,SA,SU"
    schedule = rrule(f"FREQ=YEARLY;BYHOUR=9;BYWEEKNO={week};{days}", "2000-01-01T09:00:00")
    found = schedule.between(instant("2000-01-01T00:00"), instant("2030-01-01T00:00"), 10_000)
    expected = []
    for number in range((date(2030, 1, 1) - date(2000, 1, 1)).days):
        day = date(2000, 1, 1) + timedelta(days=number)
        year, of_year, _ = day.isocalendar()
        weeks = date(year, 12, 28).isocalendar().week
        if week in (of_year, of_year - weeks - 1):
            expected.append(day.isoformat())
    assert [slot.local[:10] for slot in found.slots] == expected
