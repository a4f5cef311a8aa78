"""Exit codes: one table; docs/cli.md repeats it."""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final


class Exit(IntEnum):
    """What a script can branch on."""

    OK = 0
    UNEXPECTED = 1
    INVALID = 2
    NOT_FOUND = 3
    AUTHENTICATION = 4
    CONFLICT = 5
    FAILED_BEFORE_WRITE = 6
    NEEDS_REVIEW = 7
    TIMED_OUT = 8
    UNAVAILABLE = 9


MEANINGS: Final[Mapping[Exit, str]] = MappingProxyType(
    {
        Exit.OK: "done; with `--wait`: completed, or there was nothing to do",
        Exit.UNEXPECTED: "an unexpected error; the message says where the traceback was kept",
        Exit.INVALID: "usage, or an input that cannot be honoured; every fault is told",
        Exit.NOT_FOUND: "nothing has that name",
        Exit.AUTHENTICATION: "the token is missing or wrong",
        Exit.CONFLICT: "the state of things forbids it, or a check found something wrong",
        Exit.FAILED_BEFORE_WRITE: "the run failed or was cancelled, and changed nothing",
        Exit.NEEDS_REVIEW: "the run failed after it may have changed something, or needs a person",
        Exit.TIMED_OUT: "the run was not over in time; it goes on",
        Exit.UNAVAILABLE: "the server or the ledger cannot answer now; nothing was written",
    }
)

OF_ERROR: Final[Mapping[str, Exit]] = MappingProxyType(
    {
        "invalid": Exit.INVALID,
        "malformed": Exit.INVALID,
        "too-large": Exit.INVALID,
        "foreign-database": Exit.INVALID,
        "rule-too-costly": Exit.INVALID,
        "zone-data-older": Exit.UNAVAILABLE,
        "zone-unknown": Exit.INVALID,
        "tree-too-large": Exit.INVALID,
        "tree-unreadable": Exit.INVALID,
        "not-found": Exit.NOT_FOUND,
        "bytes-missing": Exit.NOT_FOUND,
        "unauthenticated": Exit.AUTHENTICATION,
        "misdirected": Exit.AUTHENTICATION,
        "forbidden-origin": Exit.AUTHENTICATION,
        "conflict": Exit.CONFLICT,
        "idempotency-conflict": Exit.CONFLICT,
        "version-conflict": Exit.CONFLICT,
        "illegal-move": Exit.CONFLICT,
        "lease-lost": Exit.CONFLICT,
        "owned": Exit.CONFLICT,
        "schema-version": Exit.CONFLICT,
        "bytes-corrupt": Exit.CONFLICT,
        "unavailable": Exit.UNAVAILABLE,
        "unreachable": Exit.UNAVAILABLE,
        "disk-full": Exit.UNAVAILABLE,
        "commit-unknown": Exit.UNAVAILABLE,
        "deadline-exceeded": Exit.UNAVAILABLE,
    }
)

OF_STATUS: Final[Mapping[str, Exit]] = MappingProxyType(
    {
        "completed": Exit.OK,
        "no-change": Exit.OK,
        "failed-before-write": Exit.FAILED_BEFORE_WRITE,
        "cancelled": Exit.FAILED_BEFORE_WRITE,
        "failed-after-write": Exit.NEEDS_REVIEW,
        "needs-review": Exit.NEEDS_REVIEW,
        "running": Exit.TIMED_OUT,
        "waiting": Exit.TIMED_OUT,
    }
)


def of_error(code: str) -> Exit:
    """Return the exit code for an error's public code."""
    return OF_ERROR.get(code, Exit.UNEXPECTED)
