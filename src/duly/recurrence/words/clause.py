"""A clause: the pattern of a few words, and which parts of a sentence they say."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from duly.recurrence.faults import PartError
from duly.recurrence.words import clock
from duly.recurrence.words.numbers import spans
from duly.recurrence.words.said import Clock, Link

Parts = Mapping[str, object]
"""Fields of `Said` by name."""


WORD_END: Final = r"(?:(?<![a-z0-9])|(?![a-z0-9]))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One way to say something; where several match, the longest one is meant."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Parts]


def clause(pattern: str, read: Callable[[re.Match[str]], Parts]) -> Clause:
    """Return a clause that begins where a word begins, and ends where one ends."""
    return Clause(pattern=re.compile(rf"(?<![a-z0-9])(?:{pattern}){WORD_END}"), read=read)


def clauses(table: Sequence[tuple[str, Callable[[re.Match[str]], Parts]]]) -> Sequence[Clause]:
    """Return a table of patterns and readers as clauses."""
    return tuple(clause(pattern, read) for pattern, read in table)


def times(text: str) -> Parts:
    """Read a list of times."""
    found = sorted({match[0].strip() for match in re.finditer(clock.TIME, text)})
    clock.check_halves(found)
    said: set[Clock] = {clock.read(item) for item in found}
    return {"times": tuple(sorted(said)), "is_night": any(map(clock.is_night, found))}


def between(first: str, last: str) -> Parts:
    """Read a span of the day, both ends included."""
    clock.check_halves((first.strip(), last.strip()))
    return {"between": (clock.read(first.strip()), clock.read(last.strip()))}


def within(name: str, high: int) -> Callable[[re.Match[str]], Parts]:
    """Return a reader of a list of numbers from 0 to `high`."""

    def read(match: re.Match[str]) -> Parts:
        return {name: bounded(spans(match["list"]), 0, high)}

    return read


def bounded(numbers: Sequence[int], low: int, high: int) -> tuple[int, ...]:
    """Return numbers; raise PartError when one lies outside, or is 0 where counting begins at 1."""
    for number in numbers:
        if not low <= number <= high or (low < 0 and number == 0):
            first = max(low, 1) if low else 0
            raise PartError(
                f"{number} is outside {first} to {high}", f"a number from {first} to {high}"
            )
    return tuple(sorted(set(numbers)))


def link(text: str | None) -> Link:
    """Return how a group of days joins the others, from the words before it."""
    if text and ("if" in text or "且" in text):
        return Link.IF
    return Link.OR if text and ("or" in text or "或" in text) else Link.ON


def stepped(match: re.Match[str], every: Parts) -> Parts:
    """Read steps between two times of a day."""
    return {"steps": every["every"], **between(match["first"], match["last"])}
