"""The teller: tells people what they have to know, several at a time, and tries again for a while when that fails.

Whatever tells is a program in a tree of its own: it ends with the node, or when its time is over. A notice counts as
told once that is recorded; one that was interrupted stays due, and is told at the next start.
"""

from dataclasses import dataclass
from typing import Any, Final, assert_never

from duly.adapters.launch import events
from duly.adapters.work.requests import PutNoticeAway, Tell, Telling
from duly.engine.node import Node, TellBy
from duly.engine.requests import (
    DRAIN,
    WORKED,
    Ended,
    Handle,
    Loop,
    Outside,
    Program,
    Read,
    Steps,
    Stop,
    Wait,
    Wake,
    Woke,
    Write,
    now,
    outside,
    start,
    surely,
    wait,
)
from duly.ledger.api.core import MUST_LAND
from duly.ledger.api.tx import Tx
from duly.model.errors import DulyError
from duly.model.instant import SECOND_US, Instant
from duly.model.records import Notice
from duly.transactions.notices import DueNotices, Told, due_notices, told
from duly.transactions.plans import work_of

NOTICE: Final = "notice"
KEYS: Final = (NOTICE, "clock", WORKED, DRAIN)
LINGERING_PARTS: Final = 4
"""Programs may go on in the background after theirs was recorded; of all, this often the limit live at a time."""
DRAIN_US: Final = 3 * SECOND_US
"""How long a node that drains goes on telling, once its work has ended."""

_DETAIL_MAX: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one try."""

    is_sent: bool
    detail: str


_NOBODY: Final = Answer(is_sent=False, detail="nobody is named: set notify.command or DULY_NOTIFY")


@dataclass(slots=True, kw_only=True)
class _Try:
    """A notice that is being told; when that is recorded, another of its automation may be."""

    notice: Notice
    is_recorded: bool = False


def teller(node: Node) -> Steps[None]:
    """Tell until the node has drained."""
    return _Teller(node).work()


class _Teller:
    """What one teller has under way."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._tries: dict[Handle, _Try] = {}
        self._end_us: int | None = None

    def work(self) -> Steps[None]:
        yield from outside(PutNoticeAway(notice_id=None))
        while True:
            due: DueNotices = yield from surely(Read(due_notices, self._node.settings.notice_limit))
            woke = yield from now()
            if self._is_over(due, woke):
                return
            yield from self._start(due)
            woke = yield from wait(self._rest(due, woke))
            if woke.handle is not None:
                self._end(woke.handle, woke.message)

    @property
    def _busy(self) -> frozenset[str]:
        tries = self._tries.values()
        return frozenset(one.notice.automation_id for one in tries if not one.is_recorded)

    def _start(self, due: DueNotices) -> Steps[None]:
        """Start what fits, one of each automation: whoever cannot be told delays nobody but themselves."""
        limit, busy = self._node.settings.notice_limit, self._busy
        waiting = [one for one in due.notices if one.automation_id not in busy]
        free = min(limit - len(busy), LINGERING_PARTS * limit - len(self._tries))
        for notice in waiting[: max(0, free)]:
            one = _Try(notice=notice)
            handle = yield from start(Loop(_tell(self._node, one), (), f"telling {notice.kind}"))
            self._tries[handle] = one

    def _end(self, handle: Handle, ended: Ended) -> None:
        del self._tries[handle]
        if ended.error is not None:
            raise ended.error

    def _is_over(self, due: DueNotices, woke: Woke) -> bool:
        """Say whether a node that drains has ended its work, and told of it as far as that is quickly done."""
        if not self._node.is_draining or self._node.held:
            return False
        if self._end_us is None:
            self._end_us = woke.awake_us + DRAIN_US
        return woke.awake_us >= self._end_us or not (due.notices or self._busy)

    def _rest(self, due: DueNotices, woke: Woke) -> Wait:
        """Wait for a try's end or its record, for news, or for the next notice that becomes due."""
        until_awake_us = woke.awake_us + self._node.settings.scan_wake_us_max
        if self._end_us is not None:
            until_awake_us = min(until_awake_us, self._end_us)
        return Wait(tuple(self._tries), KEYS, due.next_notice_at, until_awake_us)


