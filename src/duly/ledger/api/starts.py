"""Verbs about slots that start alike: the same rule, slot and revision for many automations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from duly.model.automation import DueAutomation
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.model.occurrence import Occurrence
from duly.model.run import Run, RunPin
from duly.model.timing import Watermark


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """All that one automation's slot writes when it starts the first run of its window.

    `created` and `answered` are the bodies of the two audit events, on the run and on the automation. Neither names the
    automation, and only `answered` names the run, once; its `from`, further on, is the slot key of the old watermark.
    """

    pin: RunPin
    run: Run
    occurrence: Occurrence
    mark: Watermark
    next_due: Instant | None
    created: Mapping[str, Any]
    answered: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A start as the store keeps it, without what differs between automations."""

    pin: tuple[Any, ...]
    run: tuple[Any, ...]
    occurrence: tuple[tuple[Any, ...], tuple[Any, ...]]
    mark: tuple[Any, ...]
    created: str
    answered: tuple[str, str, str]
    actor: str


class StartVerbs(Protocol):
    """Starting alike."""

    def pattern(self, start: Start) -> Pattern:
        """Return the pattern of a start, for automations of the same workspace, revision number, rule and slot."""
        ...

    def start_like(self, pattern: Pattern, due: DueAutomation, run_id: RunId) -> bool:
        """Write for an automation what the pattern's start would write for its own.

        False: somebody was first, the window has a run, or the automation has changed. The caller undoes the part then.
        """
        ...
