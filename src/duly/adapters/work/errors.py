"""Why an attempt cannot go on, as a reason that the ledger keeps."""

from typing import ClassVar

from duly.model.errors import DulyError
from duly.model.reasons import Reason


class CannotWorkError(DulyError):
    """Something the attempt needs is not there or cannot be made. `reason` says what; nothing was started for it."""

    code: ClassVar[str] = "cannot-work"

    def __init__(self, reason: Reason, message: str, *, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.reason = reason


class CannotTellError(DulyError):
    """A notice cannot even be tried: who is to be told is not named so that anybody could be reached."""

    code: ClassVar[str] = "cannot-tell"
