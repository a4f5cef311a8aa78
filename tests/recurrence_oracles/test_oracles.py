"""Other engines as witnesses, in UTC, where they agree with each other and with RFC 5545 and Debian's cron."""

from datetime import UTC, datetime, timedelta
from itertools import islice

from croniter import croniter
from cronsim import CronSim
from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duly.model.errors import ValidationError
from duly.model.instant import DAY_US, Instant, from_datetime
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Slot
from tests.recurrence.brute import Made, made_rules
from tests.recurrence.places import cron, instant, rrule

SPAN_DAYS = 40


@given(made_rules())
@settings(max_examples=100)
def test_rules_name_the_instants_that_dateutil_names(made: Made) -> None:
    assume(made.parts["FREQ"] != "MINUTELY")
    start = made.start
    try:
        schedule = rrule(made.text, start.isoformat())
    except ValidationError as error:
        assume("fire" not in error.message)
        raise
    at = Instant(from_datetime(start.replace(tzinfo=UTC)) - 1)
    # dateutil walks to the next instant, however far; it is asked for near ones only.
    following = schedule.next(Instant(at + SPAN_DAYS * DAY_US))
    assume(isinstance(following, Slot) and following.due_at - at < 1_000 * DAY_US)
    theirs = rrulestr(made.text, dtstart=start)
    until = start + timedelta(days=SPAN_DAYS)
    expected = [
        from_datetime(each.replace(tzinfo=UTC)) for each in theirs.between(start, until, True)
    ]
    found = schedule.between(at, from_datetime(until.replace(tzinfo=UTC)), 100_000)
    assert [slot.due_at for slot in found.slots] == expected


def _fields(low: int, high: int) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high)
    ends = st.lists(numbers, min_size=2, max_size=2, unique=True).map(sorted)
    ranges = ends.map(lambda pair: f"{pair[0]}-{pair[1]}")
    steps = st.integers(2, (high - low) // 2).map(lambda step: f"*/{step}")
    items = st.lists(numbers.map(str) | ranges, min_size=1, max_size=3).map(",".join)
    return st.just("*") | items | steps


CRONS = st.tuples(
    _fields(0, 59), _fields(0, 23), _fields(1, 31), _fields(1, 12), _fields(0, 6)
).map(" ".join)
MOMENTS = st.integers(0, 4_000).map(
    lambda hours: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
)


def ours(text: str) -> Schedule:
    try:
        return cron(text)
    except ValidationError as error:
        assume("fire" not in error.message)
        raise


def next_slots(schedule: Schedule, moment: datetime, count: int) -> list[Instant]:
    found = schedule.between(from_datetime(moment), instant("2100-01-01T00:00"), count)
    return [slot.due_at for slot in found.slots]


@given(CRONS, MOMENTS)
@settings(max_examples=100)
def test_cron_names_the_instants_that_cronsim_names(text: str, moment: datetime) -> None:
    schedule = ours(text)
    expected = [from_datetime(each) for each in islice(CronSim(text, moment), 5)]
    assert next_slots(schedule, moment, 5) == expected


@given(CRONS, MOMENTS)
@settings(max_examples=80)
def test_cron_names_the_instants_that_croniter_names(text: str, moment: datetime) -> None:
    fields = text.split()
    # With both day fields given, croniter reads a leading star in another way than Debian's cron.
    assume("*" in (fields[2], fields[4]))
    schedule = ours(text)
    theirs = croniter(text, moment)
    expected = [from_datetime(theirs.get_next(datetime)) for _ in range(5)]
    assert next_slots(schedule, moment, 5) == expected
