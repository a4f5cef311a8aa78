"""A server tells of each run in one line, never at the engine's expense."""

import re
import threading

from duly.adapters.zones import Zones
from duly.app.narrator import Narrator, News, line_of
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.service.views import RunView

AT = Instant(1_772_375_842_000_000)  # 2026-03-01T14:37:22Z
RUN = "r_76b9371ed5284025aaaaaaaaaaaaaaaa"


class _Ledger:
    """Answers what is asked of it with lines it was given."""

    def __init__(self, answer):
        self.answer = answer

    def read(self, _, asked):
        return self.answer(asked)


class _Claim:
    run_id = RunId(RUN)


class _Claimed:
    claim = _Claim


def _view(**changed):
    plain = dict.fromkeys(RunView.model_fields, "")
    facts = {"id": RUN, "job_key": "report", "window_key": "2026-03-01", "attempts": 1}
    return RunView(**{**plain, **facts, **changed})


def _runner(node, claimed):
    yield "work"


def test_a_line_says_when_in_the_hosts_zone_what_and_why():
    zone = Zones().load("Europe/Berlin")
    started = News(run_id=RunId(RUN), at=AT, is_start=True)
    ended = News(run_id=RunId(RUN), at=AT, is_start=False)
    run = _view(status="failed-before-write", words="Failed, nothing changed: exit 3")
    assert (
        line_of(started, run, zone)
        == "2026-03-01 15:37:22+01:00  started: report 2026-03-01 (r_76b9371ed5284025)"
    )
    assert line_of(ended, run, zone).endswith(
        "failed-before-write: report 2026-03-01 (r_76b9371ed5284025) — Failed, nothing changed: exit 3"
    )


def test_a_watched_runner_does_the_same_and_leaves_word_before_and_after():
    told = []
    ledger = _Ledger(lambda asked: ["start" if one.is_start else "end" for one in asked[0]])
    narrator = Narrator(ledger, lambda: AT, Zones().load("Etc/UTC"), told.append)
    narrator.start()
    assert list(narrator.watched(_runner)(None, _Claimed)) == ["work"]
    cut_off = narrator.watched(_runner)(None, _Claimed)
    next(cut_off)
    cut_off.close()
    narrator.stop()
    assert told == ["start", "end"] * 2


def test_a_terminal_that_does_not_read_holds_nobody_up():
    first, go_on, told = threading.Event(), threading.Event(), []

    def tell(line):
        first.set()
        go_on.wait(60)
        told.append(line)

    ledger = _Ledger(lambda asked: ["line"] * len(asked[0]))
    narrator = Narrator(ledger, lambda: AT, Zones().load("Etc/UTC"), tell)
    narrator.start()
    runner = narrator.watched(_runner)
    list(runner(None, _Claimed))
    assert first.wait(60)
    for _ in range(6_000):
        list(runner(None, _Claimed))
    go_on.set()
    narrator.stop()
    assert any(re.fullmatch("… and [0-9]+ lines that nobody read in time", line) for line in told)


def test_a_closed_terminal_ends_the_telling_alone():
    def tell(line):
        raise BrokenPipeError

    ledger = _Ledger(lambda asked: ["line"] * len(asked[0]))
    narrator = Narrator(ledger, lambda: AT, Zones().load("Etc/UTC"), tell)
    narrator.start()
    assert list(narrator.watched(_runner)(None, _Claimed)) == ["work"]
    narrator.stop()
    assert list(narrator.watched(_runner)(None, _Claimed)) == ["work"]
