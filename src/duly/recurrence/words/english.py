"""The clauses of the English grammar."""

import re
from collections.abc import Sequence
from typing import Final

from duly.recurrence.faults import PartError
from duly.recurrence.words import calendar_words as cal
from duly.recurrence.words import clause as c
from duly.recurrence.words import clock
from duly.recurrence.words.numbers import (
    AND,
    NUMBER,
    ONE,
    ORDINAL,
    SPAN,
    TO,
    listed,
    number,
    ordinal,
    spans,
)
from duly.recurrence.words.said import Day, Scope, Unit

_UNITS: Final = {
    "sec": Unit.SECOND,
    "min": Unit.MINUTE,
    "hour": Unit.HOUR,
    "hr": Unit.HOUR,
    "day": Unit.DAY,
    "week": Unit.WEEK,
    "fort": Unit.WEEK,
    "month": Unit.MONTH,
    "year": Unit.YEAR,
}
_UNIT: Final = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|fortnights?)"
)
_ADVERBS: Final = {
    "hourly": Unit.HOUR,
    "daily": Unit.DAY,
    "weekly": Unit.WEEK,
    "fortnightly": Unit.WEEK,
    "monthly": Unit.MONTH,
    "yearly": Unit.YEAR,
    "annually": Unit.YEAR,
}
_EVERY: Final = "(?:every|each)"
_ORDINAL_NAMES: Final = {"other": 2, "alternate": 2}
_OF_MONTH: Final = r"(?:\s+(?:of|in)\s+(?:the|a|every|each)\s+(?P<scope>month|year|quarter))"
_LINK: Final = r"(?P<link>(?:only\s+)?if\s+it\s+is\s+(?:an?\s+)?|or\s+on\s+|or\s+|on\s+)?"

_NTH: Final = rf"(?:the\s+)?(?:{ORDINAL})(?:{AND}(?:the\s+)?(?:{ORDINAL}))*\s+(?:{cal.WEEKDAY_EN})"
_NTH_ITEM: Final = rf"(?:{_NTH}|every\s+{cal.WEEKDAY_EN})"
_LAST_DAY: Final = rf"(?:{ORDINAL})\s+day"
_DATE_ITEM: Final = (
    rf"(?:the\s+)?(?:{_LAST_DAY}|(?:{ORDINAL})(?!\s+(?:{cal.WEEKDAY_EN}))|(?:days?\s+)?{SPAN})"
)
_WEEK_ITEM: Final = rf"(?:the\s+)?(?:(?:{ORDINAL})(?:\s+week)?|(?:weeks?\s+)?{SPAN})"
_DATE_LIST: Final = rf"(?:{cal.DAY})(?:{AND}(?:{cal.DAY}))*"


def table() -> Sequence[c.Clause]:
    """Return the clauses; made once, when first asked for."""
    return c.clauses(_TABLE)


def _unit(text: str) -> tuple[Unit, int]:
    unit = next(unit for name, unit in _UNITS.items() if text.startswith(name))
    return unit, 2 if text.startswith("fort") else 1


def _every(match: re.Match[str]) -> c.Parts:
    unit, times = _unit(match["unit"])
    count = 1
    if match["nth"]:
        count = _ORDINAL_NAMES.get(match["nth"].strip()) or ordinal(match["nth"].strip())
    elif match["n"]:
        count = number(match["n"])
    if count < 1:
        raise PartError("there is nothing to repeat in steps of 0", "every 2 days")
    return {"every": (unit, count * times)}


def _adverb(match: re.Match[str]) -> c.Parts:
    return {"every": (_ADVERBS[match[0]], 2 if match[0].startswith("fort") else 1)}


def _quarterly(_: re.Match[str]) -> c.Parts:
    return {"every": (Unit.MONTH, 1), "is_quarterly": True}


def _weekdays(match: re.Match[str]) -> c.Parts:
    pairs = tuple((0, day) for day in cal.weekdays(match["list"]))
    return {"weekdays": pairs, "weekdays_link": c.link(match["link"])}


