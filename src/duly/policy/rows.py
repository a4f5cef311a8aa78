"""Decision tables: rows in order, of which the first that holds gives the answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Facts = TypeVar("Facts")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Generic[Facts, Answer]):
    """One row: what is found, in words for the docs and as a condition, and what is answered."""

    found: str
    holds: Callable[[Facts], bool]
    answer: Answer


def first(rows: Sequence[Row[Facts, Answer]], facts: Facts) -> Row[Facts, Answer]:
    """Return the first row that holds; the caller's last row holds always, or holds what no other one does."""
    for row in rows:
        if row.holds(facts):
            return row
    raise AssertionError(f"no row holds for {facts}")
