"""A copy of a living ledger: whole, of one instant, never over an existing file."""

import os
from contextlib import closing, suppress
from pathlib import Path

import apsw

from duly.ledger.sqlite import connection
from duly.model.errors import ConflictError, UnavailableError


def backup(path: Path, target: Path) -> None:
    """Copy the ledger at `path` to the new file `target` (0600), checked and synced; writers are not held up.

    Raises ConflictError when `target` exists, ForeignDatabaseError when `path` is no sound ledger.
    """
    connection.examine(path)
    if os.path.lexists(target):
        raise _exists(target)
    draft = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _copy(path, draft)
        connection.put_in_place(draft, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise UnavailableError(
            f"{target} cannot be written ({error.strerror})", fix="Choose another target."
        ) from error
    except apsw.Error as error:
        raise connection.as_error(error, path) from error
    finally:
        # Where nothing could be written, nothing may be removable either; the first error is the one to tell.
        with suppress(OSError):
            draft.unlink()


def _copy(path: Path, draft: Path) -> None:
    with (
        closing(connection.open_reader(path)) as source,
        closing(apsw.Connection(str(draft), flags=apsw.SQLITE_OPEN_READWRITE)) as copy,
    ):
        with copy.backup("main", source, "main") as copying:
            copying.step(-1)
        # One file without a log beside it: whatever copies it later copies all of it.
        copy.pragma("journal_mode", "delete")
        found = copy.pragma("integrity_check")
        if found != "ok":
            raise apsw.CorruptError(str(found))


def _exists(target: Path) -> ConflictError:
    return ConflictError(f"{target} exists already", fix="Choose another target.")
