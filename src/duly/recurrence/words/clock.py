"""Times of day as people write them: `9`, `9:00`, `9.30pm`, `17h30`, `noon`, `早上九點`, `下午5点半`."""

import re
from collections.abc import Sequence
from typing import Final

from duly.recurrence.faults import PartError, shown
from duly.recurrence.words.numbers import HANZI, NUMBER, number
from duly.recurrence.words.said import Clock

_PART_OF_DAY: Final = r"(?:\s+(?:in\s+the\s+(?:morning|afternoon|evening)|at\s+night))"
_MERIDIEM: Final = r"(?:\s*[ap]\.?m\b\.?)"
_EN: Final = (
    rf"(?:noon|midday|midnight)\b|[0-9]{{1,2}}(?::[0-9]{{2}}){{1,2}}(?![0-9:])(?:{_MERIDIEM}|{_PART_OF_DAY})?"
    rf"|[0-9]{{1,2}}\.[0-9]{{2}}(?![0-9]){_MERIDIEM}?|[0-9]{{1,2}}h[0-9]{{2}}\b"
    rf"|{NUMBER}(?:{_MERIDIEM}|{_PART_OF_DAY}|\s*o'clock(?:{_MERIDIEM}|{_PART_OF_DAY})?)"
)
_PERIOD: Final = (
    "凌晨|清晨|清早|早上|早晨|上午|中午|正午|下午|傍晚|晚上|晚间|夜里|夜间|深夜|半夜|午夜|晚"
)
_ZH: Final = (
    rf"(?:{_PERIOD})?\s*(?:{HANZI})\s*(?:点|时(?!区))钟?整?(?:\s*(?:一刻|三刻|(?:{HANZI})\s*分?(?:\s*(?:{HANZI})\s*秒)?"
    rf"|半|整)(?!\s*次|\s*[-年]))?"
    rf"|(?:{_PERIOD})\s*[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?|(?:中午|正午|半夜|午夜)(?!\s*(?:{HANZI}))"
)
CLEAR: Final = rf"(?:{_EN}|{_ZH})"
"""A time that nothing else can be."""

TIME: Final = (
    rf"(?:{CLEAR}|{NUMBER}(?![0-9]|[:.][0-9])(?!\s*(?:times|occurrences|days?|hours?|minutes?|weeks?|months?|次|[-/年月日号天周]))"
    r"(?!st|nd|rd|th))"
)
"""A time after a word that announces one: a bare hour will do."""

_PIECES: Final = re.compile(
    rf"(?P<period>{_PERIOD})?\s*(?P<hour>{NUMBER}|{HANZI})\s*"
    rf"(?:(?:[:.h]|点钟?整?|时)\s*(?:(?P<minute>半|一刻|三刻|整|{HANZI})?\s*分?\s*"
    rf"(?::?\s*(?P<second>{HANZI})\s*秒?)?))?\s*(?:o'clock)?\s*"
    r"(?P<meridiem>[ap]\.?m\.?|in\s+the\s+morning|in\s+the\s+(?:afternoon|evening)|at\s+night)?"
)
_NAMED: Final[dict[str, Clock]] = {
    "noon": (12, 0, 0),
    "midday": (12, 0, 0),
    "midnight": (0, 0, 0),
    "中午": (12, 0, 0),
    "正午": (12, 0, 0),
    "半夜": (0, 0, 0),
    "午夜": (0, 0, 0),
}
_QUARTERS: Final = {"半": 30, "一刻": 15, "三刻": 45, "整": 0}
_HOURS_OF: Final[dict[str, dict[int, int]]] = {}


