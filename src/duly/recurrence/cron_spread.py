"""`H` in cron: a value that is always the same for one automation, and spread evenly over all of them."""

import hashlib
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Lowest and highest value: the day of month is one that every month has.
_RANGES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "second": (0, 59),
        "minute": (0, 59),
        "hour": (0, 23),
        "day of month": (1, 28),
        "month": (1, 12),
        "day of week": (0, 6),
    }
)
_NAMES: Final = tuple(_RANGES)
_SPREAD: Final = re.compile(r"H(?:\(([0-9]{1,2})-([0-9]{1,2})\))?(?:/([0-9]{1,2}))?", re.ASCII)


def uses_spread(text: str) -> bool:
    """Say whether an expression holds an `H`."""
    return any(
        _SPREAD.fullmatch(item.upper()) for field in text.split() for item in field.split(",")
    )


def is_spread(item: str, name: str) -> bool:
    """Say whether an item of the field with a name is an `H` with values of that field."""
    return _values(item, name) is not None


def resolved(text: str, seed: str) -> str:
    """Return an expression with every `H` replaced by the values that belong to `seed`; what is no `H` stays.

    `H(a-b)` keeps to a range, `H/n` begins anywhere and repeats each n. Six fields begin with seconds. A wrong range
    stays too: reading names it.
    """
    fields = text.split()
    names = _NAMES[-len(fields) :]
    if not 5 <= len(fields) <= len(_NAMES):
        return text
    return " ".join(
        ",".join(_item(item, name, seed) for item in field.split(","))
        for name, field in zip(names, fields, strict=True)
    )


def _values(item: str, name: str) -> tuple[int, int, int | None] | None:
    """Return lowest, highest and step of an `H`; None when it is none, or names what the field has not."""
    match = _SPREAD.fullmatch(item.upper())
    if match is None:
        return None
    low, high = _RANGES[name]
    if match[1] is not None:
        if not low <= int(match[1]) <= int(match[2]) <= high:
            return None
        low, high = int(match[1]), int(match[2])
    if match[3] is not None and not 0 < int(match[3]) <= high - low:
        return None
    return low, high, None if match[3] is None else int(match[3])


def _item(item: str, name: str, seed: str) -> str:
    values = _values(item, name)
    if values is None:
        return item
    low, high, step = values
    # The place among the five fields, so that a field of seconds in front changes no other value.
    place = _NAMES.index(name) - 1
    number = int.from_bytes(hashlib.sha256(f"{place}:{seed}".encode()).digest()[:8])
    if step is None:
        return str(low + number % (high - low + 1))
    first = low + number % step
    return f"{first}-{high}/{step}" if first + step <= high else str(first)
