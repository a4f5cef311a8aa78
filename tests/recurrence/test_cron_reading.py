"""The chosen reading of a cron expression, in one line."""

import pytest

from duly.model.timing import CronRule
from duly.recurrence.cron_reading import reading


def read(text: str, *, seconds_first: bool = False) -> str:
    return reading(CronRule(text=text, seconds_first=seconds_first))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 9 * * *", "at 09:00; every day; in local time"),
        ("0 9,17 * * *", "at 09:00 and 17:00; every day; in local time"),
        ("0 9 * * 1-5", "at 09:00; Monday to Friday; in local time"),
        (
            "0 9 1 * 1",
            (
                "at 09:00; day of month 1 OR Monday (both fields restricted: either is enough);"
                " in local time"
            ),
        ),
        (
            "0 9 */2 * 0,6",
            (
                "at 09:00; day of month 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29 and 31"
                " AND Sunday and Saturday (a field begins with *: both must agree); in local time"
            ),
        ),
        (
            "0 9 1-31 * 5",
            (
                "at 09:00; every day (one of the two day fields names all days, and either is enough);"
                " in local time"
            ),
        ),
        (
            "0 9 L,L-2,15W,LW * *",
            (
                "at 09:00; the last day of the month, 2 days before the last of the month,"
                " the workday nearest to day 15 and the last workday of the month; in local time"
            ),
        ),
        (
            "0 9 * 1,6 MON#2,5L",
            (
                "at 09:00; the second Monday of the month and the last Friday of the month;"
                " in January and June; in local time"
            ),
        ),
        (
            "*/15 9-17 * * *",
            "minutes 0, 15, 30 and 45 of hours 9 to 17; every day; at a steady beat in real time",
        ),
        ("@hourly", "minute 0 of every hour; every day; at a steady beat in real time"),
        ("* * * * *", "every minute of every hour; every day; at a steady beat in real time"),
        ("0 9 * * 1,3-4,0", "at 09:00; Sunday, Monday, Wednesday and Thursday; in local time"),
    ],
)
def test_the_reading_says_what_each_field_means(text: str, expected: str) -> None:
    assert read(text) == expected


def test_the_reading_of_seconds() -> None:
    assert read("30 0 9 * * *", seconds_first=True) == "at 09:00:30; every day; in local time"
    assert read("*/20 0 9 * * *", seconds_first=True) == (
        "at 09:00:00, 09:00:20 and 09:00:40; every day; at a steady beat in real time"
    )
    assert read("* * * * * *", seconds_first=True) == (
        "every second of every minute of every hour; every day; at a steady beat in real time"
    )
