"""The audit chain: each row's hash covers its content and the hash before it, for each scope apart."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring as _string
from typing import Any, Final, NamedTuple

from duly.model import canonical
from duly.model.instant import Instant

START: Final = ""
"""What the first row of a scope has in the place of a previous hash."""

_SAFE_INTEGER: Final = 2**53 - 1


class Row(NamedTuple):
    """One audit row as it is stored."""

    scope: str
    seq: int
    at: Instant
    actor: str
    kind: str
    body: str
    hash: str


class Head(NamedTuple):
    """The newest row of a scope; kept elsewhere, it proves later that no row was cut off."""

    seq: int
    hash: str


NO_HEAD: Final = Head(0, START)
"""The head of a chain without a row."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The first row that cannot be true: edited, missing, or cut off."""

    scope: str
    seq: int
    why: str


@dataclass(frozen=True, slots=True)
class Intact:
    """Every chain holds; `heads` may be anchored outside the ledger."""

    heads: Mapping[str, Head]


def link(head: "Head | Row", scope: str, at: Instant, actor: str, kind: str, body: str) -> Row:
    """Return the row that follows `head`.

    Its hash is the SHA-256 of the RFC 8785 array `[previous hash, scope, seq, at_us, actor, kind, body]`.
    """
    seq = head.seq + 1
    text = (
        f"[{_string(head.hash)},{_string(scope)},{seq},{at},"
        f"{_string(actor)},{_string(kind)},{_string(body)}]"
    )
    return Row(scope, seq, at, actor, kind, body, hashlib.sha256(text.encode()).hexdigest())


def text_of(body: Mapping[str, Any]) -> str:
    """Return the canonical JSON (RFC 8785) of an audit body."""
    # Most bodies are plain: writing those here costs a tenth, and a test holds the two to the same text.
    names = _names_of(tuple(body))
    if names is None:
        return canonical.to_json(dict(body))
    try:
        fields = [name + _WRITERS[type(body[key])](body[key]) for key, name in names]
    except KeyError:
        return canonical.to_json(dict(body))
    return "{" + ",".join(fields) + "}"


@lru_cache(maxsize=256)
def _names_of(keys: tuple[str, ...]) -> list[tuple[str, str]] | None:
    """Return the keys of a body in canonical order, each as it is written; None where that order is not their own."""
    if not all(map(str.isascii, keys)):
        return None
    return [(key, f"{_string(key)}:") for key in sorted(keys)]


def verify(rows: Iterable[Row], anchors: Mapping[str, Head] | None = None) -> Intact | Broken:
    """Follow every chain; `rows` come ordered by scope and seq. Each anchored head must still be in its chain."""
    anchored = anchors or {}
    heads: dict[str, Head] = {}
    for row in rows:
        head = heads.get(row.scope, NO_HEAD)
        if row.seq != head.seq + 1:
            return Broken(row.scope, head.seq + 1, "missing")
        if row != link(head, row.scope, row.at, row.actor, row.kind, row.body):
            return Broken(row.scope, row.seq, "edited")
        heads[row.scope] = Head(row.seq, row.hash)
        anchor = anchored.get(row.scope)
        if anchor and anchor.seq == row.seq and anchor.hash != row.hash:
            return Broken(row.scope, row.seq, "written anew since it was anchored")
    for scope, anchor in anchored.items():
        if heads.get(scope, NO_HEAD).seq < anchor.seq:
            return Broken(scope, anchor.seq, "cut off since it was anchored")
    return Intact(heads)


def _integer(value: int) -> str:
    return str(value) if -_SAFE_INTEGER <= value <= _SAFE_INTEGER else canonical.to_json(value)


def _array(values: Sequence[Any]) -> str:
    return "[" + ",".join([_WRITERS[type(value)](value) for value in values]) + "]"


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    str: _string,
    int: _integer,
    bool: ("false", "true").__getitem__,
    type(None): "null".format,
    list: _array,
    dict: text_of,
}
