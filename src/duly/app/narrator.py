"""What a server tells whoever watches it: one line on stderr when a run starts, and one when it ends or waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from duly.model.errors import DulyError
from duly.service import names, text
from duly.service.queries import endings, reading

if TYPE_CHECKING:
    from duly.engine.node import Node, Runner
    from duly.engine.requests import Steps
    from duly.ledger.api.core import Ledger
    from duly.ledger.api.tx import Tx
    from duly.model.ids import RunId
    from duly.model.instant import Instant
    from duly.model.run import ClaimedRun
    from duly.model.zone import Zone
    from duly.service.views import RunView

# A terminal that does not read must not make memory grow: what does not fit is only counted.
_NEWS_MAX: Final = 10_000
_BATCH: Final = 100
_STOP_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Something that became of a run: it was started, or its worker left it."""

    run_id: RunId
    at: Instant
    is_start: bool


class Narrator:
    """Tells of runs on a thread of its own. The engine only leaves a name in a queue; a reader finds the rest.

    `zone` is the host's, in which times are told; `tell` prints a line, and may be slow.
    """

    def __init__(
        self, ledger: Ledger, clock: Callable[[], Instant], zone: Zone, tell: Callable[[str], None]
    ) -> None:
        """Tell nothing yet."""
        self._ledger, self._clock, self._zone, self._tell = ledger, clock, zone, tell
        self._news: queue.Queue[News | None] = queue.Queue(_NEWS_MAX)
        self._left_out = 0
        self._is_over = False
        self._thread = threading.Thread(target=self._tell_all, name="narrator", daemon=True)

    def start(self) -> None:
        """Begin to tell."""
        self._thread.start()

    def stop(self) -> None:
        """Tell what is left, for a moment at most."""
        try:
            self._news.put(None, timeout=_STOP_S)
        except queue.Full:
            return
        self._thread.join(_STOP_S)

    def watched(self, runner: Runner) -> Runner:
        """Return a runner that does the same, and leaves word before and after."""

        def watching(node: Node, claimed: ClaimedRun) -> Steps[None]:
            self._note(claimed.claim.run_id, is_start=True)
            try:
                yield from runner(node, claimed)
            finally:
                self._note(claimed.claim.run_id, is_start=False)

        return watching

    def _note(self, run_id: RunId, *, is_start: bool) -> None:
        try:
            self._news.put_nowait(News(run_id=run_id, at=self._clock(), is_start=is_start))
        except queue.Full:
            self._left_out += 1

    def _tell_all(self) -> None:
        while batch := self._next_batch():
            try:
                for line in self._ledger.read(_lines, (batch, self._zone)):
                    self._tell(line)
                if left_out := self._left_out:
                    self._left_out = 0
                    self._tell(f"… and {left_out} lines that nobody read in time")
            except (DulyError, OSError):
                # Nobody reads any more, or the ledger is closed: the work goes on.
                return

    def _next_batch(self) -> tuple[News, ...]:
        """Return what there is to tell, empty at the end."""
        batch: list[News] = []
        while not self._is_over and len(batch) < _BATCH and not (batch and self._news.empty()):
            found = self._news.get()
            if found is None:
                self._is_over = True
            else:
                batch.append(found)
        return tuple(batch)


def _lines(tx: Tx, asked: tuple[tuple[News, ...], Zone]) -> list[str]:
    batch, zone = asked
    return [
        line_of(news, endings.view(tx, reading.known_run(tx, news.run_id).run), zone)
        for news in batch
    ]


def line_of(news: News, run: RunView, zone: Zone) -> str:
    """Return the line for one piece of news: when, what became of it, which automation and window, and why."""
    when = (text.local(news.at, zone) or "").replace("T", " ")
    whose = f"{run.job_key} {names.window(run.window_key)} ({names.short(run.id)})"
    if news.is_start:
        return f"{when}  started: {whose}"
    return f"{when}  {run.status}: {whose} — {run.words}"
