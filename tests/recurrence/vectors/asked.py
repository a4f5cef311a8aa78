"""What the vectors ask: rules, zones and moments worth a look. `tools/recurrence_vectors.py` finds the answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

Schedule = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A schedule as a definition writes it, a zone, and the moment (UTC) after which slots are asked for."""

    schedule: Schedule
    zone: str
    after: str
    slots: int = 5


# Moments shortly before something happens to the clock of a place.
MOMENTS: Final[Mapping[str, Sequence[str]]] = {
    "America/New_York": ("2026-03-06T12:00:00Z", "2026-10-30T12:00:00Z"),
    "Europe/London": ("2026-03-27T12:00:00Z", "2026-10-23T12:00:00Z"),
    "Europe/Dublin": ("2026-03-27T12:00:00Z", "2026-10-23T12:00:00Z"),
    "Australia/Lord_Howe": ("2026-04-03T00:00:00Z", "2026-10-02T00:00:00Z"),
    "America/Santiago": ("2026-04-03T12:00:00Z", "2026-09-04T12:00:00Z"),
    "Africa/Casablanca": ("2026-02-13T12:00:00Z", "2026-03-20T12:00:00Z"),
    "Pacific/Apia": ("2011-12-28T12:00:00Z", "2011-09-22T12:00:00Z"),
    "Asia/Kolkata": ("2028-02-27T12:00:00Z",),
    "Asia/Kathmandu": ("1985-12-30T12:00:00Z",),
    "Asia/Taipei": ("2026-12-30T12:00:00Z",),
    "UTC": ("2026-12-30T12:00:00Z", "2038-01-18T12:00:00Z"),
}

# Clock times that are repeated or missing somewhere, and cadences that run through them.
DAILY: Final = (
    "FREQ=DAILY;BYHOUR=0;BYMINUTE=0",
    "FREQ=DAILY;BYHOUR=0;BYMINUTE=10",
    "FREQ=DAILY;BYHOUR=1;BYMINUTE=30",
    "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=45",
    "FREQ=DAILY;BYHOUR=2;BYMINUTE=15",
    "FREQ=DAILY;BYHOUR=9,23;BYMINUTE=30",
    "FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=2;BYMINUTE=30",
    "FREQ=HOURLY",
    "FREQ=HOURLY;INTERVAL=6",
    "FREQ=HOURLY;BYMINUTE=0,30",
    "FREQ=MINUTELY;INTERVAL=30",
    "FREQ=MINUTELY;INTERVAL=45;BYHOUR=0,1,2,3",
)
CRONS: Final = (
    "0 0 * * *",
    "30 1 * * *",
    "15,45 2 * * *",
    "0 1-3 * * *",
    "*/30 * * * *",
    "0 */2 * * *",
    "10 0 * * 0",
    "5-59/10 1 * * 6,0",
)


def of_zones() -> Iterator[Asked]:
    """Ask for clock changes, everywhere."""
    for zone, moments in MOMENTS.items():
        for moment, rule in product(moments, DAILY):
            start = f"{int(moment[:4]) - 1}-01-01T00:20:00"
            yield Asked(
                schedule={"rrule": rule, "dtstart": start}, zone=zone, after=moment, slots=7
            )
        for moment, text in product(moments, CRONS):
            yield Asked(schedule={"cron": text}, zone=zone, after=moment, slots=7)