def _every_other_weekday(match: re.Match[str]) -> c.Parts:
    pairs = tuple((0, day) for day in cal.weekdays(match["list"]))
    return {"weekdays": pairs, "every": (Unit.WEEK, 2)}


def _nth_weekdays(match: re.Match[str]) -> c.Parts:
    pairs: set[tuple[int, int]] = set()
    for item in re.finditer(_NTH_ITEM, match["list"]):
        found = re.search(rf"{cal.WEEKDAY_EN}$", item[0])
        assert found is not None
        if item[0].startswith("every"):
            pairs.add((0, cal.weekday(found[0])))
        else:
            for nth in re.finditer(ORDINAL, item[0][: found.start()]):
                pairs.add((ordinal(nth[0]), cal.weekday(found[0])))
    return {
        "weekdays": tuple(sorted(pairs)),
        "weekdays_link": c.link(match["link"]),
        **_scope(match["scope"]),
    }


def _scope(text: str | None) -> c.Parts:
    if text == "quarter":
        raise PartError("Duly counts weekdays within a month or a year", "the month")
    return {} if text is None else {"weekdays_scope": Scope(text)}


def _days(match: re.Match[str]) -> c.Parts:
    found: set[int] = set()
    for item in re.finditer(_DATE_ITEM, match["list"]):
        nth = re.search(ORDINAL, item[0])
        if nth and not re.search(TO, item[0].replace(nth[0], "", 1)):
            found.add(ordinal(nth[0]))
        else:
            found.update(spans(re.sub("(?<=[0-9])(?:st|nd|rd|th)", "", item[0])))
    link = c.link(match["link"])
    if match["scope"] == "year":
        return {"year_days": c.bounded(sorted(found), -366, 366), "year_days_link": link}
    return {"month_days": c.bounded(sorted(found), -31, 31), "month_days_link": link}


def _month_end(_: re.Match[str]) -> c.Parts:
    return {"month_days": (-1,)}


def _workdays(match: re.Match[str]) -> c.Parts:
    return {
        "workdays": tuple(sorted({ordinal(nth[0]) for nth in re.finditer(ORDINAL, match["list"])}))
    }


def _nearest(match: re.Match[str]) -> c.Parts:
    return {
        "nearest": c.bounded(spans(match["list"]), 1, 31),
        "month_days_link": c.link(match["link"]),
    }


def _weeks(match: re.Match[str]) -> c.Parts:
    found: set[int] = set()
    for item in re.finditer(_WEEK_ITEM, match["list"]):
        nth = re.search(ORDINAL, item[0])
        found.update((ordinal(nth[0]),) if nth else spans(item[0]))
    return {"weeks": c.bounded(sorted(found), -53, 53)}


def _months(match: re.Match[str]) -> c.Parts:
    return {"months": cal.months(match["list"])}


def _every_month_named(match: re.Match[str]) -> c.Parts:
    return {"months": cal.months(match["list"]), "every": (Unit.YEAR, 1)}


def _month_day(match: re.Match[str]) -> c.Parts:
    months = cal.months(match["month"] or match["month_after"])
    day = re.sub("[a-z]", "", match["day"] or match["day_before"])
    every: c.Parts = {"every": (Unit.YEAR, 1)} if match["every"] else {}
    return {"months": months, "month_days": c.bounded((int(day),), 1, 31), **every}


def _start(match: re.Match[str]) -> c.Parts:
    return {"start": cal.day(match["date"])}


def _until(match: re.Match[str]) -> c.Parts:
    return {"until": cal.day(match["date"]), "until_utc": bool(match["utc"])}


def _count(match: re.Match[str]) -> c.Parts:
    return {"count": number(match["n"])}


def _positions(match: re.Match[str]) -> c.Parts:
    found = tuple(sorted({ordinal(nth[0]) for nth in re.finditer(ORDINAL, match["list"])}))
    return {"positions": found, "positions_unit": _unit(match["unit"])[0]}


def _on_date(match: re.Match[str]) -> c.Parts:
    said: Day = cal.day(match["date"])
    return {"on_date": said}