def _spread() -> None:
    """Fill the table of what an hour means in each part of the day; what is not in it is refused."""
    morning = {hour: hour for hour in range(1, 12)}
    for name in ("早上", "早晨", "上午", "清晨", "清早", "am", "in the morning"):
        _HOURS_OF[name] = morning
    _HOURS_OF["am"] = morning | {12: 0}
    _HOURS_OF["pm"] = {hour: hour % 12 + 12 for hour in range(1, 13)}
    _HOURS_OF["凌晨"] = {hour: hour for hour in range(7)} | {12: 0}
    _HOURS_OF["中午"] = _HOURS_OF["正午"] = {11: 11, 12: 12, 13: 13, 14: 14, 1: 13, 2: 14}
    _HOURS_OF["下午"] = {hour: hour % 12 + 12 for hour in (12, *range(1, 8))} | {
        hour: hour for hour in range(13, 20)
    }
    evening = {hour: hour + 12 for hour in range(4, 12)} | {hour: hour for hour in range(16, 24)}
    for name in ("傍晚", "晚上", "晚间", "夜里", "夜间", "深夜", "晚"):
        _HOURS_OF[name] = evening | {12: 0}
    _HOURS_OF["半夜"] = _HOURS_OF["午夜"] = {
        12: 0,
        0: 0,
        24: 0,
        1: 1,
        2: 2,
        3: 3,
        4: 4,
        11: 23,
        23: 23,
    }
    _HOURS_OF["in the afternoon"] = {hour: hour % 12 + 12 for hour in (12, *range(1, 7))}
    _HOURS_OF["in the evening"] = {hour: hour + 12 for hour in range(4, 12)}
    _HOURS_OF["at night"] = {hour: hour + 12 for hour in range(7, 12)}


_spread()

_NIGHT: Final = re.compile(
    r"(?:晚上|晚间|夜里|夜间|深夜|半夜|午夜|晚)\s*(?:12|十二|24|0|零)?\s*(?:[点:时]|$)"
)


def is_night(text: str) -> bool:
    """Say whether a time is the `晚上12点` that some count to the day before."""
    return bool(_NIGHT.match(text)) and read(text)[0] == 0


def read(text: str) -> Clock:
    """Return the time of day that a text matching TIME names; raise PartError when it is none, or two."""
    if text in _NAMED:
        return _NAMED[text]
    match = _PIECES.fullmatch(text.strip())
    assert match is not None, text
    hour, minute = number(match["hour"]), _minute(match["minute"])
    second = number(match["second"]) if match["second"] else 0
    part = match["period"] or match["meridiem"]
    if part is not None:
        hour = _hour_of(" ".join(part.replace(".", "").split()), hour, text)
    if hour == 24 and minute == second == 0:
        raise PartError("the day ends before 24:00", "00:00, and name the day that begins then")
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59):
        raise PartError("a day goes from 00:00 to 23:59", "a time such as 09:00")
    return hour, minute, second


_MARKED: Final = re.compile(rf"(?:{_PERIOD})|[ap]\.?m\b|in\s+the\s+|at\s+night")
_EITHER_HALF: Final = re.compile(rf"(?!0[0-9])(?:{NUMBER}|{HANZI})(?![a-z])")


def check_halves(texts: Sequence[str]) -> None:
    """Raise PartError when one time says its half of the day, and another may lie in either."""
    open_hours = [text for text in texts if not _MARKED.search(text) and text not in _NAMED]
    marked = len(texts) - len(open_hours) - sum(text in _NAMED for text in texts)
    unclear = [text for text in open_hours if _EITHER_HALF.match(text) and 1 <= read(text)[0] <= 12]
    if marked and unclear:
        hour, minute, _ = read(unclear[0])
        other = (hour + 12) % 24
        raise PartError(
            f"{shown(unclear[0])} may lie in either half of the day",
            f"{hour:02}:{minute:02} or {other:02}:{minute:02}, on the 24-hour clock",
        )


def _minute(text: str | None) -> int:
    if text is None:
        return 0
    return _QUARTERS[text] if text in _QUARTERS else number(text)


def _hour_of(part: str, hour: int, text: str) -> int:
    table = _HOURS_OF[part]
    if hour in table:
        return table[hour]
    fix = f"{hour % 24:02}:00, on the 24-hour clock"
    if hour == 12:
        fix = "12:00 for noon, or 00:00 for midnight"
    raise PartError(f"{shown(text)} is no time that everybody reads alike", fix)
