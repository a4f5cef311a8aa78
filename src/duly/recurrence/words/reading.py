"""Reads a sentence, word by word; every word must mean something."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from duly.model.errors import ValidationError
from duly.recurrence.faults import PartError
from duly.recurrence.words import chinese, compose, english, traps, zones
from duly.recurrence.words.clause import Clause, Parts, clause
from duly.recurrence.words.said import Said
from duly.recurrence.words.text import fault, near, normal, word_at

_CLAUSES_MAX: Final = 40
_KNOWN_WORDS_MAX: Final = 8
_BETWEEN_CLAUSES: Final = re.compile(r"[\s,;.()\"]*(?:[的在于][\s,]*)?")
_END: Final = re.compile(r"[\s,;.!()\"]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What a sentence means: a `schedule` as a definition would write it, and the zone it names, if any."""

    schedule: Mapping[str, object]
    zone_name: str | None


def read(text: str, zone_names: Collection[str] = ()) -> Spoken:
    """Return what a sentence in English or Chinese means; every word of it counts.

    Raises ValidationError with the position of the first word that means nothing, or more than one thing, and with
    what to write instead. `zone_names`: further zones that the sentence may name, by their name or its last part.
    """
    folded = normal(text)
    if not _END.sub("", folded):
        raise fault(0, text, "the text says nothing", (_EXAMPLE,))
    said, places = _said(folded, text, zone_names)
    try:
        return Spoken(schedule=compose.schedule(said), zone_name=said.zone)
    except compose.UnclearError as unclear:
        position = next((places[name] for name in unclear.about if name in places), 0)
        raise fault(position, text, unclear.message, unclear.fixes) from None


_EXAMPLE: Final = "every weekday at 09:00"


def _said(folded: str, text: str, zone_names: Collection[str]) -> tuple[Said, Mapping[str, int]]:
    values: dict[str, object] = {}
    places: dict[str, int] = {}
    position = _skip(folded, 0)
    clauses = 0
    while not _END.fullmatch(folded, position):
        parts, end = _next(folded, text, position, zone_names)
        for name in parts:
            if name in values and name not in _REPEATED:
                raise _twice(name, text, position, end)
        values.update(parts)
        places.update(dict.fromkeys(parts, position))
        position = _skip(folded, end)
        clauses += 1
        if clauses > _CLAUSES_MAX:
            raise fault(position, text, "the sentence has too many parts", ("a shorter one",))
    return Said(**values), places  # type: ignore[arg-type]  # the grammar's tables name its fields


_REPEATED: Final = ("is_night", "once", "month_days_link")


def _twice(name: str, text: str, position: int, end: int) -> ValidationError:
    what = name.replace("_", " ")
    message = f"{what} was said before; one sentence is one rule"
    return fault(position, text, message, ("one list", "a second automation"), end - position)


def _skip(folded: str, position: int) -> int:
    match = _BETWEEN_CLAUSES.match(folded, position)
    return position if match is None else match.end()


def _next(folded: str, text: str, position: int, zone_names: Collection[str]) -> tuple[Parts, int]:
    """Return the parts of the longest clause at a position, and where it ends."""
    best: tuple[re.Match[str], Clause] | None = None
    for one in _grammar():
        match = one.pattern.match(folded, position)
        if match and match.end() > position and (best is None or match.end() > best[0].end()):
            best = match, one
    trapped = traps.at(folded, position, best[0].end() if best else position)
    if trapped is not None:
        end, message, fixes = trapped
        raise fault(position, text, message, fixes, end - position)
    if best is None:
        return _zone_among(folded, text, position, zone_names)
    match, found = best
    try:
        parts = found.read(match)
    except PartError as error:
        fixes = (error.fix,) if error.fix else ()
        raise fault(position, text, error.message, fixes, match.end() - position) from None
    return _as_typed(parts, match, text), match.end()


def _as_typed(parts: Parts, match: re.Match[str], text: str) -> Parts:
    """Zones are matched in lower case; one that no table knows keeps the case that was typed."""
    if "zone" not in parts:
        return parts
    group = "zone" if match["zone"] else "inner"
    typed = text[match.start(group) : match.end(group)]
    return {"zone": zones.zone_of(match[group], typed)}


_WORDS: Final = re.compile(r"(?:in\s+)?([a-z_/+-]+(?:[ _][a-z]+){0,2})(?:\s+time)?")


def _zone_among(
    folded: str, text: str, position: int, zone_names: Collection[str]
) -> tuple[Parts, int]:
    match = _WORDS.match(folded, position) if zone_names else None
    words = match[1].removesuffix(" time").split(" ") if match else []
    for count in range(len(words), 0, -1):
        tried = " ".join(words[:count])
        found = zones.among(tried, zone_names)
        if found is not None and match is not None:
            end = match.start(1) + len(tried)
            time = re.compile(r"\s+time\b").match(folded, end)
            return {"zone": found}, time.end() if time else end
    raise _unknown(folded, text, position)


def _unknown(folded: str, text: str, position: int) -> ValidationError:
    word = word_at(folded, position)
    known = set(_vocabulary())
    for _ in range(_KNOWN_WORDS_MAX):
        if word not in known:
            break
        # The word is known; what follows it makes no sense of it.
        following = _skip(folded, position + len(word))
        if following >= len(folded.rstrip()):
            break
        position, word = following, word_at(folded, following)
        trapped = traps.at(folded, position, position)
        if trapped is not None:
            return fault(position, text, trapped[1], trapped[2], trapped[0] - position)
    close = [] if word in known else near(word, known)
    if close:
        return fault(position, text, "this is not understood", close)
    return fault(position, text, "this is not understood", _forms(word))


def _forms(word: str) -> Sequence[str]:
    if word and "\u3400" <= word[0] <= "\u9fff":
        return ("每天 09:00", "每周一、三 09:00", "每月1日 09:00", "每15分钟")
    return (_EXAMPLE, "every 15 minutes", "on the 1st of every month at 09:00")


@cache
def _grammar() -> Sequence[Clause]:
    zone = (
        clause(zones.ZONE_EN, _zone),
        clause(zones.ZONE_ZH, _zone),
        clause(zones.ZONE_ANY, _zone),
        clause(r"\(cron\)|cron", lambda _: {"is_cron": True}),
    )
    return (*english.table(), *chinese.table(), *zone)


def _zone(match: re.Match[str]) -> Parts:
    return {"zone": match["zone"]}


@cache
def _vocabulary() -> Collection[str]:
    return (*english.vocabulary(), *zones.PLACES)
