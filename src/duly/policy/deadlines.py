"""Deadlines: how long a run may wait before it starts."""

from dataclasses import dataclass

from duly.model.instant import Instant
from duly.model.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitFacts:
    """Since when a run waits, None: it does not.

    `starting_since`: since its claim, or since a wait for something missing (directory, program) began. `queued_since`:
    since it was admitted. Limits in µs; `queue_us_max` None: it may queue for ever.
    """

    starting_since: Instant | None
    queued_since: Instant | None
    start_us_max: int
    queue_us_max: int | None


def decide(facts: WaitFacts, at: Instant) -> Reason | None:
    """Return the deadline that has passed, the start's first; None: it may go on waiting."""
    if facts.starting_since is not None and at - facts.starting_since >= facts.start_us_max:
        return Reason.START_DEADLINE
    if facts.queued_since is None or facts.queue_us_max is None:
        return None
    return Reason.QUEUE_DEADLINE if at - facts.queued_since >= facts.queue_us_max else None
