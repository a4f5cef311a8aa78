"""Phrases that mean two things, or depend on today: refused, with what to write."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from duly.recurrence.words.clause import WORD_END

Trap = tuple[int, str, Sequence[str]]
"""Where the phrase ends, why it is refused, and what to write."""

_TODAY: Final = "this depends on the day on which it is read"
_TWO: Final = "this means two things"
_DATE: Final = ("on 2026-12-25 at 09:00",)
_DATE_ZH: Final = ("2026年12月25日 09:00",)
_NOT_KNOWN: Final = "Duly does not know it"
_ABBREVIATION: Final = "this names several zones, or one that ignores clock changes"

_TABLE: Final[Sequence[tuple[str, str, Sequence[str]]]] = (
    (r"(?:tomorrow|today|tonight|yesterday|now|the day after tomorrow)\b", _TODAY, _DATE),
    (
        r"in\s+(?:an?|\d+|one|two|three|four|five|six|seven|ten|twelve|a\s+few)\s+(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b(?!\s+\d)",
        _TODAY,
        _DATE,
    ),
    (r"(?:next|this|coming)\s+\w+", _TODAY, (*_DATE, "every Friday at 09:00")),
    ("明天|今天|后天|今晚|明早|昨天|现在|大后天|今年|明年", _TODAY, _DATE_ZH),
    (
        "下个?(?:周|星期|礼拜|月)[一二三四五六日天]?|这个?(?:周|星期|月)[一二三四五六日天]?|本[周月]",
        _TODAY,
        (*_DATE_ZH, "每周五 09:00"),
    ),
    ("[0-9一二两三四五六七八九十半]+个?(?:分钟|小时|天|周|星期|月)[之以]?后", _TODAY, _DATE_ZH),
    (r"bi-?weekly\b", _TWO, ("every 2 weeks on Monday", "every Monday and Thursday")),
    (r"bi-?monthly\b", _TWO, ("every 2 months on day 1", "on day 1 and 15 of the month")),
    (
        r"(?:bi-?annual(?:ly)?|biennial(?:ly)?)\b",
        _TWO,
        ("every 2 years in January", "every year in January and July on day 1 of the month"),
    ),
    (r"semi-?weekly\b", "on which days?", ("every Monday and Thursday",)),
    (r"semi-?monthly\b", "on which days?", ("on day 1 and 15 of the month",)),
    (
        r"(?:twice|thrice|two times|three times|(?:\d+|four|five|six)\s+times)\s+(?:an?|per|every|each)\s+\w+",
        "at which times, on which days?",
        ("every day at 09:00 and 17:00", "every Monday and Thursday at 09:00"),
    ),
    (
        "每(?:天|日|周|星期|月|年)[0-9一二两三四五六七八九十]+次",
        "at which times, on which days?",
        ("每天 09:00 和 17:00", "每周一、四 09:00"),
    ),
    (
        r"every\s+(?:second|2nd|third|3rd|fourth|4th|fifth|5th|first|1st)\s+(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*(?!\s+(?:of|in)\s)",
        _TWO,
        ("every other Monday", "on the 2nd Monday of the month"),
    ),
    (
        "每隔(?:[2-9两二三四五六七八九十]|[1-9][0-9])[0-9一二三四五六七八九十]*个?(?:天|日|周|星期|礼拜|月|年)",
        _TWO,
        ("每2天", "每3天"),
    ),
    (
        r"(?:est|edt|cst|cdt|mst|mdt|pst|pdt|ist|bst|cet|cest|jst|aest|hkt|sgt|msk|wet|eet|akst|hst|et|pt)\b",
        _ABBREVIATION,
        ("a place, such as New York time", "Shanghai time", "Kolkata time"),
    ),
    (
        r"(?:utc|gmt)\s*[+-]\s*\d+(?::\d+)?",
        "an offset does not follow clock changes",
        ("a place, such as Taipei time", "UTC"),
    ),
    (r"local\s+time|my\s+time|当地时间|本地时间", "whose?", ("a place, such as Taipei time",)),
    (
        "(?:每)?(?:农历|阴历|旧历|初[一二三四五六七八九十]|正月|腊月|除夕|春节|中秋|端午)",
        "only the Gregorian calendar is known",
        ("the dates, as in 2026-12-25",),
    ),
    (
        r"(?:lunar|easter|christmas|thanksgiving|new\s+year)\w*",
        _NOT_KNOWN,
        ("the date, as in every year on December 25",),
    ),
    (
        r"(?:on\s+)?(?:public\s+|bank\s+|national\s+)?holidays?\b|except\s+(?:on\s+)?(?:public\s+|bank\s+)?holidays?\b",
        _NOT_KNOWN,
        ("except 2026-12-25",),
    ),
    (
        "(?:除了|除|不含|跳过)?(?:法定)?(?:节假日|假日|假期|节日)(?:外|之外|以外)?",
        _NOT_KNOWN,
        ("除了 2026-12-25",),
    ),
    (
        r"(?:at\s+)?(?:sunrise|sunset|dawn|dusk)\b|日出|日落|黎明|黄昏",
        _NOT_KNOWN,
        ("a time, as in 06:30",),
    ),
    (
        r"(?:(?:in|during)\s+the\s+|every\s+|each\s+)?(?:morning|afternoon|evening|night|nightly|noonish)s?\b",
        "at which time?",
        ("every day at 09:00", "every day at 21:00"),
    ),
    (
        "(?:每天)?(?:早上|上午|下午|晚上|凌晨|傍晚|早晨)(?![0-9一二两三四五六七八九十 ])",
        "at which time?",
        ("每天早上9点", "每天晚上9点"),
    ),
    (
        r"(?:beginning|start|middle|end)\s+of\s+(?:the\s+|each\s+|every\s+)?(?:day|week|year|quarter)\b|end\s+of\s+business|eod\b|cob\b",
        "at which time?",
        ("at 18:00", "on Friday at 18:00"),
    ),
    (
        r"(?:beginning|start|middle|mid)\s*(?:of\s+)?(?:the\s+|each\s+|every\s+)?month\b",
        "on which day?",
        ("on day 1 of the month", "on day 15 of the month"),
    ),
    (
        "(?:每)?(?:月初|月中|年初|年底|年末|周初|季末|季初|季度末)",
        "on which day?",
        ("每月1日", "每年12月31日"),
    ),
    (
        r"(?:during\s+|in\s+)?(?:business|office|working)\s+hours\b",
        "from when to when?",
        ("between 09:00 and 17:00 on weekdays",),
    ),
    (r"\d{1,2}/\d{1,2}/\d{2,4}", _TWO, ("2026-03-04",)),
    (r"(?:on\s+)?\d{1,2}/\d{1,2}(?![/0-9])", _TWO, ("March 4", "4 March")),
    (
        r"and\s+every\b|and\s+at\b",
        "one sentence is one rule",
        ("one list of days or times", "a second automation"),
    ),
    (
        r"and\s+(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*",
        _TWO,
        ("first Monday and first Tuesday", "first Monday and every Tuesday"),
    ),
    (
        r"(?:sometimes|usually|often|regularly|occasionally|about|around|approximately|roughly|ish|asap|soon|later)\b",
        "this names no time",
        ("every day at 09:00",),
    ),
    (r"(?:never|always|constantly|continuously)\b", "this names no rule", ("every minute",)),
    (r"not\b|without\b|unless\b", "this takes something away, but no date", ("except 2026-12-25",)),
    ("大约|大概|左右|差不多|有时|经常|偶尔|随时", "this names no time", ("每天 09:00",)),
    ("(?:每周)?双周|(?:单|双)(?:周|日|月|数)|大小周", _TWO, ("每2周的周一",)),
)


@cache
def _compiled() -> Sequence[tuple[re.Pattern[str], str, Sequence[str]]]:
    return tuple(
        (re.compile(rf"(?<![a-z0-9])(?:{pattern}){WORD_END}"), message, fixes)
        for pattern, message, fixes in _TABLE
    )


def at(folded: str, position: int, understood: int) -> Trap | None:
    """Return the phrase at a position that is refused; None when a clause understands more than it says."""
    for pattern, message, fixes in _compiled():
        match = pattern.match(folded, position)
        if match and match.end() > position and match.end() >= understood:
            return match.end(), message, fixes
    return None
