"""One loop under way: its generator, its mail, the wake keys it has not heard yet, and what it waits for."""

from collections import deque
from typing import Any, Final

from duly.engine.requests import Handle, Steps, Wait


class LoopState:
    """Touched by the engine thread alone. `parent` hears of its end under `handle`; both None for a root."""

    __slots__ = (
        "handle",
        "is_over",
        "keys",
        "mail",
        "name",
        "parent",
        "started",
        "steps",
        "wait",
        "woken",
    )

    def __init__(
        self,
        steps: Steps[Any],
        keys: tuple[str, ...],
        name: str,
        parent: "LoopState | None" = None,
        handle: Handle | None = None,
    ) -> None:
        """Listen to `keys` from now on."""
        self.steps: Final = steps
        self.keys: Final = frozenset(keys)
        self.name: Final = name
        self.parent: Final = parent
        self.handle: Final = handle
        self.mail: Final[deque[tuple[Handle, Any]]] = deque()
        self.woken: Final[set[str]] = set()
        self.started: Final[set[Handle]] = set()
        self.wait: Wait | None = None
        self.is_over = False

    def take_mail(self, handles: tuple[Handle, ...]) -> tuple[Handle, Any] | None:
        """Take the oldest message of one of these handles."""
        for place, letter in enumerate(self.mail):
            if letter[0] in handles:
                del self.mail[place]
                return letter
        return None

    def take_key(self, keys: tuple[str, ...]) -> str | None:
        """Take the first of these keys that was set."""
        for key in keys:
            if key in self.woken:
                self.woken.discard(key)
                return key
        return None
