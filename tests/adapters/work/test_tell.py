"""People are told by a command or a URL: on this machine, by real commands and a real server."""

import json
import threading
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from duly.adapters.launch.events import Empty, Exited, NotStarted, Output
from duly.adapters.work import tell
from duly.adapters.work.errors import CannotTellError
from duly.adapters.work.requests import PutNoticeAway, Tell
from tests.adapters.launch.nodes import End, Node
from tests.adapters.work.parts import workshop

BODY = {"job_key": "report", "kind": "needs_review", "reason": "no_proof", "run": "r_1"}
COMMAND = Tell(notice_id="n_1", argv=(), url=None, body=json.dumps(BODY))


@pytest.fixture
def shop(home):
    return workshop(home)


def by(*argv):
    return replace(COMMAND, argv=argv)


@dataclass(frozen=True, kw_only=True)
class Told:
    """How a program ended that told somebody, and what it said."""

    end: object
    said: str


def told_by(shop, request):
    """Let the program tell, to its end and that of all it started."""
    telling = tell.make_ready(shop, request)
    node = Node(telling.launch, shop.launchers)
    node.to_end()
    for output in node.of(Output):
        telling.write_output(output)
    (end,) = node.of(Exited) + node.of(NotStarted)
    return Told(end=end, said=telling.said())


def test_a_command_gets_the_notice_as_a_file_and_as_a_line(shop, tmp_path):
    script = 'cp "$1" "$0/file"; cp "$DULY_NOTICE_FILE" "$0/same"; echo "$DULY_NOTICE" > "$0/line"'
    told = told_by(shop, by("sh", "-c", script, str(tmp_path), "{notice}"))
    assert told == Told(end=Exited(0), said="")
    assert json.loads((tmp_path / "file").read_text()) == BODY
    assert (tmp_path / "same").read_text() == (tmp_path / "file").read_text()
    assert (tmp_path / "line").read_text() == "report: needs review (no_proof), run r_1\n"


def test_the_file_is_for_its_owner_only_and_put_away_afterwards(shop, tmp_path):
    script = 'stat -c %a "$1" > "$0/mode"; echo "$1" > "$0/name"'
    request = by("sh", "-c", script, str(tmp_path), "{notice}")
    for _ in range(2):  # an interrupted try leaves its file
        told_by(shop, request)
    assert (tmp_path / "mode").read_text() == "600\n"
    file = Path((tmp_path / "name").read_text().strip())
    assert file.exists()
    tell.put_away(shop, PutNoticeAway(notice_id="n_1"))
    assert not file.exists()
    tell.put_away(shop, PutNoticeAway(notice_id="n_1"))
    told_by(shop, request)
    tell.put_away(shop, PutNoticeAway(notice_id=None))
    assert not file.exists()


def test_a_command_that_fails_says_why_in_few_words(shop):
    told = told_by(shop, by("sh", "-c", "echo no network >&2; echo much more; exit 7"))
    assert told == Told(end=Exited(7), said="no network")
    flood = "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 1"
    assert len(told_by(shop, by("sh", "-c", flood)).said) <= 500


def test_a_command_that_is_not_there_is_named(shop):
    assert "/not/there" in told_by(shop, by("/not/there")).end.text


def test_what_a_command_leaves_in_the_background_goes_on_until_it_is_killed(shop, tmp_path):
    telling = tell.make_ready(
        shop, by("sh", "-c", 'sleep 600 & echo $! > "$0"', str(tmp_path / "pid"))
    )
    node = Node(telling.launch, shop.launchers)
    assert node.until(Exited) == Exited(0)
    left = End(int((tmp_path / "pid").read_text()))
    assert not node.of(Empty)
    node.launched.kill()
    node.to_end()
    assert node.of(Empty)[0].is_certain
    left.wait()


@pytest.mark.parametrize("kind", ["missed", "failed", "suspended"])
def test_the_line_names_what_happened_to_what(kind):
    body = {"job_key": "report", "kind": kind, "run": None}
    assert tell.text_of(replace(COMMAND, body=json.dumps(body))) == f"report: {kind}"


class Server:
    """A server on this machine that notes what it gets and answers with one status."""

    def __init__(self, status, location=None):
        seen = self.seen = []

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                seen.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(status)
                if location is not None:
                    self.send_header("Location", location)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.mark.parametrize(("status", "code"), [(200, 0), (204, 0), (404, 1), (500, 1)])
def test_a_url_gets_the_notice_under_its_id(shop, status, code):
    with Server(status) as server:
        told = told_by(shop, replace(COMMAND, url=server.url))
    assert told == Told(end=Exited(code), said=f"HTTP {status}")
    ((path, headers, body),) = server.seen
    assert (path, body, headers["Idempotency-Key"]) == ("/hook", BODY, "n_1")


def test_a_redirect_is_not_followed(shop):
    with Server(200) as elsewhere, Server(307, elsewhere.url) as server:
        told = told_by(shop, replace(COMMAND, url=server.url))
    assert told == Told(end=Exited(1), said="HTTP 307")
    assert elsewhere.seen == []


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/", "not a url", "http://", "http://[", "http://a\0"],
)
def test_other_addresses_are_refused_and_not_shown(shop, url):
    with pytest.raises(CannotTellError, match="DULY_NOTIFY") as refused:
        tell.make_ready(shop, replace(COMMAND, url=url))
    assert url not in refused.value.message


def test_a_url_is_no_argument_that_everybody_sees(shop):
    telling = tell.make_ready(shop, replace(COMMAND, url="http://127.0.0.1:9/secret"))
    assert not any("secret" in argument for argument in telling.launch.argv)
    assert "secret" not in repr(telling)


def test_nobody_listening_is_said(shop):
    with Server(200) as server:
        url = server.url
    told = told_by(shop, replace(COMMAND, url=url))
    assert told.end == Exited(1)
    assert told.said.startswith("ConnectError")


@pytest.mark.parametrize("host", ["a..b", "xn--"])
def test_a_host_that_cannot_be_one_is_said_in_few_words(shop, host):
    told = told_by(shop, replace(COMMAND, url=f"http://{host}/secret"))
    assert told.end == Exited(1)
    assert "Error: " in told.said
    assert not any(word in told.said for word in ("Traceback", "secret"))
