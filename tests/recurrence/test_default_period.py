"""The window period that fits a rule."""

import pytest

from duly.model.timing import OnceLocal, Period
from duly.recurrence.default_period import default_period
from duly.recurrence.schedule import Schedule, compile_rule
from tests.recurrence import places
from tests.recurrence.places import cron, rrule

START = "2026-01-05T09:00:00"


@pytest.mark.parametrize(
    ("schedule", "period"),
    [
        (rrule("FREQ=YEARLY", START), Period.MONTH),
        (rrule("FREQ=MONTHLY", START), Period.MONTH),
        (rrule("FREQ=MONTHLY;BYDAY=1MO", START), Period.MONTH),
        (rrule("FREQ=DAILY;INTERVAL=31", START), Period.MONTH),
        (rrule("FREQ=WEEKLY;INTERVAL=5", START), Period.MONTH),
        (rrule("FREQ=MONTHLY;BYMONTHDAY=1,15", START), Period.WEEK),
        (rrule("FREQ=WEEKLY", START), Period.WEEK),
        (rrule("FREQ=WEEKLY;INTERVAL=4", START), Period.WEEK),
        (rrule("FREQ=DAILY;INTERVAL=7", START), Period.WEEK),
        (rrule("FREQ=DAILY;INTERVAL=30", START), Period.WEEK),
        (rrule("FREQ=MONTHLY;BYMONTHDAY=1,-1", START), Period.DAY),
        (rrule("FREQ=WEEKLY;BYDAY=MO,FR", START), Period.DAY),
        (rrule("FREQ=DAILY;INTERVAL=6", START), Period.DAY),
        (rrule("FREQ=DAILY", START), Period.DAY),
        (rrule("FREQ=DAILY;COUNT=1", START), Period.DAY),
        (rrule("FREQ=DAILY;BYHOUR=9,17", START), Period.SLOT),
        (rrule("FREQ=HOURLY", START), Period.SLOT),
        (rrule("FREQ=HOURLY;INTERVAL=24", START, places.NEW_YORK), Period.SLOT),
        (rrule("FREQ=HOURLY;BYHOUR=9", START, places.NEW_YORK), Period.DAY),
        (rrule("FREQ=HOURLY;BYHOUR=1", START, places.NEW_YORK), Period.SLOT),
        (rrule("FREQ=HOURLY;BYHOUR=9;BYDAY=MO", START, places.NEW_YORK), Period.WEEK),
        (rrule("FREQ=MINUTELY;INTERVAL=5", START), Period.SLOT),
        (cron("0 9 * * *"), Period.DAY),
        (cron("0 9 * * 1-5"), Period.DAY),
        (cron("0 9 * * 1"), Period.WEEK),
        (cron("0 9 1 * *"), Period.MONTH),
        (cron("0 9 1,15 * *"), Period.WEEK),
        (cron("0 9,17 * * *"), Period.SLOT),
        (cron("*/15 * * * *"), Period.SLOT),
        (compile_rule(OnceLocal(local=START), places.UTC), Period.SLOT),
    ],
)
def test_the_default_is_the_longest_period_that_no_two_slots_share(
    schedule: Schedule, period: Period
) -> None:
    assert default_period(schedule) is period