def command_of(tx: Tx, notice: Notice) -> tuple[str, ...]:
    """Return the command by which the automation's current revision wants people told; empty where it names none."""
    automation = tx.automation(notice.automation_id)
    if automation is None:
        return ()
    revision = tx.revision(automation.automation_id, automation.revision)
    return () if revision is None else work_of(revision.work).notify


def _tell(node: Node, one: _Try) -> Steps[None]:
    """Tell a person once and record what came of it; what goes on in the background ends in time."""
    notice = one.notice
    argv = yield from surely(Read(command_of, notice))
    tell_by = TellBy(argv=argv) if argv else node.tell_by
    if tell_by == TellBy():
        yield from _record(node, one, _NOBODY, is_last=True)
        return
    request = Tell(notice_id=notice.notice_id, argv=tell_by.argv, url=tell_by.url, body=notice.body)
    ready = yield from _ready(request)
    if isinstance(ready, Answer):
        yield from _record(node, one, ready)
        return
    began = yield from now()
    until_us = began.awake_us + node.settings.notice_us_max
    handle = yield from start(Program(launch=ready.launch, write_output=ready.write_output))
    end = yield from _end_of(handle, until_us)
    if end is None:
        yield Stop(handle)
    yield from _record(node, one, _answer(ready, end, node.settings.notice_us_max))
    while not isinstance(end, Ended | None):
        end = yield from _next(handle, until_us)
    yield from outside(PutNoticeAway(notice_id=notice.notice_id))


def _ready(request: Tell) -> Steps[Telling | Answer]:
    handle = yield from start(Outside(request))
    woke = yield from wait(Wait((handle,)))
    while not isinstance(woke.message, Ended):
        woke = yield from wait(Wait((handle,)))
    match woke.message:
        case Ended(value=Telling() as ready):
            return ready
        case Ended(error=DulyError() as error):
            return Answer(is_sent=False, detail=error.message)
        case Ended(error=error):
            return Answer(is_sent=False, detail=repr(error))


_End = events.Exited | events.Signalled | events.NotStarted | Ended


def _end_of(handle: Handle, until_us: int) -> Steps[_End | None]:
    """Return how the program ended; None: it has not in time."""
    while True:
        told_of = yield from _next(handle, until_us)
        match told_of:
            case events.Exited() | events.Signalled() | events.NotStarted() | Ended() | None:
                return told_of
            case _:
                continue


def _next(handle: Handle, until_us: int) -> Steps[Any]:
    """Return the next message of the program; None: there was none in time."""
    woke = yield from now()
    while woke.message is None and woke.awake_us < until_us:
        woke = yield from wait(Wait((handle,), until_awake_us=until_us))
    return woke.message


def _answer(ready: Telling, end: _End | None, us_max: int) -> Answer:
    match end:
        case events.NotStarted(text=text):
            return Answer(is_sent=False, detail=text)
        case events.Exited(code) if not ready.name and ready.said():
            return Answer(is_sent=code == 0, detail=ready.said())
        case _:
            name, words = ready.name or "the post", ready.said()
            is_sent = end == events.Exited(0)
            detail = f"{name} {_words_of(end, us_max)}"
            detail += f": {words}" if words and not is_sent else ""
            return Answer(is_sent=is_sent, detail=detail[:_DETAIL_MAX])


def _words_of(end: _End | None, us_max: int) -> str:
    match end:
        case None:
            return f"did not end within {us_max / SECOND_US:g} s"
        case events.Exited(code):
            return f"exited {code}"
        case events.Signalled(number):
            return f"was ended by signal {number}"
        case events.NotStarted() | Ended():
            return "was lost"
        case _:
            assert_never(end)


def next_try(node: Node, notice: Notice, woke: Woke) -> Instant | None:
    """Return when a failed notice is tried again, twice as late each time; None once there were enough tries."""
    if notice.tries + 1 >= node.settings.notice_tries_max:
        return None
    return Instant(woke.at + node.settings.notice_retry_us * 2**notice.tries)


def _record(node: Node, one: _Try, answer: Answer, *, is_last: bool = False) -> Steps[None]:
    woke = yield from now()
    command = Told(
        notice_id=one.notice.notice_id,
        tries=one.notice.tries,
        is_sent=answer.is_sent,
        detail=answer.detail,
        next_try=None if answer.is_sent or is_last else next_try(node, one.notice, woke),
    )
    yield from surely(Write(told, command, MUST_LAND))
    one.is_recorded = True
    yield Wake(WORKED)
