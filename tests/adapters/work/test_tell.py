"""People are told by a command or a URL: on this machine, by real commands and a real server."""

import json
import os
import signal
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from duly.adapters.work import tell
from duly.adapters.work.requests import Tell
from tests.adapters.work.parts import workshop

BODY = {"job_key": "report", "kind": "needs_review", "reason": "no_proof", "run": "r_1"}
COMMAND = Tell(notice_id="n_1", argv=(), url=None, body=json.dumps(BODY))


@pytest.fixture
def shop(home):
    return workshop(home)


def by(*argv):
    return replace(COMMAND, argv=argv)


def test_a_command_gets_the_notice_as_a_file_and_as_a_line(shop, tmp_path):
    script = 'cp "$1" "$0/file"; cp "$DULY_NOTICE_FILE" "$0/same"; echo "$DULY_NOTICE" > "$0/line"'
    told = tell.tell(shop, by("sh", "-c", script, str(tmp_path), "{notice}"))
    assert (told.is_sent, told.detail) == (True, "sh exited 0")
    assert json.loads((tmp_path / "file").read_text()) == BODY
    assert (tmp_path / "same").read_text() == (tmp_path / "file").read_text()
    assert (tmp_path / "line").read_text() == "report: needs review (no_proof), run r_1\n"


def test_the_file_is_for_its_owner_only_and_gone_afterwards(shop, tmp_path):
    script = 'stat -c %a "$1" > "$0/mode"; echo "$1" > "$0/name"'
    assert tell.tell(shop, by("sh", "-c", script, str(tmp_path), "{notice}")).is_sent
    assert (tmp_path / "mode").read_text() == "600\n"
    assert not Path((tmp_path / "name").read_text().strip()).exists()


def test_a_command_that_fails_says_why_in_few_words(shop):
    told = tell.tell(shop, by("sh", "-c", "echo no network >&2; exit 7"))
    assert (told.is_sent, told.detail) == (False, "sh exited 7: no network")
    flood = "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 1"
    assert len(tell.tell(shop, by("sh", "-c", flood)).detail) <= 500


def test_a_command_that_is_not_there_is_no_crash(shop):
    told = tell.tell(shop, by("/not/there"))
    assert not told.is_sent
    assert "/not/there" in told.detail


def test_what_a_command_leaves_in_the_background_is_not_waited_for(shop, tmp_path):
    script = 'sleep 60 & echo $! > "$0"'
    try:
        assert tell.tell(shop, by("sh", "-c", script, str(tmp_path / "pid"))).is_sent
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("kind", ["missed", "failed", "suspended"])
def test_the_line_names_what_happened_to_what(kind):
    body = {"job_key": "report", "kind": kind, "run": None}
    assert tell.text_of(replace(COMMAND, body=json.dumps(body))) == f"report: {kind}"


def test_with_neither_nobody_is_told(shop):
    told = tell.tell(shop, COMMAND)
    assert not told.is_sent
    assert "DULY_NOTIFY" in told.detail


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


@pytest.fixture
def near(home):
    return workshop(home, DULY_NOTIFY_PRIVATE="1")


@pytest.mark.parametrize(("status", "is_sent"), [(200, True), (204, True), (500, False)])
def test_a_url_gets_the_notice_under_its_id(near, status, is_sent):
    with Server(status) as server:
        told = tell.tell(near, replace(COMMAND, url=server.url))
    assert (told.is_sent, told.detail) == (is_sent, f"HTTP {status}")
    ((path, headers, body),) = server.seen
    assert (path, body, headers["Idempotency-Key"]) == ("/hook", BODY, "n_1")


def test_a_redirect_is_not_followed(near):
    with Server(200) as elsewhere, Server(307, elsewhere.url) as server:
        told = tell.tell(near, replace(COMMAND, url=server.url))
    assert (told.is_sent, told.detail) == (False, "HTTP 307")
    assert elsewhere.seen == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x", "http://[::1]:9/", "http://169.254.1.1/"])
def test_a_private_address_is_called_only_where_the_operator_allows_it(shop, url):
    told = tell.tell(shop, replace(COMMAND, url=url))
    assert not told.is_sent
    assert "DULY_NOTIFY_PRIVATE" in told.detail


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/", "not a url", "http://"]
)
def test_other_schemes_are_not_called(near, url):
    assert not tell.tell(near, replace(COMMAND, url=url)).is_sent


def test_nobody_listening_is_said(near):
    with Server(200) as server:
        url = server.url
    told = tell.tell(near, replace(COMMAND, url=url))
    assert not told.is_sent
    assert told.detail.startswith("ConnectError")
