"""Ids that nobody else has, drawn from the system's randomness in one place."""

import os
import secrets
from typing import Final

_ID_BYTES: Final = 16


def new_id() -> str:
    """Return 128 random bits as text."""
    return secrets.token_hex(_ID_BYTES)


def new_owner() -> str:
    """Return a name for this process start: host and process number for people, random bits for uniqueness."""
    return f"{os.uname().nodename}-{os.getpid()}-{secrets.token_hex(4)}"
