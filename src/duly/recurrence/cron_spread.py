"""`H` in cron: a value that is always the same for one automation, and spread evenly over all of them."""

import hashlib
import re
from collections.abc import Sequence
from typing import Final

# Lowest and highest value of minute, hour, day of month (every month has it), month, day of week.
_RANGES: Final[Sequence[tuple[int, int]]] = ((0, 59), (0, 23), (1, 28), (1, 12), (0, 6))
_SPREAD: Final = re.compile(r"H(?:\(([0-9]{1,2})-([0-9]{1,2})\))?(?:/([0-9]{1,2}))?", re.ASCII)


def uses_spread(text: str) -> bool:
    """Say whether an expression holds an `H`."""
    return any(
        _SPREAD.fullmatch(item.upper()) for field in text.split() for item in field.split(",")
    )


def resolved(text: str, seed: str) -> str:
    """Return an expression with every `H` replaced by the values that belong to `seed`; what is no `H` stays.

    `H(a-b)` keeps to a range, `H/n` begins anywhere and repeats each n. A wrong range stays too: reading names it.
    """
    fields = text.split()
    if len(fields) != len(_RANGES):
        return text
    return " ".join(
        ",".join(_item(item, place, seed) for item in field.split(","))
        for place, field in enumerate(fields)
    )


def _item(item: str, place: int, seed: str) -> str:
    match = _SPREAD.fullmatch(item.upper())
    if match is None:
        return item
    low, high = _RANGES[place]
    if match[1] is not None:
        if not low <= int(match[1]) <= int(match[2]) <= high:
            return item
        low, high = int(match[1]), int(match[2])
    number = int.from_bytes(hashlib.sha256(f"{place}:{seed}".encode()).digest()[:8])
    if match[3] is None:
        return str(low + number % (high - low + 1))
    step = int(match[3])
    if not 0 < step <= high - low:
        return item
    return f"{low + number % step}-{high}/{step}"
