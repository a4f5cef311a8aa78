"""Cron expressions made at random against the slow reading."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from duly.model.errors import ValidationError
from duly.model.instant import SECOND_US, Instant, from_datetime
from duly.model.timing import AnchorClass, CronRule
from duly.model.zone import Zone
from duly.recurrence.schedule import Schedule, compile_rule
from tests.recurrence import cron_walker, places

# Each with a day on which its clock is changed, or with the end of a leap February.
PLACES = (
    (places.UTC, datetime(2028, 2, 28, tzinfo=UTC)),
    (places.NEW_YORK, datetime(2026, 3, 8, tzinfo=UTC)),
    (places.NEW_YORK, datetime(2026, 11, 1, tzinfo=UTC)),
    (places.LORD_HOWE, datetime(2026, 4, 4, tzinfo=UTC)),
    (places.LORD_HOWE, datetime(2026, 10, 3, tzinfo=UTC)),
)
MONTHS = ("*", "*", "2-4", "*/2", "FEB,nov", "10-12")
MONTH_DAYS = ("*", "*", "L", "L-1", "LW", "1W", "15W", "*/2", "1-7", "28,L", "29-31", "1-31")
WEEKDAYS = ("*", "*", "MON-FRI", "0", "7", "*/2", "sun#1", "5L", "2#1,0", "SAT,SUN", "0-6")
HOURS = ("*", "*/2", "0-3", "1,2", "2", "23", "0-23/5")
NUMBERS = {
    "*": range(60),
    "*/15": (0, 15, 30, 45),
    "0": (0,),
    "30": (30,),
    "1-59/29": (1, 30, 59),
    "0,30,45": (0, 30, 45),
}
MINUTES = tuple(NUMBERS)


def compiled(text: str, zone: Zone, *, seconds_first: bool = False) -> Schedule | None:
    """Compile an expression; None when no date agrees with it."""
    try:
        return compile_rule(CronRule(text=text, seconds_first=seconds_first), zone)
    except ValidationError as error:
        if "never fires" in error.faults[0].message:
            return None
        raise


def found_in(schedule: Schedule, first: datetime, last: datetime) -> Sequence[int]:
    """Return the instants in `[first, last)`."""
    after, until = (Instant(from_datetime(each) - SECOND_US) for each in (first, last))
    found = schedule.between(after, until, 1_000_000)
    assert found.is_complete
    return [slot.due_at for slot in found.slots]


def fields(*choices: Sequence[str]) -> st.SearchStrategy[str]:
    """Draw an expression, one field from each choice."""
    return st.tuples(*(st.sampled_from(choice) for choice in choices)).map(" ".join)


@given(fields(MINUTES, HOURS, MONTH_DAYS, MONTHS, WEEKDAYS), st.sampled_from(PLACES))
@example("30 2 * * *", PLACES[1])
@example("30 1 * * *", PLACES[2])
@example("0,30 1-2 8 3 0", PLACES[1])
@settings(max_examples=40)
def test_slots_are_what_looking_at_every_minute_finds(
    text: str, place: tuple[Zone, datetime]
) -> None:
    zone, near = place
    first, last = near - timedelta(days=1), near + timedelta(days=3)
    expected = [from_datetime(each) for each in cron_walker.instants(text, zone.info, first, last)]
    schedule = compiled(text, zone)
    assert (found_in(schedule, first, last) if schedule else []) == expected


@given(
    fields(MINUTES, MINUTES, HOURS),
    fields(MONTH_DAYS, MONTHS, WEEKDAYS),
    st.sampled_from(PLACES),
)
@example("* 30 2", "* * *", PLACES[1])
@example("*/15 30 1", "* * *", PLACES[2])
@settings(max_examples=30)
def test_seconds_first_names_seconds_of_the_minutes_that_the_rest_names(
    clock: str, days: str, place: tuple[Zone, datetime]
) -> None:
    zone, near = place
    first, last = near, near + timedelta(days=1, hours=12)
    second, minute, hour = clock.split()
    schedule = compiled(f"{clock} {days}", zone, seconds_first=True)
    is_elapsed = "*" in clock
    # A star before the minute makes cron look at every minute that the clock really shows.
    looked_at = f"* {hour} {days}" if is_elapsed else f"{minute} {hour} {days}"
    minutes = cron_walker.instants(looked_at, zone.info, first, last)
    expected = [
        from_datetime(each) + number * SECOND_US
        for each in minutes
        if not is_elapsed or each.astimezone(zone.info).minute in NUMBERS[minute]
        for number in NUMBERS[second]
    ]
    assert (found_in(schedule, first, last) if schedule else []) == expected
    if schedule is not None:
        assert schedule.anchor is (AnchorClass.ELAPSED if is_elapsed else AnchorClass.WALL)


def test_a_rare_date_is_found_within_the_work_of_one_search() -> None:
    # 29 February on a Monday that is the fifth of its month: once in 28 years.
    schedule = compiled("0 9 */28 2 MON#5", places.UTC)
    assert schedule is not None
    found = places.slots(schedule, "2026-01-01T00:00", "2100-01-01T00:00")
    assert [slot.local[:10] for slot in found] == ["2044-02-29", "2072-02-29"]
    assert (
        places.first(schedule.next(places.instant("2072-03-01T00:00"))).local[:10] == "2112-02-29"
    )
