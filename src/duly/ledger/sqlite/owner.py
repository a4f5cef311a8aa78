"""One owner process for a data directory: locks that the kernel frees, however the owner ends, and facts beside them.

Locked are the directory itself, because people remove lock files that they think stale, and the file with the facts,
because a network file system may tell other machines of locks on files only.
"""

import fcntl
import json
import os
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from duly.model import instant
from duly.model.errors import OwnerConflictError, UnavailableError
from duly.model.instant import Instant

LOCK_FILE: Final = "owner.lock"

_LOOK_AGAIN_S: Final = 0.01
# Somebody who asks for the owner holds the lock for a moment; that is no conflict.
_GRACE_S: Final = 0.1
_FACTS_TRIES: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerFacts:
    """Who owns a data directory; `url` is empty until it serves one, `start_ticks` None where the system tells none."""

    pid: int
    start_ticks: int | None
    boot_id: str
    host: str
    url: str
    started_at: Instant
    version: str


class Owner:
    """Proof that no other process owns the directory, as long as this one lives or until `release`."""

    def __init__(self, directory: int, file: int) -> None:
        """Hold both, locked."""
        self._directory = directory
        self._file: int | None = file
        # A child made by fork alone would keep the lock beyond its parent's life.
        os.register_at_fork(after_in_child=self.release)

    def publish(self, facts: OwnerFacts) -> None:
        """Tell others who owns the directory; call it again once the address is known."""
        assert self._file is not None, "released already"
        text = json.dumps(asdict(facts), sort_keys=True).encode() + b"\n"
        os.pwrite(self._file, text, 0)
        os.ftruncate(self._file, len(text))

    def release(self) -> None:
        """Give the directory up."""
        if self._file is not None:
            os.close(self._file)
            os.close(self._directory)
            self._file = None

    def __enter__(self) -> "Owner":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def acquire(home: Path, facts: OwnerFacts, wait_s: float = 0.0) -> Owner:
    """Own the existing directory `home`; raise OwnerConflictError, naming the owner, if it is owned beyond `wait_s`."""
    directory, file = _opened(home)
    until = time.monotonic() + max(wait_s, _GRACE_S)
    while not (_try_lock(directory, fcntl.LOCK_EX) and _try_lock(file, fcntl.LOCK_EX)):
        if time.monotonic() > until:
            os.close(file)
            os.close(directory)
            raise _conflict(home)
        time.sleep(_LOOK_AGAIN_S)
    owner = Owner(directory, file)
    owner.publish(facts)
    return owner


def read_owner(home: Path) -> OwnerFacts | None:
    """Return who owns the directory; None when nobody does, whatever an earlier owner left in the file."""
    with ExitStack() as opened:
        directory = _open_to_look(home, opened)
        file = _open_to_look(home / LOCK_FILE, opened)
        for _ in range(_FACTS_TRIES):
            if _is_free(directory) and _is_free(file):
                return None
            if file is not None and (facts := _facts(file)) is not None:
                return facts
            # The new owner is just writing them.
            time.sleep(_LOOK_AGAIN_S)
    raise UnavailableError(
        f"the owner of {home} does not say who it is",
        fix=f"Repeat later; start it anew if somebody removed {LOCK_FILE}.",
    )


def _opened(home: Path) -> tuple[int, int]:
    try:
        directory = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            return directory, os.open(LOCK_FILE, flags, 0o600, dir_fd=directory)
        except OSError:
            os.close(directory)
            raise
    except OSError as error:
        raise UnavailableError(
            f"{home} cannot be owned ({error.strerror})",
            fix="Create it, or point DULY_HOME elsewhere.",
        ) from error


def _open_to_look(path: Path, opened: ExitStack) -> int | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    opened.callback(os.close, descriptor)
    return descriptor


def _is_free(descriptor: int | None) -> bool:
    return descriptor is None or _try_lock(descriptor, fcntl.LOCK_SH)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _facts(descriptor: int) -> OwnerFacts | None:
    try:
        found: dict[str, Any] = json.loads(os.pread(descriptor, 65_536, 0))
        return OwnerFacts(**found)
    except (ValueError, TypeError):
        return None


def _conflict(home: Path) -> OwnerConflictError:
    try:
        facts = read_owner(home)
    except UnavailableError as error:
        return OwnerConflictError(error.message, fix=error.fix)
    if facts is None:
        return OwnerConflictError(f"{home} was owned until a moment ago", fix="Repeat.")
    since = instant.to_text(facts.started_at)
    where = f", serving {facts.url}" if facts.url else ""
    return OwnerConflictError(
        f"{home} is owned by process {facts.pid} on {facts.host} since {since}{where}",
        fix=f"Talk to it, or stop it first (kill {facts.pid}).",
    )
