"""What cron cannot mean: every fault says where it is, and what to write instead."""

import pytest

from duly.model.errors import Fault, ValidationError
from duly.recurrence import cron as expressions
from duly.recurrence import faults
from duly.recurrence.faults import Faults
from tests.recurrence.places import cron

OF_FIELDS = [
    ("60 9 * * *", "minute, column 1: 60 is outside 0 to 59", "the next hour"),
    ("0 24 * * *", "hour, column 3: 24 is outside 0 to 23", "write 0: midnight"),
    ("0 9 0 * *", "day of month, column 5: 0 is outside 1 to 31", "1 to 31, or L"),
    ("0 9 1,32 * *", "day of month, column 7: 32 is outside 1 to 31", "L for the last day"),
    ("0 9 * 13 *", "month, column 7: 13 is outside 1 to 12", "December is 12"),
    ("0 9 * 0 *", "month, column 7: 0 is outside 1 to 12", "January is 1"),
    ("0 9 * * 8", "day of week, column 9: 8 is outside 0 to 7", "Sunday is 0 or 7"),
    ("0   9 * *  8", "day of week, column 12: 8 is outside", "Sunday"),
    ("0 9 * * fr", "day of week, column 9: 'fr' is no value", "write FRI"),
    ("0 9 * * Monday", "day of week, column 9: 'Monday' is no value", "write MON"),
    ("0 9 * june *", "month, column 7: 'june' is no value", "write JUN"),
    ("0 9 * MON *", "month, column 7: 'MON' is no value", "MON belongs in the field day of week"),
    ("0 9 * * x", "day of week, column 9: 'x' is no value", "use 0 to 7, or SUN to SAT"),
    ("0 9 * * FRI-MON", "day of week, column 9: 'FRI-MON' runs backwards", "write 5-6,0-1"),
    ("0 9 * * 7-2", "day of week, column 9: '7-2' runs backwards", "write 0-2"),
    ("0 9 * * SAT-SUN", "day of week, column 9: 'SAT-SUN' runs backwards", "write 6,0"),
    ("0 22-2 * * *", "hour, column 3: '22-2' runs backwards", "write 22-23,0-2"),
    ("0 21-4/3 * * *", "hour, column 3: '21-4/3' runs backwards", "write 21,0,3"),
    ("*/0 9 * * *", "minute, column 1: '*/0': the step is no whole", "write '*'"),
    ("1-5/0 9 * * *", "minute, column 1: '1-5/0': the step is no whole", "'1-5/2'"),
    ("*/x 9 * * *", "minute, column 1: '*/x': the step is no whole", "write '*'"),
    ("*/60 * * * *", "minute, column 1: '*/60': the step leaves only", "write 0;"),
    ("0 */24 * * *", "hour, column 3: '*/24': the step leaves only", "INTERVAL"),
    ("5/10 9 * * *", "minute, column 1: '5/10': a step needs a range", "write 5-59/10"),
    ("1,,2 9 * * *", "minute, column 3: '' is no value", "no empty place"),
    ("1- 9 * * *", "minute, column 1: '' is no value", "no empty place"),
    ("-1 9 * * *", "minute, column 1: '' is no value", "no empty place"),
    ("٣ 9 * * *", "minute, column 1: '٣' is no value", "write '3'"),
    ("０ 9 * * *", "minute, column 1: '０' is no value", "write '0'"),  # noqa: RUF001
    ("0 9 * * 1–5", "day of week, column 9: '1–5' is no value", "write '1-5'"),  # noqa: RUF001
    ("0 9 ＊ * *", "day of month, column 5: '＊' is no value", "write '*'"),  # noqa: RUF001
    ("12345 9 * * *", "minute, column 1: '12345' is no value", "use 0 to 59"),
    ("H 9 * * *", "minute, column 1: 'H' means nothing here", "H(0-29)"),
    ("0~30 9 * * *", "minute, column 1: '0~30' means nothing here", "H(a-b)"),
    ("0 9 ? * 2", "day of month, column 5: '?' means nothing here", "Quartz counts them from 1"),
    ("L 9 * * *", "minute, column 1: 'L' is no value", "use 0 to 59"),
    ("0 9 * 1#2 *", "month, column 7: '1#2' is no value", "use 1 to 12"),
    ("0 9 5L * *", "day of month, column 5: '5L' is no value", "field day of week"),
    ("0 9 W * *", "day of month, column 5: 'W' is no value", "write 15W"),
    ("0 9 1-5W * *", "day of month, column 5: '5W' is no value", "write 15W"),
    ("0 9 L-31 * *", "day of month, column 5: 'L-31': no month has that many", "L-30"),
    ("0 9 32W * *", "day of month, column 5: '32W': there is no day 32", "31W"),
    ("0 9 * * L", "day of week, column 9: 'L' alone names no weekday", "5L"),
    ("0 9 * * 1#6", "day of week, column 9: '1#6': a month has 1 to 5", "1#1"),
    ("0 9 * * 1#", "day of week, column 9: '1#' is no value", "MON#1"),
    ("0 9 * * 8L", "day of week, column 9: '8L': '8' is no weekday", "SUN"),
    ("0 9 * * MOL#2", "day of week, column 9: 'MOL#2': 'MOL' is no weekday", "SUN"),
]
OF_THE_WHOLE = [
    ("* * * *", "a cron expression has 5 fields, this one has 4", "minute, hour"),
    ("", "a cron expression has 5 fields, this one has 0", "minute, hour"),
    ("0 0 9 * * *", "6 fields: seconds first", "set seconds_first: true"),
    ("0 0 9 * * MON", "6 fields: seconds first", "'0 9 * * MON'"),
    ("0 9 * * 1 2026", "no field for years", "write '0 9 * * 1'; valid_from"),
    ("0 0 9 ? * 2 2026", "7 fields: Quartz", "valid_from"),
    ("0 9 * * * /bin/report", "'/bin/report' is no part", "write '0 9 * * *'"),
    ("0 9 * * * root report --all", "'root' is no part", "write '0 9 * * *'"),
    ("09:30 * * *", "'09:30' is no field", "write 30 9 * * *"),
    ("CRON_TZ=Asia/Taipei 0 9 * * *", "the zone is no part", "timezone: 'Asia/Taipei'"),
    ("cron(0 9 ? * MON-FRI *)", "AWS", "minute, hour"),
    ("@reboot", "@reboot names no time", "caught up"),
    ("@every 5m", "@every is a cadence", "FREQ=MINUTELY;INTERVAL=5"),
    ("@daily report", "nothing may follow @daily", "@daily alone"),
    ("@fortnightly", "'@fortnightly' is no known name", "@weekly"),
    ("0 0 31 2 *", "never fires", "restriction"),
    ("0 0 31 4,6,9,11 *", "never fires", "restriction"),
    ("0 0 L-30 2,4 *", "never fires", "restriction"),
    # A day field that begins with * must agree: the second Monday is never the 1st or the 31st.
    ("0 0 */30 * MON#2", "never fires", "restriction"),
    # Saturdays and Sundays are no workdays.
    ("0 0 15W * */6", "never fires", "restriction"),
    ("0 0 */28 2 MON#4", "never fires", "restriction"),
]


