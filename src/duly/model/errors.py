"""Errors a caller can act on: one class per thing to do next, with a public code; the text may change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong with an input: where (RFC 6901 pointer), what, and what to write instead."""

    pointer: str
    message: str
    fix: str = ""
    line: int | None = None


class DulyError(Exception):
    """Base of every error that a user may see; `fix` names the next step."""

    code: ClassVar[str] = "unexpected"

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


class ValidationError(DulyError):
    """The input cannot be honoured as written. Correct every listed fault, then send it again."""

    code = "invalid"

    def __init__(self, faults: Sequence[Fault], message: str = "") -> None:
        self.faults = tuple(faults)
        super().__init__(message or "; ".join(fault.message for fault in self.faults))


class NotFoundError(DulyError):
    """Nothing has that name. List what exists."""

    code = "not-found"


class ConflictError(DulyError):
    """The state of the ledger forbids this. Read the message, then choose another operation."""

    code = "conflict"


class IdempotencyConflictError(ConflictError):
    """The same Idempotency-Key came with another body. Send a new key."""

    code = "idempotency-conflict"


class VersionConflictError(ConflictError):
    """Somebody changed it in between. Read it again, then repeat."""

    code = "version-conflict"


class IllegalMoveError(ConflictError):
    """A state may not be left that way. No row of the lifecycle table allows it."""

    code = "illegal-move"


class LeaseLostError(DulyError):
    """Another claim was made. Stop, and touch nothing outside."""

    code = "lease-lost"


class AuthenticationError(DulyError):
    """The token is missing or wrong. Send the token of this data directory."""

    code = "unauthenticated"


class UnavailableError(DulyError):
    """The server or the ledger cannot answer now. Repeat later."""

    code = "unavailable"


class OwnerConflictError(UnavailableError):
    """Another process owns this data directory. Talk to it, or stop it first."""

    code = "owned"


class LedgerFullError(UnavailableError):
    """The disk is full; nothing was written. Free space, then repeat."""

    code = "disk-full"


class CommitUnknownError(UnavailableError):
    """The commit failed after its pages may have reached the disk. Reopen the ledger and read it back."""

    code = "commit-unknown"


class DeadlineExceededError(UnavailableError):
    """The transaction took longer than it may and was rolled back; it is not run again."""

    code = "deadline-exceeded"


class ForeignDatabaseError(DulyError):
    """The file is not a ledger of Duly, or cannot be read. Point DULY_HOME elsewhere."""

    code = "foreign-database"


class SchemaVersionError(DulyError):
    """The ledger was written by another version of Duly. Upgrade Duly, or migrate the ledger."""

    code = "schema-version"
