"""What is wrong with a rule as written, collected until everything was read."""

from dataclasses import dataclass, field
from typing import Final

from duly.model.errors import Fault, ValidationError

RRULE: Final = "/schedule/rrule"
DTSTART: Final = "/schedule/dtstart"
CRON: Final = "/schedule/cron"
ONCE: Final = "/schedule/once"
TIMEZONE: Final = "/schedule/timezone"

_SHOWN_CHARS_MAX: Final = 60


class PartError(Exception):
    """One part of a rule cannot be read; becomes a fault."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults at one place of a definition, in the order in which they were found."""

    pointer: str
    found: list[Fault] = field(default_factory=list)

    def add(self, message: str, fix: str = "") -> None:
        """Note one fault."""
        self.found.append(Fault(pointer=self.pointer, message=message, fix=fix))

    def raise_if_any(self) -> None:
        """Raise ValidationError with every fault found."""
        if self.found:
            raise ValidationError(self.found)


def refusal(pointer: str, message: str, fix: str = "") -> ValidationError:
    """Return the error of a single fault."""
    return ValidationError([Fault(pointer=pointer, message=message, fix=fix)])


def bad_dtstart(text: str) -> Fault:
    """Return the fault of a DTSTART that is no local time."""
    return Fault(
        pointer=DTSTART,
        message=f"{shown(text)} is no local time",
        fix="write 2026-03-01T09:00:00, in the automation's zone",
    )


def shown(text: str) -> str:
    """Return text for a message: quoted, control characters escaped, cut when long."""
    cut = text if len(text) <= _SHOWN_CHARS_MAX else text[:_SHOWN_CHARS_MAX] + "…"
    return repr(cut)
