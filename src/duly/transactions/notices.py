"""Telling people: which notices are due, and what came of telling them."""

from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.instant import Instant
from duly.model.records import Notice
from duly.model.states import NoticeState

_DUE_MAX: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class DueNotices:
    """Notices to tell now, and when the next one is."""

    notices: tuple[Notice, ...]
    next_notice_at: Instant | None


def due_notices(tx: Tx, limit: int) -> DueNotices:
    """Read what has to be told now."""
    return DueNotices(notices=tuple(tx.due_notices(limit)), next_notice_at=tx.next_notice_at())


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of one try; `next_try` None after a failure: it is given up."""

    notice_id: str
    is_sent: bool
    detail: str | None
    next_try: Instant | None


def told(tx: Tx, command: Told) -> None:
    """Record a try at a notice that is due; another try's record is left alone."""
    for notice in tx.due_notices(_DUE_MAX):
        if notice.notice_id == command.notice_id:
            _record(tx, notice, command)
            return


def _record(tx: Tx, notice: Notice, command: Told) -> None:
    next_try = None if command.is_sent else command.next_try
    is_over = next_try is None
    state = NoticeState.SENT if command.is_sent else NoticeState.FAILED
    tx.record_notice(
        replace(
            notice,
            state=state if is_over else NoticeState.PENDING,
            tries=notice.tries + 1,
            next_try=next_try,
            detail=command.detail,
            ended_at=tx.at if is_over else None,
        )
    )
    if is_over and notice.run_id is not None:
        body = {"notice": notice.kind, "state": state.value, "detail": command.detail}
        tx.audit(f"run:{notice.run_id}", "notice.told", body, "teller")
