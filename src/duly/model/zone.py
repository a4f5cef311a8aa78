"""A zone's data as a value: what clocks of a place show, brought in from outside."""

from dataclasses import dataclass, field
from datetime import tzinfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """An IANA zone: its name as typed, its rules, and the tzdata release that they come from.

    `names`: every name that the release gives to the same zone, its own among them; empty: its own alone. Names are
    shown as typed, and compared by what they name: `Asia/Calcutta` is `Asia/Kolkata`.
    `blocks` belongs to `duly.recurrence.zone`: offsets it has already looked up. It does not count as a difference.
    """

    name: str
    info: tzinfo
    version: str
    names: frozenset[str] = field(default=frozenset(), compare=False)
    blocks: dict[int, int | None] = field(default_factory=dict, compare=False, repr=False)

    def is_called(self, name: str) -> bool:
        """Say whether a name means this zone."""
        return name == self.name or name in self.names