def fault_of(text: str) -> Fault:
    with pytest.raises(ValidationError) as caught:
        cron(text)
    (fault,) = caught.value.faults
    return fault


@pytest.mark.parametrize(("text", "named", "fix"), OF_FIELDS + OF_THE_WHOLE)
def test_what_cron_cannot_mean_is_refused_with_its_place_and_what_to_write(
    text: str, named: str, fix: str
) -> None:
    fault = fault_of(text)
    assert fault.pointer == "/schedule/cron"
    assert named in fault.message
    assert fix in fault.fix


def test_every_field_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        cron("60 24 32 13 8")
    assert [fault.message.partition(",")[0] for fault in caught.value.faults] == [
        "minute",
        "hour",
        "day of month",
        "month",
        "day of week",
    ]


@pytest.mark.parametrize(
    "text",
    ["\x1b[2J/5 9 * * *", "0 9 * * *  \x1b[2J", "\x07:\x07 9 * *", "@\x1b[2J", "\x1b 9 * * * *"],
)
def test_no_fault_prints_what_a_terminal_would_obey(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        cron(text)
    for fault in caught.value.faults:
        assert (fault.message + fault.fix).isprintable()


@pytest.mark.parametrize(
    ("text", "named", "fix"),
    [
        ("0 9 * * *", "there are 5 fields", "write '0 0 9 * * *'"),
        ("@daily", "has no seconds", "leave seconds_first out"),
        ("60 0 9 * * *", "second, column 1: 60 is outside 0 to 59", "next minute"),
        ("0 0 9 * * * 2026", "no field for years", "write '0 0 9 * * *'"),
        ("0 0 9 * * * report", "'report' is no part", "write '0 0 9 * * *'"),
        ("0 * * *", "has 6 fields, this one has 4", "second, minute"),
    ],
)
def test_seconds_come_first_or_not_at_all(text: str, named: str, fix: str) -> None:
    found = Faults(faults.CRON)
    assert expressions.parse(text, found, seconds_first=True) is None
    (fault,) = found.found
    assert named in fault.message and fix in fault.fix


def test_a_written_spread_is_read_with_its_column_before_it_is_resolved() -> None:
    found = Faults(faults.CRON)
    assert expressions.parse("H(0-29)/10 H 9 * *", found, may_spread=True) is not None
    assert expressions.parse("H(0-29)/10 H(20-30) 9 * 8", found, may_spread=True) is None
    assert [fault.message for fault in found.found] == [
        "hour, column 12: 'H(20-30)' means nothing here",
        "day of week, column 25: 8 is outside 0 to 7",
    ]
