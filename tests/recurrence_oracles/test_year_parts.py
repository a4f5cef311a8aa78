"""Days and weeks of the year, with dateutil as a witness in UTC.

Where a year's first week begins in December, dateutil finds those days by 1, and not by -52 or -53, which are the
same week.
"""

from datetime import UTC, datetime, timedelta

from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duly.model.errors import ValidationError
from duly.model.instant import Instant, from_datetime
from tests.recurrence.places import rrule

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
    assert [slot.due_at for slot in found.slots] == expected
