"""Says a rule in a sentence that reads back to the same rule."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

from duly.model.timing import RuleSpec
from duly.recurrence.words import say_chinese, say_english
from duly.recurrence.words.said import Said
from duly.recurrence.words.text import traditional
from duly.recurrence.words.unsaid import unsaid


class Language(Enum):
    """A language that rules are said in."""

    EN = "en"
    ZH_TW = "zh-TW"
    ZH_CN = "zh-CN"


def say(
    rule: RuleSpec, zone_name: str | None, language: Language, *, with_start: bool = False
) -> str:
    """Return an accepted rule in words, with its zone if one is given; `read` makes the same rule of them.

    The start is said where slots depend on it (steps longer than one, a number of times), and `with_start` always.
    """
    said = unsaid(rule, with_start=with_start)
    return _VOICES[language](said, zone_name)


def _traditional(said: Said, zone_name: str | None) -> str:
    return traditional(say_chinese.sentence(said, zone_name))


_VOICES: Final[Mapping[Language, Callable[[Said, str | None], str]]] = {
    Language.EN: say_english.sentence,
    Language.ZH_CN: say_chinese.sentence,
    Language.ZH_TW: _traditional,
}
