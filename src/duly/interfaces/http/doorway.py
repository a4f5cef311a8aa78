"""How many may stand at the door: whoever connects needs no token, and each takes a descriptor of the node."""

from asyncio import Transport
from typing import Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

CONNECTIONS_MAX: Final = 128


class Doorway(H11Protocol):
    """One connection of a few: when there are too many, the one that has been idle for longest has to go."""

    connected_at = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being asked or answered here, as far as it was heard."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        return cycle is None or cycle.response_complete

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Let it in."""
        self.connected_at = self.loop.time()
        super().connection_made(transport)
        if len(self.connections) <= CONNECTIONS_MAX:
            return
        # This one is idle too: it goes itself when all others are being answered.
        idle = [one for one in self.connections if isinstance(one, Doorway) and one.is_idle]
        oldest = min(idle, key=lambda one: one.connected_at)
        self.connections.discard(oldest)
        oldest.transport.abort()