def of_onces() -> Iterator[Asked]:
    """Ask for single times, those that a clock repeats or leaves out among them."""
    for zone, local in (
        ("America/New_York", "2026-03-08T02:30:00"),
        ("America/New_York", "2026-11-01T01:30:00"),
        ("America/New_York", "2026-12-25T08:00:00"),
        ("Europe/London", "2026-03-29T01:30:00"),
        ("Europe/London", "2026-10-25T01:30:00"),
        ("Europe/Dublin", "2026-03-29T01:30:00"),
        ("Europe/Dublin", "2026-10-25T01:30:00"),
        ("Australia/Lord_Howe", "2026-04-05T01:45:00"),
        ("Australia/Lord_Howe", "2026-10-04T02:15:00"),
        ("America/Santiago", "2026-09-06T00:30:00"),
        ("America/Santiago", "2026-04-04T23:30:00"),
        ("Africa/Casablanca", "2026-02-15T02:30:00"),
        ("Africa/Casablanca", "2026-03-22T02:30:00"),
        ("Pacific/Apia", "2011-12-30T12:00:00"),
        ("Asia/Kathmandu", "1986-01-01T00:10:00"),
        ("Asia/Kolkata", "2028-02-29T23:59:59"),
        ("Asia/Taipei", "2026-12-31T23:59:59"),
        ("UTC", "2038-01-19T03:14:07"),
        ("UTC", "2100-02-28T23:00:00"),
    ):
        yield Asked(schedule={"once": local}, zone=zone, after="1980-01-01T00:00:00Z")
    for text in ("2026-12-25T08:00:00+08:00", "2026-11-01T01:30:00-05:00", "2038-01-19T03:14:08Z"):
        yield Asked(schedule={"once": text}, zone="America/New_York", after="1980-01-01T00:00:00Z")


def _rules(start: str, after: str, rules: Sequence[str], zone: str = "UTC") -> Iterator[Asked]:
    for rule in rules:
        yield Asked(schedule={"rrule": rule, "dtstart": start}, zone=zone, after=after)


