"""Suspension: the same fault of the set-up, again and again, stops an automation once instead of failing for ever."""

from enum import Enum
from typing import Final

from duly.model.reasons import Reason

FAULTS_MAX: Final = 3
"""Faults of one kind in a row that suspend."""


class FaultKind(Enum):
    """What has to be repaired before any run of the automation can end well."""

    AUTHENTICATION = "authentication"
    MODEL = "model"
    CONFIGURATION = "configuration"


_KINDS: Final = {
    Reason.CWD_MISSING: FaultKind.CONFIGURATION,
    Reason.PROGRAM_MISSING: FaultKind.CONFIGURATION,
    Reason.PROGRAM_NOT_EXECUTABLE: FaultKind.CONFIGURATION,
    Reason.SECRET_MISSING: FaultKind.AUTHENTICATION,
}

_REASONS: Final = {
    FaultKind.AUTHENTICATION: Reason.AUTHENTICATION_FAULT,
    FaultKind.MODEL: Reason.MODEL_FAULT,
    FaultKind.CONFIGURATION: Reason.CONFIGURATION_FAULT,
}


def decide(faults_in_a_row: int, kind: FaultKind | None, faults_max: int = FAULTS_MAX) -> bool:
    """Say whether the fault just counted suspends the automation; with no kind (the agent's own failure) never."""
    return kind is not None and faults_in_a_row >= faults_max


def kind_of(reason: Reason) -> FaultKind | None:
    """Return the kind of set-up fault behind a reason; None: the next window may well succeed."""
    return _KINDS.get(reason)


def reason_of(kind: FaultKind) -> Reason:
    """Return the reason of a suspension for faults of this kind."""
    return _REASONS[kind]


def count(kind_before: FaultKind | None, count_before: int, kind: FaultKind | None) -> int:
    """Return how many faults of this kind there are in a row, once one more run has ended with it."""
    if kind is None:
        return 0
    return count_before + 1 if kind is kind_before else 1