_STEPS: Final = (
    rf"{_EVERY}\s+(?P<nth>other\s+)?(?:(?P<n>{NUMBER})\s+)?"
    r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?)"
)
_BETWEEN: Final = (
    rf"(?:between|from)\s+(?P<first>{clock.TIME})\s*(?:and|to|until|till|through|-)\s*"
    rf"(?P<last>{clock.TIME})(?:\s+inclusive)?"
)
_UNIT_WORD: Final = r"(?P<unit>second|minute|hour|day|week|month|year)"
_TABLE: Final = (
    (
        rf"{_EVERY}\s+(?:(?P<nth>other|alternate|{ORDINAL})\s+|(?P<n>{NUMBER})\s+)?(?P<unit>{_UNIT})",
        _every,
    ),
    (
        rf"once\s+(?:an?|per|{_EVERY})\s+(?P<nth>other\s+)?(?:(?P<n>{NUMBER})\s+)?(?P<unit>{_UNIT})",
        _every,
    ),
    (r"every\s+half[ -](?:an\s+)?hour|half[ -]hourly", lambda _: {"every": (Unit.MINUTE, 30)}),
    ("hourly|daily|weekly|fortnightly|monthly|yearly|annually", _adverb),
    (rf"quarterly|{_EVERY}\s+quarter|once\s+a\s+quarter", _quarterly),
    (
        rf"(?P<link>if\s+it\s+is\s+(?:an?\s+)?|or\s+on\s+|or\s+|on\s+(?:every\s+|each\s+)?|{_EVERY}\s+)?(?P<list>{cal.WEEKDAY_LIST})",
        _weekdays,
    ),
    (
        rf"(?:on\s+)?{_EVERY}\s+(?:other|alternate)\s+(?P<list>{cal.WEEKDAY_EN})",
        _every_other_weekday,
    ),
    (rf"{_LINK}(?:every\s+)?(?P<list>{_NTH_ITEM}(?:{AND}{_NTH_ITEM})*){_OF_MONTH}?", _nth_weekdays),
    (
        rf"{_LINK}(?P<list>(?:the\s+|days?\s+)(?<=\s){_DATE_ITEM}(?:{AND}{_DATE_ITEM})*){_OF_MONTH}?",
        _days,
    ),
    (rf"{_LINK}(?P<list>(?:{ORDINAL})(?:\s+day)?(?:{AND}{_DATE_ITEM})*){_OF_MONTH}?", _days),
    (
        r"(?:at\s+|on\s+)?(?:the\s+)?(?:end\s+of\s+(?:the|each|every)\s+month|month[ -]end)",
        _month_end,
    ),
    (
        (
            rf"(?:on\s+)?(?P<list>(?:the\s+)?(?:{ORDINAL})(?:{AND}(?:the\s+)?(?:{ORDINAL}))*)"
            r"\s+(?:weekday|workday|business\s+day|working\s+day)(?:\s+(?:of|in)\s+(?:the|every|each|a)\s+month)?"
        ),
        _workdays,
    ),
    (
        (
            rf"{_LINK}the\s+(?:weekday|workday)s?\s+nearest\s+(?:to\s+)?(?:the\s+)?days?\s+(?P<list>{listed(SPAN)})"
            r"(?:\s+of\s+the\s+month)?"
        ),
        _nearest,
    ),
    (
        rf"in\s+(?P<list>(?:the\s+)?(?:weeks?\s+|(?:{ORDINAL})\s+week)(?<=[\sk])(?:{_WEEK_ITEM})?(?:{AND}{_WEEK_ITEM})*)(?:\s+of\s+the\s+year)?",
        _weeks,
    ),
    (rf"(?:in|of|from|during)\s+(?P<list>{cal.MONTH_LIST})", _months),
    (rf"{_EVERY}\s+(?P<list>{cal.MONTH_LIST})", _every_month_named),
    (
        (
            rf"(?:on\s+)?(?P<every>{_EVERY}\s+)?(?:the\s+)?(?:(?P<month>{cal.MONTH_EN})\s+(?:the\s+)?(?P<day>[0-9]{{1,2}}(?:st|nd|rd|th)?)(?!,?\s*[0-9:])"
            rf"|(?P<day_before>[0-9]{{1,2}}(?:st|nd|rd|th)?)\s+(?:of\s+)?(?P<month_after>{cal.MONTH_EN})(?!,?\s*[0-9]{{4}}))"
        ),
        _month_day,
    ),
    (rf"at\s+(?P<times>{listed(clock.TIME)})", lambda match: c.times(match["times"])),
    (rf"(?P<times>{listed(clock.CLEAR)})", lambda match: c.times(match["times"])),
    (rf"in\s+(?:the\s+)?hours?\s+(?P<list>{listed(SPAN)})", c.within("hours", 23)),
    (
        rf"(?:at\s+)?minutes?\s+(?P<list>{listed(SPAN)})(?:\s+(?:past|of)\s+(?:the|every|each)\s+hour)?",
        c.within("minutes", 59),
    ),
    (
        rf"at\s+(?P<list>{listed(ONE)})\s+(?:minutes?\s+)?past(?:\s+(?:the|every|each)\s+hour)?",
        c.within("minutes", 59),
    ),
    (r"at\s+:(?P<list>[0-9]{2})", c.within("minutes", 59)),
    (rf"(?:at\s+)?seconds?\s+(?P<list>{listed(SPAN)})", c.within("seconds", 59)),
    (rf"{_STEPS}\s+{_BETWEEN}", lambda match: c.stepped(match, _every(match))),
    (rf"{_BETWEEN}[\s,]+{_STEPS}", lambda match: c.stepped(match, _every(match))),
    (_BETWEEN, lambda match: c.between(match["first"], match["last"])),
    (
        rf"(?:starting|from|beginning|since|as\s+of|start)\s+(?:on\s+|from\s+)?(?P<date>{cal.DAY})",
        _start,
    ),
    (
        rf"(?:until|till|through|ending|up\s+to)\s+(?:on\s+)?(?P<date>{cal.DAY})(?P<utc>\s*(?:z|utc))?",
        _until,
    ),
    (rf"(?:for\s+)?(?P<n>{NUMBER})\s+(?:times|occurrences)(?:\s+in\s+all)?", _count),
    (r"only\s+once", lambda _: {"count": 1}),
    (
        rf"(?:except|excluding|but\s+not|without)\s+(?:for\s+|on\s+)?(?P<list>{_DATE_LIST})",
        lambda match: {"excepted": cal.days(match["list"])},
    ),
    (
        rf"(?:plus|also|and\s+also)\s+(?:on\s+)?(?P<list>{_DATE_LIST})",
        lambda match: {"added": cal.days(match["list"])},
    ),
    (
        rf"only\s+the\s+(?P<list>(?:{ORDINAL})(?:{AND}(?:the\s+)?(?:{ORDINAL}))*)\s+of\s+(?:the|each|every)\s+{_UNIT_WORD}",
        _positions,
    ),
    (
        rf"(?:with\s+)?weeks\s+(?:starting|beginning)\s+on\s+(?P<day>{cal.WEEKDAY_EN})",
        lambda match: {"week_start": cal.weekday(match["day"])},
    ),
    (rf"(?P<once>once\s+)?(?:on\s+)?(?P<date>{cal.DAY})(?:\s+only)?", _on_date),
    ("once", lambda _: {"once": True}),
    (
        r"(?:once\s+)?at\s+the\s+instant\s+(?P<at>[0-9-]{10}t[0-9:]{8}z)",
        lambda match: {"instant": match["at"].upper()},
    ),
)


def vocabulary() -> Sequence[str]:
    """Return the words that a slip may have meant."""
    return (*cal.VOCABULARY, *_ADVERBS, *_OTHER_WORDS)


_OTHER_WORDS: Final = tuple(
    re.findall(
        "[a-z]+",
        "every each other second minute hour day week month year quarter weekday weekdays weekend weekends workday "
        "seconds minutes hours days weeks months years quarterly at between from until starting except plus also "
        "times on in the of if and first third fourth fifth last noon midnight once time beginning through only",
    )
)
