"""Weekdays, months and dates as English and Chinese write them."""

import re
from datetime import date
from typing import Final

from duly.recurrence.faults import PartError, shown
from duly.recurrence.words import clock
from duly.recurrence.words.numbers import AND, HANZI, TO, number
from duly.recurrence.words.said import Day

WORKDAYS: Final = (0, 1, 2, 3, 4)
WEEKEND: Final = (5, 6)

_WEEKDAYS: Final = (
    ("mondays", "monday", "mon"),
    ("tuesdays", "tuesday", "tues", "tue"),
    ("wednesdays", "wednesday", "weds", "wed"),
    ("thursdays", "thursday", "thurs", "thur", "thu"),
    ("fridays", "friday", "fri"),
    ("saturdays", "saturday", "sat"),
    ("sundays", "sunday", "sun"),
)
_MONTHS: Final = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may",),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sept", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
_WEEKDAY_OF: Final = {word: index for index, words in enumerate(_WEEKDAYS) for word in words}
_MONTH_OF: Final = {word: index for index, words in enumerate(_MONTHS, 1) for word in words}
_HAN_WEEKDAYS: Final = (
    {character: index for index, character in enumerate("一二三四五六日")}
    | {"天": 6}
    | {str(index): index - 1 for index in range(1, 8)}
)

VOCABULARY: Final = (*_WEEKDAY_OF, *_MONTH_OF)
WEEKDAY_EN: Final = rf"(?:{'|'.join(_WEEKDAY_OF)})\b"
_WEEK: Final = "(?:周|星期|礼拜)"
WEEKDAY_ZH: Final = rf"{_WEEK}[一二三四五六日天1-7]"
_MORE_ZH: Final = rf"{_WEEK}?[一二三四五六日天1-7](?![0-9:月号日周年]|\s*[点时次])"
WEEKDAY: Final = rf"(?:{WEEKDAY_EN}|{WEEKDAY_ZH})"
_GROUP: Final = r"(?:weekdays?|workdays?|working\s+days?|business\s+days?|weekends?)\b|工作日|平日|上班日|周末|星期末"
_ONE: Final = rf"(?:{_GROUP}|{WEEKDAY}(?:{TO}(?:{WEEKDAY_EN}|{_MORE_ZH}))?)"
_NEXT: Final = rf"(?:{_GROUP}|(?:{WEEKDAY_EN}|{_MORE_ZH})(?:{TO}(?:{WEEKDAY_EN}|{_MORE_ZH}))?)"
WEEKDAY_LIST: Final = (
    rf"{_ONE}(?:(?:{AND}|\s*/\s*|(?<=[一二三四五六日天])(?=[一二三四五六日天])){_NEXT})*"
)
_ITEM: Final = re.compile(
    rf"({_GROUP})|({WEEKDAY_EN}|{_WEEK}?[一二三四五六日天1-7])(?:{TO}({WEEKDAY_EN}|{_WEEK}?[一二三四五六日天1-7]))?"
)

MONTH_EN: Final = rf"(?:{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})\b\.?"
MONTH_ZH: Final = rf"(?:{HANZI})月份?"
_MONTH: Final = rf"(?:{MONTH_EN}|{MONTH_ZH})"
_MONTH_ITEM: Final = rf"(?:(?:{_MONTH}|(?:{HANZI})(?={TO}(?:{HANZI})月|{AND}(?:{HANZI})(?:月|{AND})))(?:{TO}{_MONTH})?)"
MONTH_LIST: Final = rf"{_MONTH_ITEM}(?:{AND}{_MONTH_ITEM})*"
_MONTH_SPAN: Final = re.compile(
    rf"({MONTH_EN}|(?:{HANZI})月?份?)(?:{TO}({MONTH_EN}|(?:{HANZI})月份?))?"
)

_ISO: Final = r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?![0-9])"
_DATE_EN: Final = (
    rf"{MONTH_EN}\s+[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s+[0-9]{{4}}(?![0-9:])"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH_EN},?\s+[0-9]{{4}}(?![0-9:])"
)
_DATE_ZH: Final = rf"[0-9]{{4}}\s*年\s*(?:{HANZI})\s*月\s*(?:{HANZI})\s*[日号]"
DATE: Final = rf"(?:{_ISO}|{_DATE_EN}|{_DATE_ZH})"
DAY: Final = rf"{DATE}(?:(?:t|\s*,?\s*at\s+|\s*的?\s*){clock.CLEAR}|\s+at\s+{clock.TIME})?"


def weekday(text: str) -> int:
    """Return the number of a weekday, 0 for Monday."""
    return _WEEKDAY_OF[text] if text in _WEEKDAY_OF else _HAN_WEEKDAYS[text[-1]]


def weekdays(text: str) -> tuple[int, ...]:
    """Return the weekdays of a list, each once; a span may run over the end of the week."""
    found: set[int] = set()
    for match in _ITEM.finditer(text):
        if match[1]:
            found.update(WEEKEND if "end" in match[1] or "末" in match[1] else WORKDAYS)
        else:
            first = weekday(match[2])
            last = weekday(match[3]) if match[3] else first
            found.update((first + step) % 7 for step in range((last - first) % 7 + 1))
    return tuple(sorted(found))


def months(text: str) -> tuple[int, ...]:
    """Return the months of a list; a span may run over the end of the year."""
    found: set[int] = set()
    for match in _MONTH_SPAN.finditer(text):
        first = month(match[1])
        last = month(match[2]) if match[2] else first
        found.update((first - 1 + step) % 12 + 1 for step in range((last - first) % 12 + 1))
    return tuple(sorted(found))


def month(text: str) -> int:
    """Return the number of a month; raise PartError for one that does not exist."""
    plain = text.rstrip(".")
    value = _MONTH_OF[plain] if plain in _MONTH_OF else number(plain.rstrip("份").rstrip("月"))
    if not 1 <= value <= 12:
        raise PartError(f"there is no month {value}", "a month from 1 to 12")
    return value


def day(text: str) -> Day:
    """Return a date with the time that follows it, if any; text matched DAY."""
    match = re.match(DATE, text)
    assert match is not None
    rest = re.sub(r"^(?:t(?=[0-9])|[\s,的]*(?:at\b)?\s*)", "", text[match.end() :])
    return Day(date=_date(match[0]), clock=clock.read(rest) if rest else None)


def days(text: str) -> tuple[Day, ...]:
    """Return the dates of a list, each once, in order."""
    found = {day(match[0]) for match in re.finditer(DAY, text)}
    return tuple(sorted(found, key=lambda item: (item.moment, item.clock is not None)))


def _date(text: str) -> date:
    named = re.search(MONTH_EN, text)
    numbers = [int(digits) for digits in re.findall("[0-9]+", text)]
    if named:
        day_number, year = numbers[0], numbers[1]
        triple = (year, month(named[0]), day_number)
    elif "年" in text:
        year_text, month_text, day_text = re.split("[年月]", text)
        triple = (
            int(year_text),
            number(month_text.strip()),
            number(day_text.rstrip("日号").strip()),
        )
    else:
        triple = (numbers[0], numbers[1], numbers[2])
    try:
        return date(*triple)
    except ValueError:
        raise PartError(f"{shown(text)} is no date", "a date such as 2026-12-25") from None
