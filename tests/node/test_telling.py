"""A node tells people: several at a time, by programs that never outlive it, and by posts that hold nobody up."""

import json
import os
import select
import signal
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from duly.engine.node import TellBy
from duly.engine.settings import Settings
from duly.model.instant import MINUTE_US, SECOND_US
from duly.model.states import NoticeState
from duly.testkit.workbench import Options, Workbench
from tests.node.conftest import PATIENCE_MS
from tests.node.jobs import definition, lives

HANGS = 'echo $$ > "$0/pid"; sleep 600 & echo $! > "$0/left"; echo begun > "$0/begun"; wait'
LONG = Settings(notice_us_max=10 * MINUTE_US, notice_retry_us=SECOND_US)


def failing(job_key, tell=None, script="exit 3"):
    notify = None if tell is None else {"command": ["sh", "-c", *map(str, tell)]}
    return definition(script, job_key=job_key, expect={"exit": [0]}, **SCOPELESS, notify=notify)


SCOPELESS = {"write_scope": None, "result_artifact": None}


def notices(bench):
    return {one.automation_id: one for one in bench.ledger.read(lambda tx, _: tx.notices(50), None)}


def notice_of(bench, job_key):
    found = bench.ledger.read(lambda tx, _: tx.automation_named("default", job_key), None)
    return notices(bench).get(found.automation_id)


def until_tries(bench, job_key, tries):
    def has(tx, _):
        found = tx.automation_named("default", job_key).automation_id
        return any(one.automation_id == found and one.tries >= tries for one in tx.notices(50))

    assert bench.engine.wait_until(has, None, ("worked", "notice"), 60 * SECOND_US)
    return notice_of(bench, job_key)


@pytest.fixture
def hanging(tmp_path, bell):
    """A command that hangs, with a child in the background; and where it says that it has begun."""
    begun = bell("begun")
    return (HANGS, tmp_path), begun


def tree_of(tmp_path: Path):
    return [int((tmp_path / name).read_text()) for name in ("pid", "left")]


def ends(pids):
    """Wait until each of these has ended."""
    for pid in pids:
        try:
            alive = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        poller = select.poll()
        poller.register(alive, select.POLLIN)
        has_ended = poller.poll(PATIENCE_MS)
        os.close(alive)
        assert has_ended, f"{pid} lives on"


def test_a_notice_that_hangs_delays_no_other_and_ends_with_the_node(
    home, root, tmp_path, bell, hanging
):
    tell, begun = hanging
    rang = bell("rang")
    with Workbench(home, Options(settings=LONG)) as bench:
        bench.apply(failing("slow", tell), root)
        bench.apply(failing("quick", ('echo "$DULY_NOTICE" > "$0"', rang)), root)
        bench.start("slow")
        begun.wait()
        bench.start("quick")
        assert rang.wait().startswith("quick: needs review")
        assert until_tries(bench, "quick", 1).state is NoticeState.SENT
        # The time of a notice is long, so whoever waits for it would wait in vain.
        assert bench.engine.drain(60 * SECOND_US)
        bench.engine.stop()
        assert not any(map(lives, tree_of(tmp_path)))
        left = notice_of(bench, "slow")
    assert (left.state, left.tries) == (NoticeState.PENDING, 0)
    with Workbench(home, Options(settings=LONG)):
        begun.wait()


def test_a_notice_that_takes_too_long_is_stopped_with_all_it_started_and_tried_again(
    home, root, tmp_path, hanging
):
    tell, begun = hanging
    short = Settings(notice_us_max=SECOND_US, notice_retry_us=SECOND_US)
    with Workbench(home, Options(settings=short)) as bench:
        bench.apply(failing("slow", tell), root)
        bench.start("slow")
        begun.wait()
        first = until_tries(bench, "slow", 1)
        assert (first.state, first.detail) == (NoticeState.PENDING, "sh did not end within 1 s")
        begun.wait()
        assert until_tries(bench, "slow", 2).tries == 2
    assert not any(map(lives, tree_of(tmp_path)))


def test_what_a_command_leaves_in_the_background_may_end_its_work_and_no_more(
    home, root, bell, tmp_path
):
    go, done = bell("go"), bell("done")
    script = '(read line < "$0"; echo sent > "$1"; sleep 600) & echo $! > "$2"'
    with Workbench(home, Options(settings=LONG)) as bench:
        bench.apply(failing("mails", (script, go, done, tmp_path / "left")), root)
        bench.start("mails")
        assert until_tries(bench, "mails", 1).state is NoticeState.SENT
        go.ring()
        assert done.wait() == "sent"
        assert bench.engine.drain(60 * SECOND_US)
    assert not lives(int((tmp_path / "left").read_text()))


def test_what_a_command_leaves_in_the_background_is_stopped_when_its_time_is_over(
    home, root, tmp_path
):
    short = Settings(notice_us_max=2 * SECOND_US)
    with Workbench(home, Options(settings=short)) as bench:
        script = 'setsid sleep 600 & echo $! > "$0"'
        bench.apply(failing("mails", (script, tmp_path / "left")), root)
        bench.start("mails")
        assert until_tries(bench, "mails", 1).state is NoticeState.SENT
        ends([int((tmp_path / "left").read_text())])


