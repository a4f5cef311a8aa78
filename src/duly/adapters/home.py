"""The data directory: where it is, what lies in it, and that nobody else can look inside."""

import os
import pwd
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from duly.model.errors import UnavailableError

_PRIVATE: Final = 0o700
_TOKEN_BYTES: Final = 32
_MARKS: Final = frozenset({"ledger.db", "owner.lock", "token", "config.toml"})
# What somebody who makes the directory at this moment, or died while making it, has there before any mark.
_EARLY: Final = frozenset({"bytes", "logs", "backups"})
_ELSEWHERE: Final = "Make it a directory of this user, or point DULY_HOME elsewhere."


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The entries of one data directory (decision 0001, section 4); naming them creates nothing."""

    root: Path

    @property
    def ledger(self) -> Path:
        """The ledger file."""
        return self.root / "ledger.db"

    @property
    def has_ledger(self) -> bool:
        """Whether something stands where the ledger would."""
        return os.path.lexists(self.ledger)

    @property
    def token(self) -> Path:
        """The file that holds the bearer token."""
        return self.root / "token"

    @property
    def config(self) -> Path:
        """The configuration file, written by a person."""
        return self.root / "config.toml"

    @property
    def bytes(self) -> Path:
        """The content-addressed store."""
        return self.root / "bytes"

    @property
    def logs(self) -> Path:
        """Logs of the service and of living executions."""
        return self.root / "logs"

    @property
    def backups(self) -> Path:
        """Where backups go that name no other place."""
        return self.root / "backups"


def locate(flag: str | None, environ: Mapping[str, str]) -> Home:
    """Return the data directory: `--home`, else DULY_HOME, else the platform's place for a user's data.

    Raises UnavailableError for a user who has no such place.
    """
    try:
        named = flag or environ.get("DULY_HOME") or _of_the_user()
        return Home(root=Path(os.path.abspath(Path(named).expanduser())))
    except RuntimeError as error:
        message = "this user has no home directory, so there is no place for Duly's data"
        raise UnavailableError(
            message, fix="Set DULY_HOME to a directory, or give --home."
        ) from error


def _of_the_user() -> str:
    return platformdirs.user_data_dir("duly", appauthor=False)


def examine(home: Home) -> None:
    """Raise UnavailableError when something that is no usable directory stands there; nothing at all may."""
    try:
        is_directory = stat.S_ISDIR(home.root.stat().st_mode)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unusable(home, error) from error
    if not is_directory:
        raise UnavailableError(f"{home.root} is no directory", fix=_ELSEWHERE)
    if not os.access(home.root, os.R_OK | os.X_OK):
        raise UnavailableError(f"{home.root} cannot be entered", fix=_ELSEWHERE)


def prepare(home: Home) -> None:
    """Create the directory and its token, for this user alone. Raises UnavailableError when that cannot be."""
    try:
        home.root.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        _own(home.root)
        for place in (home.bytes, home.logs, home.backups):
            place.mkdir(mode=_PRIVATE, exist_ok=True)
        _make_token(home.token)
    except OSError as error:
        raise _unusable(home, error) from error


def _unusable(home: Home, error: OSError) -> UnavailableError:
    return UnavailableError(
        f"the data directory {home.root} cannot be used ({error.strerror})", fix=_ELSEWHERE
    )


def read_token(home: Home) -> str:
    """Return the bearer token. Raises UnavailableError when there is none, or it cannot be read."""
    try:
        token = home.token.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(
            f"the token {home.token} cannot be read",
            fix="Run this as the user who started the server.",
        ) from error
    if len(token) < _TOKEN_BYTES:
        # An empty one would let everybody in.
        raise UnavailableError(
            f"the token {home.token} is too short to be one",
            fix="Remove it; the next start makes another.",
        )
    return token


def _own(root: Path) -> None:
    """Take others' access away where the directory was made by hand with too much of it.

    Only from what is a data directory, or may become one: closing `/` or `/tmp` would lock everybody else out.
    """
    status = root.stat()
    names = {name for name in os.listdir(root) if not name.startswith("token.")} - _EARLY
    if names and not names & _MARKS:
        raise UnavailableError(
            f"{root} holds other things, and is no data directory of Duly",
            fix="Point DULY_HOME to an empty directory, or to one that does not exist yet.",
        )
    if status.st_uid != os.geteuid():
        raise UnavailableError(
            f"the data directory {root} belongs to another user (uid {status.st_uid})",
            fix="Run this as that user, or point DULY_HOME elsewhere.",
        )
    if stat.S_IMODE(status.st_mode) & 0o077:
        root.chmod(_PRIVATE)


def _make_token(path: Path) -> None:
    """Put it in place whole: whoever finds the file finds a token in it."""
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, secrets.token_urlsafe(_TOKEN_BYTES).encode() + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def user() -> str:
    """Return who acts, as the audit names a person: the user of this process."""
    uid = os.geteuid()
    try:
        return f"user:{pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"user:{uid}"
