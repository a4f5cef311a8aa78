"""Canonical JSON (RFC 8785) and the hashes made from it: the same facts give the same bytes everywhere."""

import hashlib
from typing import Any, Final

import rfc8785

# RFC 8785 numbers are IEEE doubles; integers beyond 2^53 would lose digits, so they travel as tagged text.
_SAFE_INTEGER: Final = 2**53 - 1
_TAG: Final = "int:"


def to_json(value: Any) -> str:
    """Return the canonical JSON text of plain data; integers of 2^53 and above become `int:` strings."""
    return rfc8785.dumps(_tagged(value)).decode()


def hash_of(value: Any) -> str:
    """Return the SHA-256 (64 hex digits) of the canonical JSON of plain data."""
    return hash_text(to_json(value))


def hash_text(text: str) -> str:
    """Return the SHA-256 (64 hex digits) of UTF-8 text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _tagged(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) <= _SAFE_INTEGER else f"{_TAG}{value}"
    if isinstance(value, dict):
        return {key: _tagged(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_tagged(item) for item in value]
    return value
