"""Telling people: which notices are due, and what came of telling them."""

from dataclasses import dataclass, replace

from duly.ledger.api.tx import Tx
from duly.model.instant import Instant
from duly.model.records import Notice
from duly.model.states import NoticeState


@dataclass(frozen=True, slots=True, kw_only=True)
class DueNotices:
    """Notices to tell now, one of each automation, and when the next one comes that is not due yet."""

    notices: tuple[Notice, ...]
    next_notice_at: Instant | None


def due_notices(tx: Tx, limit: int) -> DueNotices:
    """Read what has to be told now. Whoever was tried least comes first: what keeps failing delays nobody else."""
    return DueNotices(notices=tuple(tx.due_notices(limit)), next_notice_at=tx.next_notice_after())


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of one try; `next_try` None after a failure: it is given up. `tries` were there before."""

    notice_id: str
    tries: int
    is_sent: bool
    detail: str | None
    next_try: Instant | None


def told(tx: Tx, command: Told) -> None:
    """Record a try at a notice; one that is recorded already is left alone."""
    notice = tx.notice(command.notice_id)
    if notice is None or notice.next_try is None or notice.tries != command.tries:
        return
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
