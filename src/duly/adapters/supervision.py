"""What a service supervisor hears from us: ready, stopping (sd_notify)."""

import os
import socket
from contextlib import suppress
from typing import Final

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"


def tell(state: str) -> None:
    """Send a state to the supervisor; nothing happens where there is none, or where it does not listen."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as talk:
        talk.connect("\0" + address[1:] if address.startswith("@") else address)
        talk.send(state.encode())