CALENDAR: Final = (
    "FREQ=YEARLY",
    "FREQ=YEARLY;INTERVAL=2",
    "FREQ=YEARLY;INTERVAL=4",
    "FREQ=YEARLY;BYMONTH=7",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
    "FREQ=YEARLY;BYMONTH=2,12;BYMONTHDAY=28,29",
    "FREQ=YEARLY;BYMONTH=1,7;BYDAY=1MO,-1FR",
    "FREQ=YEARLY;BYDAY=1MO",
    "FREQ=YEARLY;BYDAY=-1SU",
    "FREQ=YEARLY;BYDAY=53FR",
    "FREQ=YEARLY;BYDAY=-53TH",
    "FREQ=YEARLY;BYMONTH=12;BYDAY=MO",
    "FREQ=YEARLY;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;INTERVAL=3",
    "FREQ=MONTHLY;INTERVAL=18",
    "FREQ=MONTHLY;BYMONTHDAY=29",
    "FREQ=MONTHLY;BYMONTHDAY=30",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYMONTHDAY=-31",
    "FREQ=MONTHLY;BYMONTHDAY=1,-1",
    "FREQ=MONTHLY;BYMONTHDAY=-1,-2,-3",
    "FREQ=MONTHLY;BYDAY=MO",
    "FREQ=MONTHLY;BYDAY=1MO",
    "FREQ=MONTHLY;BYDAY=-1FR",
    "FREQ=MONTHLY;BYDAY=5WE",
    "FREQ=MONTHLY;BYDAY=-5WE",
    "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
    "FREQ=MONTHLY;BYDAY=1MO,3MO,-1MO",
    "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=MONTHLY;BYMONTH=1,2,3;BYDAY=2TU",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;INTERVAL=2",
    "FREQ=WEEKLY;INTERVAL=53",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU",
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,SA;WKST=WE",
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,SA;WKST=SA",
    "FREQ=WEEKLY;BYDAY=SU;BYHOUR=23;BYMINUTE=59",
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=10",
    "FREQ=DAILY;INTERVAL=366",
    "FREQ=DAILY;BYMONTH=2",
    "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR",
    "FREQ=DAILY;INTERVAL=2;BYDAY=SA",
    "FREQ=DAILY;BYMONTHDAY=-1",
    "FREQ=DAILY;INTERVAL=3;BYMONTH=1;BYMONTHDAY=1,2,3",
    "FREQ=DAILY;BYHOUR=0,12,23;BYMINUTE=0,59",
    "FREQ=HOURLY;INTERVAL=5",
    "FREQ=HOURLY;INTERVAL=25",
    "FREQ=HOURLY;BYHOUR=0,23;BYDAY=MO",
    "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=12",
    "FREQ=HOURLY;INTERVAL=7;BYMINUTE=10,20",
    "FREQ=MINUTELY;INTERVAL=7",
    "FREQ=MINUTELY;INTERVAL=1441",
    "FREQ=MINUTELY;BYHOUR=9;BYMINUTE=0,1,59",
    "FREQ=MINUTELY;INTERVAL=90;BYDAY=SU;BYHOUR=0,1,2",
    "FREQ=DAILY;COUNT=3",
    "FREQ=WEEKLY;COUNT=4;BYDAY=TU,TH",
    "FREQ=MONTHLY;COUNT=3;BYMONTHDAY=31",
    "FREQ=YEARLY;COUNT=2;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=HOURLY;COUNT=4;INTERVAL=9",
)
YEAR_PARTS: Final = (
    "FREQ=YEARLY;BYYEARDAY=1",
    "FREQ=YEARLY;BYYEARDAY=-1",
    "FREQ=YEARLY;BYYEARDAY=60",
    "FREQ=YEARLY;BYYEARDAY=366",
    "FREQ=YEARLY;BYYEARDAY=-366",
    "FREQ=YEARLY;BYYEARDAY=100,-100;BYDAY=MO,WE,FR",
    "FREQ=YEARLY;BYYEARDAY=59,60;BYMONTH=3",
    "FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,200",
    "FREQ=HOURLY;BYYEARDAY=1,-1;BYHOUR=0,12;BYMINUTE=0",
    "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO",
    "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,SU",
    "FREQ=YEARLY;BYWEEKNO=53;BYDAY=TH",
    "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO,FR,SU",
    "FREQ=YEARLY;BYWEEKNO=-1;BYDAY=MO",
    "FREQ=YEARLY;BYWEEKNO=-53;BYDAY=MO",
    "FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=SU",
    "FREQ=YEARLY;BYWEEKNO=53;BYDAY=SA;WKST=SU",
    "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
    "FREQ=YEARLY;BYWEEKNO=10,20;BYDAY=WE;BYMONTH=3",
    "FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=TH",
)
SECONDS: Final = (
    "FREQ=SECONDLY;INTERVAL=7",
    "FREQ=SECONDLY;INTERVAL=86399",
    "FREQ=SECONDLY;INTERVAL=600;BYHOUR=0,1,2",
    "FREQ=SECONDLY;BYSECOND=0,20,40;BYMINUTE=0",
    "FREQ=MINUTELY;BYSECOND=0,30",
    "FREQ=MINUTELY;INTERVAL=15;BYSECOND=5,55",
    "FREQ=HOURLY;BYMINUTE=0,30;BYSECOND=10,50",
    "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0,59",
    "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYSECOND=15",
    "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=23;BYMINUTE=59;BYSECOND=59",
)
POSITIONS: Final = (
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=2,-2",
    "FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3",
    "FREQ=MONTHLY;BYDAY=SU,MO,TU,WE,TH,FR,SA;BYSETPOS=-31",
    "FREQ=MONTHLY;INTERVAL=3;BYDAY=FR;BYSETPOS=-1",
    "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
    "FREQ=MONTHLY;BYDAY=FR;BYHOUR=9,17;BYMINUTE=0;BYSETPOS=1,-1",
    "FREQ=YEARLY;BYMONTH=3;BYDAY=MO,FR;BYSETPOS=1,-1",
    "FREQ=YEARLY;BYMONTH=1,12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1",
    "FREQ=YEARLY;BYDAY=MO;BYSETPOS=10,-10",
    "FREQ=YEARLY;BYYEARDAY=1,100,200;BYSETPOS=2",
    "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=1",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=1",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1;WKST=SU",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU;BYSETPOS=1;WKST=SU",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU;BYSETPOS=1;WKST=MO",
    "FREQ=DAILY;BYHOUR=8,12,16;BYMINUTE=0,30;BYSETPOS=1,-1",
    "FREQ=DAILY;BYHOUR=8,12,16;BYMINUTE=0;BYSETPOS=2",
    "FREQ=DAILY;COUNT=3;BYHOUR=8,12,16;BYMINUTE=0;BYSETPOS=-1",
)
STARTS: Final = (
    # A start, and the moment after which slots are asked for.
    ("2024-02-29T09:30:00", "2024-02-29T00:00:00Z"),
    ("2019-12-31T23:45:00", "2026-12-28T00:00:00Z"),
    ("2097-01-01T12:00:00", "2099-12-28T00:00:00Z"),
)


