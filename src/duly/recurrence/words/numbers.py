"""Numbers, ordinals and lists of them, as English and Chinese write them."""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from duly.recurrence.faults import PartError, shown

Item = TypeVar("Item")

_LARGEST: Final = 9_999

_ONES: Final = tuple(
    re.findall(
        "[a-z]+",
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty",
    )
)
_WORDS: Final[dict[str, int]] = {word: number for number, word in enumerate(_ONES)} | {
    "thirty": 30,
    "forty": 40,
    "forty-five": 45,
    "fifty": 50,
    **{f"twenty-{_ONES[one]}": 20 + one for one in range(1, 10)},
    "thirty-one": 31,
}
_ORDINALS: Final[dict[str, int]] = {
    word: number
    for number, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
        ],
        1,
    )
}

_LONGEST: Final = sorted(_WORDS, key=len, reverse=True)
NUMBER: Final = rf"(?:[0-9]{{1,9}}|(?:{'|'.join(_LONGEST)})\b)"
HANZI: Final = "[0-9]{1,9}|[零〇一二三四五六七八九十廿卅两]{1,4}"
NUMBER_ZH: Final = f"(?:{HANZI})"
_ORDINAL: Final = rf"(?:[0-9]{{1,3}}(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})"
ORDINAL: Final = rf"(?:{_ORDINAL}[ -](?:to[ -])?last|{_ORDINAL}|penultimate|last)\b"
ORDINAL_ZH: Final = rf"(?:倒数第(?:{HANZI})|最后一|最后|第(?:{HANZI}))"

AND: Final = r"(?:\s*,\s*and\s+|\s*[,、&]\s*|\s+and\s+|\s*(?:和|及|与|以及)\s*)"
TO: Final = r"\s*(?:-|~|\bto\b|\bthrough\b|\bthru\b|到|至)\s*"
# A number before these words belongs to the next clause.
_NOT_COUNT: Final = r"(?![0-9])(?!\s*(?:times|occurrences|次|年|周))(?!:|[-/.][0-9]{1,2}[-/.][0-9])"
ONE: Final = rf"(?:{NUMBER}|{NUMBER_ZH}){_NOT_COUNT}"
SPAN: Final = rf"{ONE}(?:{TO}{ONE})?"

_DIGITS: Final = {character: number for number, character in enumerate("零一二三四五六七八九")} | {
    "\u3007": 0,
    "两": 2,
}


def listed(item: str) -> str:
    """Return the pattern of one or more items."""
    return rf"(?:{item})(?:{AND}(?:{item}))*"


def number(text: str) -> int:
    """Return the number that digits or words name; text matched NUMBER or NUMBER_ZH."""
    if text.isdigit() and text.isascii():
        return int(text)
    return _WORDS[text] if text in _WORDS else _hanzi(text)


def _hanzi(text: str) -> int:
    """Return a number below 100; `一二` is 12, as digits are read out; nonsense is -1."""
    spelt = text.replace("廿", "二十").replace("卅", "三十")
    if "十" not in spelt:
        return int("".join(str(_DIGITS[character]) for character in spelt))
    tens, _, ones = spelt.partition("十")
    if len(tens) > 1 or len(ones) > 1:
        return -1
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def ordinal(text: str) -> int:
    """Return a position, negative when counted from the end; text matched ORDINAL or ORDINAL_ZH."""
    if text.startswith("倒数第"):
        return -number(text[3:])
    if text.startswith("第"):
        return number(text[1:])
    if text.startswith("最后") or text == "last":
        return -1
    if text == "penultimate":
        return -2
    first = re.split("[ -]", text, maxsplit=1)[0]
    value = _ORDINALS[first] if first in _ORDINALS else int(first[:-2])
    return -value if text.endswith("last") else value


def spans(text: str) -> tuple[int, ...]:
    """Return the numbers of a list of numbers and spans, each once; raise PartError for a span of none."""
    found: list[int] = []
    for match in re.finditer(rf"({ONE})(?:{TO}({ONE}))?", text):
        first = number(match[1])
        last = number(match[2]) if match[2] else first
        if not first <= last <= _LARGEST:
            raise PartError(f"{shown(match[0])} names no numbers", "numbers that go up, as in 9-17")
        found += range(first, last + 1)
    return tuple(sorted(set(found)))


def items(pattern: str, text: str, read: Callable[[re.Match[str]], Item]) -> Sequence[Item]:
    """Return what each match of a pattern in a text means, in order."""
    return [read(match) for match in re.finditer(pattern, text)]
