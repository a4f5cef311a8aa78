"""Logs of programs: kept by their hash when a program ends, or when it is found dead; what is left is removed."""

import re
from typing import Final

from duly.adapters.work.layout import Workshop
from duly.adapters.work.requests import KeepLeftLog, KeepLog, KeptLog, ListLogs, RemoveLogs

# RUN.RANDOM; others write their logs beside these.
_NAME: Final = re.compile(r"(r_[0-9a-f]+\.[0-9a-f]+)\.(?:log|log\.shorter|record)")


def keep_log(workshop: Workshop, request: KeepLog) -> KeptLog:
    """Move a finished log into the bytes store."""
    stored = request.log.finish(workshop.bytes)
    return KeptLog(sha256=stored.sha256, bytes=stored.size_bytes)


def keep_left_log(workshop: Workshop, request: KeepLeftLog) -> KeptLog | None:
    """Copy a log that nobody finished; the file stays until it is recorded where its content went."""
    try:
        size = workshop.live_log(request.token).stat().st_size
        return KeptLog(sha256=workshop.bytes.put_file(workshop.live_log(request.token)), bytes=size)
    except FileNotFoundError:
        return None


def list_logs(workshop: Workshop, request: ListLogs) -> tuple[str, ...]:  # noqa: ARG001
    """Name the executions that have a file here."""
    if not workshop.logs.is_dir():
        return ()
    found = (_NAME.fullmatch(entry.name) for entry in workshop.logs.iterdir())
    return tuple(sorted({name[1] for name in found if name}))


def remove_logs(workshop: Workshop, request: RemoveLogs) -> None:
    """Remove all files of these executions."""
    for token in request.tokens:
        log = workshop.live_log(token)
        for file in (log, log.with_name(log.name + ".shorter"), workshop.record(token)):
            file.unlink(missing_ok=True)
