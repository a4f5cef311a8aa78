"""A zone's data as a value: what clocks of a place show, brought in from outside."""

from dataclasses import dataclass, field
from datetime import tzinfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """An IANA zone: its name as typed, its rules, and the tzdata release that they come from.

    `blocks` belongs to `duly.recurrence.zone`: offsets it has already looked up. It does not count as a difference.
    """

    name: str
    info: tzinfo
    version: str
    blocks: dict[int, int | None] = field(default_factory=dict, compare=False, repr=False)
