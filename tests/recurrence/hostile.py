"""Rules meant to stall or confuse a scheduler. Each must be refused, or answered within a bound."""

from collections.abc import Sequence


def texts() -> Sequence[tuple[str, str]]:
    """Return kind and text of every hostile rule."""
    numbers = ",".join(str(number) for number in range(10_000))
    rules = [
        f"FREQ={frequency};INTERVAL={interval}{rest}"
        for frequency in ("MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
        for interval in (1, 7, 61, 1_440, 999_983)
        for rest in (
            ";BYMONTH=2;BYDAY=MO",
            ";BYHOUR=3;BYMINUTE=59;COUNT=1000000000",
            ";COUNT=1000000000",
            ";BYHOUR="
            + ",".join(map(str, range(24)))
            + ";BYMINUTE="
            + ",".join(map(str, range(60))),
            ";UNTIL=99991231T235959Z",
        )
    ]
    rules += [
        f"FREQ=MINUTELY;INTERVAL={interval};BYMONTH=2;BYMONTHDAY=29;BYHOUR=23;BYMINUTE=59"
        for interval in (1, 2, 60, 1_439, 1_440, 1_441, 10_080, 525_600, 1_000_000)
    ]
    rules += [
        f"FREQ=HOURLY;INTERVAL={interval};BYMONTH=2;BYMONTHDAY=29;BYHOUR=23;BYDAY=MO"
        for interval in (1, 23, 24, 25, 8_760, 1_000_000)
    ]
    rules += [f"FREQ=YEARLY;INTERVAL={interval};BYDAY=53MO" for interval in (1, 2, 7, 400, 10_000)]
    rules += [f"FREQ=MONTHLY;INTERVAL={interval};BYMONTHDAY=31" for interval in (2, 12, 1_000_000)]
    rules += [f"FREQ=DAILY;BYHOUR={numbers}", f"FREQ=DAILY;BYMONTHDAY={numbers}", numbers]
    rules += ["FREQ=DAILY;INTERVAL=" + "9" * 1_900, "FREQ=DAILY;COUNT=" + "9" * 50, ";" * 2_000]
    rules += ["=" * 2_000, "FREQ=" * 400, "\x00" * 2_000, "FREQ=DAILY;" * 180, "A=1;" * 500]
    rules += ["FREQ=MONTHLY;BYDAY=" + ",".join(["-5MO"] * 400), "FREQ=DAILY;UNTIL=" + "0" * 1_900]
    rules += ["FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30,31", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=-30"]
    rules += ["FREQ=MONTHLY;BYDAY=5MO;BYMONTHDAY=1", "FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=-1"]
    rules += [
        "FREQ=DAILY;\u202eBYHOUR=9",
        "\uff26\uff32\uff25\uff31\uff1dDAILY",
        "FREQ=DAILY;BYHOUR=٣",
        "\n" * 2_000,
    ]
    crons = [f"0 0 {days} 2 *" for days in ("30", "31", "30,31", "30-31")]
    crons += [f"{minute} {hour} 29 2 */6" for minute in ("*", "59") for hour in ("*", "23")]
    crons += [f"{numbers} * * * *", "* " * 900, "*/1/1/1 * * * *", "-" * 900, "1-1-1 * * * *"]
    crons += ["*" * 900 + " * * * *", "\t".join("*****"), "0 0 31 4,6,9,11 *", "@" * 900]
    onces = ["9" * 900, "2026-12-25T08:00" + "+" * 900, "0001-01-01T00:00Z", "9999-12-31T23:59:59"]
    onces += ["2026-12-25T24:00", "2026-12-25T08:60", "-2026-12-25T08:00", "2026-12-25T08:00\x00"]
    return [
        *(("rrule", text) for text in rules),
        *(("cron", text) for text in crons),
        *(("once", text) for text in onces),
    ]
