"""Occurrences: triggers that were answered, once and for ever."""

from dataclasses import dataclass

from duly.model.ids import AutomationId, RunId
from duly.model.instant import Instant
from duly.model.states import Disposition, Trigger, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One answered trigger, or a range of missed slots `occurrence_key`..`last_slot_key` (`slot_count` of them).

    `occurrence_key`: `slot:<slot key>`, `manual:<Idempotency-Key>`, `event:<source>:<id>`, `external:<name>`.
    A span in which nothing could fire (paused, deleted) may have `slot_count` 0.
    """

    automation_id: AutomationId
    occurrence_key: str
    cause: Trigger
    disposition: Disposition
    reason: str | None
    revision: int
    run_id: RunId | None
    window_key: str | None
    due_at: Instant | None
    last_due_at: Instant | None
    last_slot_key: str | None
    slot_count: int
    actor: str
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunVerdict:
    """What a joined occurrence came to, said by the worker that verified artifact and effects."""

    automation_id: AutomationId
    occurrence_key: str
    run_id: RunId
    verdict: Verdict
    reason: str | None
    at: Instant
