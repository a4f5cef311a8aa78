"""Cron's day fields beside cronsim, which follows Debian's cron too."""

from datetime import UTC, datetime, timedelta

import pytest
from cronsim import CronSim

from duly.model.instant import Instant, from_datetime
from tests.recurrence import places


@pytest.mark.parametrize("year", [2026, 2028])
@pytest.mark.parametrize(
    "text",
    [
        "0 9 1 * 1", "0 9 */2 * 1", "0 9 13 * FRI", "15 10 L * *", "15 10 LW * *", "0 0 * * 1#1",
        "0 0 * * 5L", "0 0 1,15 */3 *", "5-55/10 8-18/2 * * MON-FRI", "0 0 29 2 *", "0 0 * 2 0#5",
    ],
)  # fmt: skip
def test_cronsim_agrees_in_utc(text: str, year: int) -> None:
    first = datetime(year, 1, 1, tzinfo=UTC)
    schedule = places.cron(text)
    theirs = CronSim(text, first - timedelta(minutes=1))
    for slot in schedule.between(Instant(from_datetime(first) - 1), Instant(2**52), 40).slots:
        assert slot.due_at == from_datetime(next(theirs))