def of_calendar() -> Iterator[Asked]:
    """Ask for every frequency and part, over leap days, years' ends, and the year 2100."""
    for start, after in STARTS:
        yield from _rules(start, after, CALENDAR)


def of_year_parts() -> Iterator[Asked]:
    """Ask for days and weeks of the year."""
    for start, after in STARTS:
        yield from _rules(start, after, YEAR_PARTS)


def of_positions() -> Iterator[Asked]:
    """Ask for members of a period by their position; a first period that DTSTART cuts among them."""
    for start, after in (*STARTS, ("2026-06-03T14:00:00", "2026-06-01T00:00:00Z")):
        yield from _rules(start, after, POSITIONS)


def of_seconds() -> Iterator[Asked]:
    """Ask for seconds."""
    for start, after in STARTS[:2]:
        yield from _rules(start, after, SECONDS)
    yield from _rules("2026-01-01T00:00:05", "2026-10-25T00:59:00Z", SECONDS, "Europe/London")


def of_ends() -> Iterator[Asked]:
    """Ask for the last slots: UNTIL in UTC, UNTIL in local time, COUNT across clock changes."""
    for zone, moments in MOMENTS.items():
        for moment in moments:
            day = moment[:10].replace("-", "")
            start = moment[:10] + "T01:30:00"
            rules = (
                "FREQ=DAILY;COUNT=6",
                "FREQ=HOURLY;INTERVAL=11;COUNT=5",
                f"FREQ=HOURLY;INTERVAL=8;UNTIL={day}T235959",
                f"FREQ=DAILY;UNTIL={day[:6]}31T235959Z",
            )
            kept = [rule for rule in rules if "31T" not in rule or day[4:6] in ("03", "10", "12")]
            yield from _rules(start, f"{int(moment[:4]) - 1}-12-31T00:00:00Z", kept, zone)


FIELDS: Final = (
    "* * * * *",
    "*/7 * * * *",
    "0 9 * * MON-FRI",
    "0 9 * JAN,JUL sun",
    "0 0 1 * *",
    "0 0 31 * *",
    "0 0 29 2 *",
    "30 4 1,15 * 5",
    "0 12 13 * FRI",
    "0 12 */2 * 1",
    "0 12 1-7 * */2",
    "0 12 * * 7",
    "0 12 * * 0-7",
    "0 0-23/5 * * *",
    "59 23 31 12 *",
    "0 0 1 1 *",
    "15-45/15 8-18 * * 1-5",
    "0 22 * 1-12/4 2#5",
    "@hourly",
    "@daily",
    "@midnight",
    "@weekly",
    "@monthly",
    "@yearly",
    "@annually",
)
DAY_FORMS: Final = (
    "0 9 L * *",
    "0 9 L-3 * *",
    "0 9 L-30 * *",
    "0 9 LW * *",
    "0 9 1W * *",
    "0 9 15W * *",
    "0 9 31W * *",
    "0 9 L 2 *",
    "0 9 1,L * *",
    "0 9 15,LW * *",
    "0 9 * * 5L",
    "0 9 * * SUNL",
    "0 9 * * 1#1",
    "0 9 * * MON#5",
    "0 9 * * 0#3",
    "0 9 * * 2#2,4#4",
    "0 9 L * 5L",
    "0 9 LW * 1#1",
)


def of_crons() -> Iterator[Asked]:
    """Ask for every form of a cron field, over leap days and years' ends."""
    for text, after in product(
        (*FIELDS, *DAY_FORMS),
        ("2024-02-27T12:00:00Z", "2026-12-29T12:00:00Z", "2100-02-26T12:00:00Z"),
    ):
        if "/0" not in text:
            yield Asked(schedule={"cron": text}, zone="UTC", after=after)


GROUPS: Final = {
    "zones": of_zones,
    "onces": of_onces,
    "calendar": of_calendar,
    "year-parts": of_year_parts,
    "positions": of_positions,
    "seconds": of_seconds,
    "ends": of_ends,
    "crons": of_crons,
}