def test_a_notice_of_a_node_that_is_killed_ends_with_it_and_is_told_by_the_next(
    home, root, tmp_path, hanging, nodes
):
    tell, begun = hanging
    with Workbench(home, Options(is_working=False)) as bench:
        bench.apply(failing("slow", tell), root)
        bench.start("slow")
    node = nodes.start(home)
    begun.wait()
    tree = tree_of(tmp_path)
    os.kill(node, signal.SIGKILL)
    assert nodes.ended() == -signal.SIGKILL
    ends(tree)
    with Workbench(home, Options(settings=LONG)) as bench:
        begun.wait()
        assert notice_of(bench, "slow").tries == 0


def test_a_failure_while_the_node_drains_is_told_of(home, root, bell):
    gate, begun = bell("gate"), bell("begun")
    script = f"echo begun > {begun}; read line < {gate}; exit 3"
    with Workbench(home) as bench:
        bench.apply(failing("late", ("true",), script), root)
        bench.start("late")
        begun.wait()
        bench.engine.drain(0)
        gate.ring()
        assert bench.engine.drain(60 * SECOND_US)
        assert notice_of(bench, "late").state is NoticeState.SENT


@dataclass
class Listener:
    """A server that answers each post with the next of its answers, the last of them for ever."""

    answers: list = field(default_factory=lambda: [200])
    seen: list = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)

    def __enter__(self):
        listener = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self):
                listener._answer(self)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        self.seen.append((request.headers["Idempotency-Key"], json.loads(body)))
        status = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        self.asked.set()
        if status == "silent":
            self.gate.wait(60)
            return
        request.send_response(200 if status == "endless" else status)
        if status == 307:
            request.send_header("Location", self.url)
        request.end_headers()
        if status == "endless":
            request.wfile.write(b"x")
            request.wfile.flush()
            self.gate.wait(60)


def posting(url, **settings):
    return Options(
        settings=Settings(**{"notice_retry_us": SECOND_US, **settings}), tell_by=TellBy(url=url)
    )


@pytest.mark.parametrize("refusal", [500, 404, 307])
def test_a_url_that_refuses_is_tried_again_later_under_the_same_id(home, root, refusal):
    with Listener([refusal, 200]) as listener, Workbench(home, posting(listener.url)) as bench:
        bench.apply(failing("report"), root)
        bench.start("report")
        first = until_tries(bench, "report", 1)
        assert (first.state, first.detail) == (NoticeState.PENDING, f"HTTP {refusal}")
        second = until_tries(bench, "report", 2)
        assert (second.state, second.detail) == (NoticeState.SENT, "HTTP 200")
    assert len(listener.seen) == 2
    assert {key for key, _ in listener.seen} == {second.notice_id}
    assert listener.seen[0][1]["job_key"] == "report"


def test_nobody_listening_is_recorded_and_given_up_after_enough_tries(home, root):
    with Listener() as listener:
        url = listener.url
    with Workbench(home, posting(url, notice_tries_max=2)) as bench:
        bench.apply(failing("report"), root)
        bench.start("report")
        gone = until_tries(bench, "report", 2)
    assert gone.state is NoticeState.FAILED
    assert gone.detail.startswith("ConnectError")


def test_a_url_that_never_answers_holds_up_no_run_and_no_end(home, root):
    with (
        Listener(["silent"]) as listener,
        Workbench(home, posting(listener.url, notice_us_max=10 * MINUTE_US)) as bench,
    ):
        for number in range(5):
            bench.apply(failing(f"report-{number}"), root)
            bench.start(f"report-{number}")
        assert listener.asked.wait(60)
        bench.apply(definition("true", job_key="well", expect={"exit": [0]}, **SCOPELESS), root)
        assert bench.wait_for(bench.start("well"), "completed").run.outcome == "completed"
        assert bench.engine.drain(60 * SECOND_US)
        bench.engine.stop()
        assert {one.tries for one in notices(bench).values()} == {0}


def test_a_url_that_never_answers_is_stopped_in_time_and_tried_again(home, root):
    with Listener(["silent", 200]) as listener:
        settings = posting(listener.url, notice_us_max=3 * SECOND_US)
        with Workbench(home, settings) as bench:
            bench.apply(failing("report"), root)
            bench.start("report")
            assert until_tries(bench, "report", 1).detail == "the post did not end within 3 s"
            assert until_tries(bench, "report", 2).state is NoticeState.SENT


def test_an_answer_without_end_is_not_waited_for(home, root):
    with Listener(["endless"]) as listener, Workbench(home, posting(listener.url)) as bench:
        bench.apply(failing("report"), root)
        bench.start("report")
        assert until_tries(bench, "report", 1).state is NoticeState.SENT
