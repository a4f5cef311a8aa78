"""The teller: tells people what they have to know, and tries again for a while when that fails."""

from typing import Final

from duly.adapters.work.requests import Tell
from duly.adapters.work.requests import Told as Answer
from duly.engine.node import Node, TellBy
from duly.engine.requests import (
    WORKED,
    Ended,
    Outside,
    Read,
    Steps,
    Wait,
    Wake,
    Woke,
    Write,
    now,
    start,
    surely,
    wait,
)
from duly.ledger.api.core import MUST_LAND
from duly.ledger.api.tx import Tx
from duly.model.instant import Instant
from duly.model.records import Notice
from duly.transactions.notices import Told, due_notices, told
from duly.transactions.plans import work_of

NOTICE: Final = "notice"
KEYS: Final = (NOTICE, "clock")


def teller(node: Node) -> Steps[None]:
    """Tell for ever, one person after the other."""
    while True:
        due = yield from surely(Read(due_notices, node.settings.notice_batch_max))
        for notice in due.notices:
            yield from _tell(node, notice)
        if not due.notices:
            woke = yield from now()
            yield Wait(
                keys=KEYS,
                until=due.next_notice_at,
                until_awake_us=woke.awake_us + node.settings.scan_wake_us_max,
            )


def _tell(node: Node, notice: Notice) -> Steps[None]:
    argv = yield from surely(Read(command_of, notice))
    tell_by = TellBy(argv=argv) if argv else node.tell_by
    if not tell_by.argv and tell_by.url is None:
        answer = Answer(is_sent=False, detail="nobody is named: set notify.command or DULY_NOTIFY")
        return (yield from _record(notice, answer, None))
    request = Tell(notice_id=notice.notice_id, argv=tell_by.argv, url=tell_by.url, body=notice.body)
    answer, woke = yield from _answer_of(request)
    return (yield from _record(notice, answer, next_try(node, notice, woke)))


def command_of(tx: Tx, notice: Notice) -> tuple[str, ...]:
    """Return the command by which the automation's current revision wants people told; empty where it names none."""
    automation = tx.automation(notice.automation_id)
    if automation is None:
        return ()
    revision = tx.revision(automation.automation_id, automation.revision)
    return () if revision is None else work_of(revision.work).notify


def _answer_of(request: Tell) -> Steps[tuple[Answer, Woke]]:
    handle = yield from start(Outside(request))
    while True:
        woke = yield from wait(Wait((handle,)))
        match woke.message:
            case Ended(value=Answer() as answer):
                return answer, woke
            case Ended(error=error):
                return Answer(is_sent=False, detail=repr(error)), woke
            case _:
                continue


def next_try(node: Node, notice: Notice, woke: Woke) -> Instant | None:
    """Return when a failed notice is tried again, twice as late each time; None once there were enough tries."""
    if notice.tries + 1 >= node.settings.notice_tries_max:
        return None
    return Instant(woke.at + node.settings.notice_retry_us * 2**notice.tries)


def _record(notice: Notice, answer: Answer, again: Instant | None) -> Steps[None]:
    command = Told(
        notice_id=notice.notice_id,
        is_sent=answer.is_sent,
        detail=answer.detail,
        next_try=None if answer.is_sent else again,
    )
    yield from surely(Write(told, command, MUST_LAND))
    yield Wake(WORKED)
