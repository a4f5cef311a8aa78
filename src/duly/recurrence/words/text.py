"""Text as the grammars see it: one character for one, so that a position found is a position typed."""

import difflib
import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Final

from duly.model.errors import ValidationError
from duly.recurrence.faults import refusal, shown

POINTER: Final = "/schedule/when"
CHARS_MAX: Final = 48_000
_WORD_CHARS_MAX: Final = 24
_NEAR: Final = 3

# Traditional characters of the vocabulary; some have the same shape for both and are left out.
_TRADITIONAL: Final = (
    "個點時週禮號從開後數為鐘間區兩這當倫紐約東臺與還"
    "複結續過進來無羅馬爾農曆節夠門廣漢於處終幾畫離補連僅單雙"
)
_SIMPLIFIED: Final = (
    "个点时周礼号从开后数为钟间区两这当伦纽约东台与还"
    "复结续过进来无罗马尔农历节够门广汉于处终几画离补连仅单双"
)
_FOLD: Final = {ord(old): new for old, new in zip(_TRADITIONAL, _SIMPLIFIED, strict=True)}
_PUNCTUATION: Final = {
    ord(old): new
    for old, new in zip(
        "\uff0c\u3002\uff1a\uff1b\uff08\uff09\uff5e\u2014\u2013\u2212\u3000\u2019\u3001\uff0e\uff01",
        ",.:;()~--- ',.!",
        strict=True,
    )
}
_WIDE: Final = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_LOWER: Final = {code: chr(code + 32) for code in range(65, 91)}
_UNFOLD: Final = {
    ord(new): old
    for old, new in zip(_TRADITIONAL, _SIMPLIFIED, strict=True)
    if old in "個點時週號從開後數為鐘間區兩這當與結過僅"
}


def normal(text: str) -> str:
    """Return text for matching: lower case, ASCII digits and punctuation, simplified characters; same length.

    Raises ValidationError for text that is too long, or that holds characters that cannot be seen.
    """
    if len(text) > CHARS_MAX:
        raise refusal(
            POINTER, f"the text is {len(text)} characters long", f"write {CHARS_MAX} at most"
        )
    for position, character in enumerate(text):
        if character not in "\t\r\n \u3000" and unicodedata.category(character)[0] in "CZ":
            raise fault(position, text, "a character that cannot be seen", ("leave it out",))
    folded = text.translate(_PUNCTUATION).translate(_WIDE).translate(_FOLD)
    return folded.translate(_LOWER)


def traditional(text: str) -> str:
    """Return a sentence of the vocabulary in traditional characters."""
    return text.translate(_UNFOLD)


def fault(
    position: int, text: str, message: str, fixes: Sequence[str] = (), length: int | None = None
) -> ValidationError:
    """Return a refusal that names the position, the words there, and what to write."""
    word = text[position : position + length] if length else word_at(text, position)
    said = f"character {position + 1}, {shown(word)}: {message}" if word else message
    return refusal(POINTER, said, "write " + ", or ".join(fixes) if fixes else "")


def word_at(text: str, position: int) -> str:
    """Return the word that begins at a position, cut when long; a Chinese word has no end, so a few characters."""
    found = re.compile(r"[A-Za-z][A-Za-z'./_-]*|[0-9][0-9:./-]*|[\u3400-\u9fff]{1,6}|\S").match(
        text, position
    )
    return found[0][:_WORD_CHARS_MAX] if found else ""


def near(word: str, known: Collection[str]) -> Sequence[str]:
    """Return known words that a word may be a slip of."""
    return difflib.get_close_matches(word.lower()[:_WORD_CHARS_MAX], known, n=_NEAR, cutoff=0.65)
