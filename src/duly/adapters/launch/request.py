"""What to start: one program, where, with which environment, under which token."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TOKEN_VARIABLE: Final = "DULY_RUN_TOKEN"
_LENGTH_DIGITS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One program to start. Its environment is exactly `env` plus the token; its stdin is closed.

    `record` is created and gets the launcher's status lines; `cwd` is entered as named, never replaced. `lingers`: what
    the program leaves in the background may go on until `kill`; else it ends with the program.
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    run_token: str
    record: Path | None = None
    umask: int = 0o077
    is_merged: bool = True
    lingers: bool = False

    def __post_init__(self) -> None:
        """Refuse what no program can be given."""
        texts = (*self.argv, str(self.cwd), self.run_token, *self.env, *self.env.values())
        if not self.argv or not self.argv[0] or not self.run_token:
            raise ValueError("a launch needs a program and a token")
        if any("\0" in text for text in texts) or any(not name or "=" in name for name in self.env):
            raise ValueError("NUL in an argument, or a bad name in the environment")


def frame(request: Launch) -> bytes:
    """Return the bytes that tell a launcher what to run: ten digits of length, then fields between NULs."""
    env = {**request.env, TOKEN_VARIABLE: request.run_token}
    fields = [
        str(request.umask),
        str(int(request.lingers)),
        str(request.cwd),
        str(len(request.argv)),
        *request.argv,
        *(f"{name}={value}" for name, value in env.items()),
    ]
    body = b"\0".join(os.fsencode(field) for field in fields)
    return b"%0*d" % (_LENGTH_DIGITS, len(body)) + body
