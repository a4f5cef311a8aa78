"""Logs: what a program of a run wrote, while it runs and afterwards."""

from typing import Any

from pydantic import Field

from duly.ledger.api.runs import RunFilter
from duly.ledger.api.tx import Tx
from duly.model.errors import Fault, NotFoundError, ValidationError
from duly.model.run import Execution, Run
from duly.service.desk import Desk
from duly.service.queries import reading
from duly.service.registry import Answer, Operation, Request, query
from duly.service.views import status_of

CHUNK_BYTES = 65_536


class ReadLog(Request):
    """The log of a run, or of an automation's newest run; `part`: precheck, agent or verify."""

    job_key: str | None = None
    run_id: str | None = None
    part: str | None = None
    offset: int = Field(default=0, ge=0)


class LogChunk(Answer):
    """A part of a log. `is_final`: the program has ended and nothing follows `next_offset`."""

    run_id: str
    status: str
    part: str | None
    text: str
    next_offset: int
    is_final: bool


def read_log(desk: Desk, asked: ReadLog) -> LogChunk:
    """Return the next part of a log; a run that has started nothing yet has an empty one."""
    run, execution = desk.ledger.read(_find, asked)
    is_over = run.claim_id is None and run.settled_at is not None
    if execution is None:
        return _chunk(run, None, (b"", asked.offset), is_final=is_over)
    if execution.log_sha256 is None:
        data = desk.premises.live_log(execution.token, asked.offset, CHUNK_BYTES) or b""
        is_final = is_over and not data
    else:
        whole = desk.bytes.read_bytes(execution.log_sha256)
        data = whole[asked.offset : asked.offset + CHUNK_BYTES]
        is_final = asked.offset + len(data) >= len(whole)
    return _chunk(run, execution.part, (data, asked.offset), is_final=is_final)


def _chunk(run: Run, part: str | None, found: tuple[bytes, int], *, is_final: bool) -> LogChunk:
    data, offset = found
    return LogChunk(
        run_id=run.run_id,
        status=status_of(run),
        part=part,
        text=data.decode("utf-8", "replace"),
        next_offset=offset + len(data),
        is_final=is_final,
    )


def _find(tx: Tx, asked: ReadLog) -> tuple[Run, Execution | None]:
    run = _run(tx, asked)
    executions = tx.executions(run.run_id)
    named = [one for one in executions if asked.part is None or one.part == asked.part]
    if asked.part is not None and executions and not named:
        known = ", ".join(sorted({one.part for one in executions}))
        raise NotFoundError(f"the run has no {asked.part}", fix=f"it has: {known}")
    agents = [one for one in named if one.part == "agent"]
    chosen = agents or named
    return run, chosen[-1] if chosen else None


def _run(tx: Tx, asked: ReadLog) -> Run:
    if (asked.run_id is None) == (asked.job_key is None):
        fault = Fault(pointer="", message="name a run or an automation", fix="give one of the two")
        raise ValidationError([fault])
    if asked.run_id is not None:
        return reading.known_run(tx, asked.run_id).run
    automation = reading.automation_named(tx, asked.job_key or "")
    found = tx.runs(RunFilter(automation_id=automation.automation_id, limit=1))
    if not found:
        raise NotFoundError(
            f"{asked.job_key} has not run yet", fix=f"run it with `duly run {asked.job_key}`"
        )
    return found[0]


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    query("logs.read", "read what a program wrote", ReadLog, LogChunk, read_log),
)
