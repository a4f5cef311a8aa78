"""What the named statements write, read from their text."""

import re
from collections.abc import Iterator

from duly.ledger import statements

_UPDATE = re.compile(r"\bupdate\s+(\w+)\s+set\s+(.*?)\s+where\b", re.DOTALL)
_UPSERT = re.compile(r"\binsert\s+into\s+(\w+)\b.*\bdo\s+update\s+set\s+(.*)", re.DOTALL)
_DELETE = re.compile(r"\bdelete\s+from\s+(\w+)")
_SET = re.compile(r"(?:^|,\s*)(\w+)\s*=")


def texts() -> dict[str, str]:
    """Return the statements without their comments."""
    return {name: re.sub(r"--.*|/\*.*?\*/", "", text) for name, text in statements.named().items()}


def everyday() -> dict[str, str]:
    """Return the statements that a running service asks: all but the checks of a whole ledger."""
    return {name: text for name, text in texts().items() if not name.startswith("never_")}


def updates() -> Iterator[tuple[str, str, set[str]]]:
    """Give statement, table and columns of everything that changes rows in place."""
    for name, text in texts().items():
        for table, assignments in _UPDATE.findall(text) + _UPSERT.findall(text):
            yield name, table, set(_SET.findall(assignments))


def deletes() -> Iterator[tuple[str, str]]:
    """Give statement and table of everything that removes rows."""
    for name, text in texts().items():
        for table in _DELETE.findall(text):
            yield name, table
