"""Rules meant to stall or confuse a scheduler. Each must be refused, or answered within a bound."""

from collections.abc import Sequence
from typing import Final

LONG: Final = ",".join(str(number) for number in range(10_000))
HOURS: Final = ",".join(str(hour) for hour in range(24))
MINUTES: Final = ",".join(str(minute) for minute in range(60))


def texts() -> Sequence[tuple[str, str]]:
    """Return kind and text of every hostile rule."""
    return [
        *(("rrule", text) for text in (*_cadences(), *_rare_dates(), *_broken_rules())),
        *(("cron", text) for text in _crons()),
        *(("once", text) for text in _onces()),
    ]


def _cadences() -> Sequence[str]:
    return [
        f"FREQ={frequency};INTERVAL={interval};{rest}"
        for frequency in ("MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
        for interval in (1, 7, 61, 1_440, 999_983)
        for rest in (
            "BYMONTH=2;BYDAY=MO",
            "BYHOUR=3;BYMINUTE=59;COUNT=1000000000",
            "COUNT=1000000000",
            f"BYHOUR={HOURS};BYMINUTE={MINUTES}",
            "UNTIL=99991231T235959Z",
        )
    ]


def _rare_dates() -> Sequence[str]:
    leap_day = "BYMONTH=2;BYMONTHDAY=29;BYHOUR=23"
    minutes = (1, 2, 60, 1_439, 1_440, 1_441, 10_080, 525_600, 1_000_000)
    hours = (1, 23, 24, 25, 8_760, 1_000_000)
    return [
        *(f"FREQ=MINUTELY;INTERVAL={interval};{leap_day};BYMINUTE=59" for interval in minutes),
        *(f"FREQ=HOURLY;INTERVAL={interval};{leap_day};BYDAY=MO" for interval in hours),
        *(f"FREQ=YEARLY;INTERVAL={interval};BYDAY=53MO" for interval in (1, 2, 7, 400, 10_000)),
        *(f"FREQ=MONTHLY;INTERVAL={interval};BYMONTHDAY=31" for interval in (2, 12, 1_000_000)),
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30,31",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=-30",
        "FREQ=MONTHLY;BYDAY=5MO;BYMONTHDAY=1",
        "FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=-1",
    ]


def _broken_rules() -> Sequence[str]:
    return [
        LONG,
        f"FREQ=DAILY;BYHOUR={LONG}",
        f"FREQ=DAILY;BYMONTHDAY={LONG}",
        "FREQ=DAILY;INTERVAL=" + "9" * 1_900,
        "FREQ=DAILY;COUNT=" + "9" * 50,
        "FREQ=DAILY;UNTIL=" + "0" * 1_900,
        "FREQ=MONTHLY;BYDAY=" + ",".join(["-5MO"] * 400),
        "FREQ=DAILY;" * 180,
        "FREQ=" * 400,
        "A=1;" * 500,
        ";" * 2_000,
        "=" * 2_000,
        "\n" * 2_000,
        "\x00" * 2_000,
        "FREQ=DAILY;\u202eBYHOUR=9",
        "\uff26\uff32\uff25\uff31\uff1dDAILY",
        "FREQ=DAILY;BYHOUR=٣",
    ]


def _crons() -> Sequence[str]:
    return [
        *(f"0 0 {days} 2 *" for days in ("30", "31", "30,31", "30-31")),
        *(f"{minute} {hour} 29 2 */6" for minute in ("*", "59") for hour in ("*", "23")),
        f"{LONG} * * * *",
        "* " * 900,
        "*" * 900 + " * * * *",
        "*/1/1/1 * * * *",
        "1-1-1 * * * *",
        "0 0 31 4,6,9,11 *",
        "\t".join("*****"),
        "-" * 900,
        "@" * 900,
    ]


def _onces() -> Sequence[str]:
    return [
        "9" * 900,
        "2026-12-25T08:00" + "+" * 900,
        "0001-01-01T00:00Z",
        "9999-12-31T23:59:59",
        "2026-12-25T24:00",
        "2026-12-25T08:60",
        "-2026-12-25T08:00",
        "2026-12-25T08:00\x00",
    ]
