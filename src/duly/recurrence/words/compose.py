"""Makes a schedule of what was said; refuses what does not go together, or leaves a choice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from duly.recurrence.words import times_of_day
from duly.recurrence.words.compose_cron import cron_schedule
from duly.recurrence.words.compose_rrule import rrule_schedule
from duly.recurrence.words.said import ELAPSED_UNITS, Clock, Link, Said, Scope, Unit
from duly.recurrence.words.unclear import UnclearError

__all__ = ["UnclearError", "schedule"]

_EVERY_DAY: Final = ("every day at 09:00", "每天 09:00")


def schedule(said: Said) -> Mapping[str, object]:
    """Return a `schedule` as a definition writes it; raise UnclearError."""
    if said.instant is not None or said.on_date is not None or said.once:
        return _once(said)
    for is_wrong, about, message, fixes in _UNCLEAR:
        if is_wrong(said):
            raise UnclearError(message, about, fixes)
    said = _clock_aligned(_with_frequency(said))
    made = cron_schedule(said) if said.is_cron else rrule_schedule(said)
    return {**made, **_dates(said)}


def _once(said: Said) -> Mapping[str, object]:
    rest = replace(
        said, once=False, on_date=None, instant=None, times=(), zone=None, is_night=False
    )
    if rest != Said():
        raise UnclearError(
            "a date names one time, but the sentence says that something repeats",
            ("on_date", "once", "instant"),
            ("starting 2026-12-25", "the date and a time alone"),
        )
    if said.instant is not None:
        return {"once": said.instant}
    if said.on_date is None:
        raise UnclearError("on which date?", ("once",), ("once on 2026-12-25 at 09:00",))
    clocks = said.times or ((said.on_date.clock,) if said.on_date.clock else ())
    if len(clocks) != 1 or (said.times and said.on_date.clock):
        raise UnclearError(
            "at which one time?", ("on_date",), ("on 2026-12-25 at 09:00", "2026年12月25日 09:00")
        )
    return {"once": replace(said.on_date, clock=clocks[0]).moment.isoformat()}


def _with_frequency(said: Said) -> Said:
    """Return what was said with the frequency that its days imply."""
    if said.between is not None:
        said = _spread(said)
    if said.every is not None:
        return said
    if said.year_days or said.weeks or said.weekdays_scope is Scope.YEAR:
        return replace(said, every=(Unit.YEAR, 1))
    if said.month_days or said.nearest or said.workdays or any(nth for nth, _ in said.weekdays):
        return replace(said, every=(Unit.MONTH, 1))
    if said.weekdays:
        return replace(said, every=(Unit.WEEK, 1))
    if said.between is not None:
        return replace(said, every=(Unit.DAY, 1))
    if said.minutes and not said.hours:
        return replace(said, every=(Unit.HOUR, 1))
    raise UnclearError("how often?", ("times", "months", "start"), _EVERY_DAY)


def _spread(said: Said) -> Said:
    """`Every 15 minutes between 9 and 17` names times of the day, from the first to the last, both included."""
    assert said.between is not None
    every = said.steps or said.every or (Unit.HOUR, 1)
    if every[0] not in ELAPSED_UNITS:
        raise UnclearError(
            "every how many minutes in that span?",
            ("between",),
            ("every hour between 09:00 and 17:00", "每小时 9点到17点"),
        )
    has_days = bool(said.weekdays or said.month_days or said.nearest or said.year_days)
    if said.between[1] < said.between[0] and has_days:
        raise UnclearError(
            "the span runs over midnight, into a day that may be another one",
            ("between",),
            ("a span within one day, as in between 22:00 and 23:59",),
        )
    head = said.every if said.steps else None
    return replace(said, every=head, times=times_of_day.spread(every, said.between))


def _clock_aligned(said: Said) -> Said:
    """Units of the clock that divide the next larger one are read off the clock: every 15 minutes is :00, :15 ….

    Any other step is counted from the start.
    """
    if said.start is not None or said.every is None or said.every[0] not in ELAPSED_UNITS:
        return said
    unit, count = said.every
    if count == 1:
        if unit is Unit.HOUR and not said.minutes:
            return replace(said, minutes=(0,))
        return said
    match unit:
        case Unit.SECOND if 60 % count == 0 and not said.seconds:
            return replace(said, every=(Unit.MINUTE, 1), seconds=tuple(range(0, 60, count)))
        case Unit.MINUTE if 60 % count == 0 and not said.minutes:
            return replace(said, every=(Unit.HOUR, 1), minutes=tuple(range(0, 60, count)))
        case Unit.HOUR if 24 % count == 0 and not said.hours:
            return replace(
                said,
                every=(Unit.HOUR, 1),
                hours=tuple(range(0, 24, count)),
                minutes=said.minutes or (0,),
            )
        case _:
            return said


def _dates(said: Said) -> Mapping[str, object]:
    dates: dict[str, object] = {}
    if said.added:
        clock = said.times[0] if len(said.times) == 1 else None
        dates["rdate"] = [_moment(day.clock or clock, day.date.isoformat()) for day in said.added]
    if said.excepted:
        dates["exdate"] = [
            day.moment.isoformat() if day.clock else day.date.isoformat() for day in said.excepted
        ]
    return dates


def _moment(clock: Clock | None, date: str) -> str:
    if clock is None:
        raise UnclearError("at which time?", ("added",), (f"plus {date} 09:00",))
    return f"{date}T{clock[0]:02}:{clock[1]:02}:{clock[2]:02}"


def _is_elapsed(said: Said) -> bool:
    return said.every is not None and said.every[0] in ELAPSED_UNITS


def _has_two_kinds_of_days(said: Said) -> bool:
    if said.is_cron:
        return False
    weekdays = bool(said.weekdays) and said.weekdays_link is Link.ON and not said.weeks
    days = bool(said.month_days or said.workdays) and said.month_days_link is Link.ON
    year_days = bool(said.year_days) and said.year_days_link is Link.ON
    return weekdays + days + year_days > 1


_UNCLEAR: Final[Sequence[tuple[Callable[[Said], bool], Sequence[str], str, Sequence[str]]]] = (
    (
        _has_two_kinds_of_days,
        ("weekdays", "month_days"),
        "both kinds of days at once, or either?",
        ("on day 13 of the month if it is Friday", "two automations, one for each"),
    ),
    (
        lambda said: _is_elapsed(said) and bool(said.times),
        ("times",),
        "a time of day, and steps of the clock: which of them?",
        ("every 15 minutes between 09:00 and 17:00", "every day at 09:00"),
    ),
    (
        lambda said: bool(said.times) and bool(said.hours or said.minutes or said.seconds),
        ("hours", "minutes", "seconds"),
        "times were given already",
        ("the times alone",),
    ),
    (
        lambda said: said.between is not None and bool(said.times or said.hours or said.minutes),
        ("between",),
        "a span of the day, and times",
        ("one of them",),
    ),
    (
        lambda said: said.count is not None and said.until is not None,
        ("until", "count"),
        "an end date and a number of times exclude each other",
        ("one of them",),
    ),
    (
        lambda said: (
            said.is_night
            and bool(said.weekdays or said.month_days or said.year_days or said.months)
        ),
        ("times",),
        "the midnight before that day, or after it?",
        ("00:00, as the named day begins", "the next day at 00:00"),
    ),
    (
        lambda said: (
            said.every is None
            and bool(said.months)
            and bool(said.month_days)
            and said.start is None
            and len(said.months) * len(said.month_days) == 1
            and said.weekdays == ()
            and not said.is_cron
        ),
        ("months",),
        "of which year, or of every year?",
        ("every year on December 25 at 09:00", "on 2026-12-25 at 09:00", "每年12月25日 09:00"),
    ),
    (
        lambda said: (
            said.is_quarterly
            and (
                any(day < 0 for day in said.month_days)
                or bool(said.months)
                or any(nth < 0 for nth, _ in said.weekdays)
            )
        ),
        ("month_days", "months", "weekdays"),
        "counted from the end of which month?",
        ("on the last day of the month in March, June, September and December",),
    ),
)
