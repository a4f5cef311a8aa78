"""One owner process for a data directory: locks that the kernel frees, however the owner ends, and facts beside them.

Locked are the directory itself, because people remove lock files that they think stale, and the file with the facts,
because a network file system may tell other machines of locks on files only.
"""

import fcntl
import json
import os
import time
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from duly.model import instant
from duly.model.errors import OwnerConflictError, UnavailableError
from duly.model.instant import Instant

LOCK_FILE: Final = "owner.lock"

_LOCK_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC

_LOOK_AGAIN_S: Final = 0.01
# Somebody who asks for the owner holds the lock for a moment; that is no conflict.
_GRACE_S: Final = 0.1
# However many ask: for as long as nobody owns it.
_CROWD_S: Final = 5.0
# An owner that is asked to keep its facts (`Owner.keep`) puts them back within a second.
_FACTS_TRIES: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerFacts:
    """Who owns a data directory; `url` is empty until it serves one, `start_ticks` None where the system tells none.

    `is_brief`: it writes a little and goes; others may wait for it.
    """

    pid: int
    start_ticks: int | None
    boot_id: str
    host: str
    url: str
    started_at: Instant
    version: str
    is_brief: bool = False


class Owner:
    """Proof that no other process owns the directory, as long as this one lives or until `release`."""

    def __init__(self, home: Path, directory: int, file: int) -> None:
        """Hold both, locked."""
        self._home = home
        self._directory = directory
        self._file: int | None = file
        self._facts = b""
        # A child made by fork alone would keep the lock beyond its parent's life.
        os.register_at_fork(after_in_child=self.release)

    def publish(self, facts: OwnerFacts) -> None:
        """Tell others who owns the directory; call it again once the address is known."""
        self._facts = json.dumps(asdict(facts), sort_keys=True).encode() + b"\n"
        self._tell()

    def keep(self) -> bool:
        """Put the file with the facts back where somebody removed it; False: the directory itself is gone.

        Call it now and then from the thread that publishes, so that others go on finding the owner.
        """
        # What cannot be looked at or put back now may be the next time; the directory's lock holds meanwhile.
        with suppress(OSError):
            if not _is_named(self._directory, self._home):
                return False
            if not _is_named(self._held(), self._home / LOCK_FILE):
                self._put_back()
        return True

    def _put_back(self) -> None:
        file = os.open(LOCK_FILE, _LOCK_FLAGS, 0o600, dir_fd=self._directory)
        if not _try_lock(file, fcntl.LOCK_EX):
            os.close(file)
            return
        os.close(self._held())
        self._file = file
        self._tell()

    def _tell(self) -> None:
        file = self._held()
        os.pwrite(file, self._facts, 0)
        os.ftruncate(file, len(self._facts))

    def _held(self) -> int:
        assert self._file is not None, "released already"
        return self._file

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


def acquire(
    home: Path, facts: OwnerFacts, wait_s: float = 0.0, look_again_s: float = _LOOK_AGAIN_S
) -> Owner:
    """Own the existing directory `home`; raise OwnerConflictError, naming the owner, if it is owned beyond `wait_s`."""
    until = time.monotonic() + max(wait_s, _GRACE_S)
    while (owner := _attempt(home)) is None:
        late_s = time.monotonic() - until
        if late_s > _CROWD_S or (late_s > 0 and not _look(home).is_free):
            raise _conflict(home)
        time.sleep(look_again_s)
    owner.publish(facts)
    return owner


def read_owner(home: Path) -> OwnerFacts | None:
    """Return who owns the directory; None when nobody does, whatever an earlier owner left in the file."""
    for _ in range(_FACTS_TRIES):
        look = _look(home)
        if look.is_free or look.facts is not None:
            return look.facts
        # The new owner is just writing them, or puts them back.
        time.sleep(_LOOK_AGAIN_S)
    raise UnavailableError(
        f"the owner of {home} does not say who it is",
        fix=f"Repeat later; start it anew if somebody removed {LOCK_FILE}.",
    )


def _attempt(home: Path) -> Owner | None:
    directory, file = _opened(home)
    # A lock on what was removed meanwhile is none: others look for the owner elsewhere.
    if (
        _try_lock(directory, fcntl.LOCK_EX)
        and _try_lock(file, fcntl.LOCK_EX)
        and _is_named(directory, home)
        and _is_named(file, home / LOCK_FILE)
    ):
        return Owner(home, directory, file)
    os.close(file)
    os.close(directory)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What one look at the directory showed; `facts` are None where it is free, or its owner says nothing yet."""

    is_free: bool
    facts: OwnerFacts | None


def _look(home: Path) -> _Look:
    with ExitStack() as opened:
        directory = _open_to_look(home, opened)
        file = _open_to_look(home / LOCK_FILE, opened)
        if _is_free(directory) and _is_free(file):
            return _Look(is_free=True, facts=None)
        return _Look(is_free=False, facts=None if file is None else _facts(file))


def _opened(home: Path) -> tuple[int, int]:
    try:
        directory = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return directory, os.open(LOCK_FILE, _LOCK_FLAGS, 0o600, dir_fd=directory)
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


def _is_named(descriptor: int, path: Path) -> bool:
    """Say whether the path still leads to what is open."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return os.path.samestat(os.fstat(descriptor), found)


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
    instead = "Talk to it" if facts.url else "Repeat once it is done"
    return OwnerConflictError(
        f"{home} is owned by process {facts.pid} on {facts.host} since {since}{where}",
        fix=f"{instead}, or stop it first (kill {facts.pid}).",
    )
