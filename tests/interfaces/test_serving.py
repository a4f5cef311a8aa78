"""A server and the commands beside it: one owner, operations over loopback, drain, and what a doctor sees."""

import json
import os
import re
import signal
import threading
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from duly.adapters import clock
from duly.ledger.sqlite.reader_ledger import SqliteReader
from duly.ledger.verbs import Verbs
from tests.interfaces.front import until

SCANNING_OFTEN = {"DULY_SCAN_WAKE_MAX": "300ms"}


def _scanned_at(duly):
    ledger = SqliteReader(duly.home / "ledger.db", clock.wall, Verbs)
    try:
        return ledger.read(lambda tx, _: tx.nodes(1)[0].scanned_at, None) or 0
    finally:
        ledger.close()


def _add_gated(duly, *options):
    """Add an automation that works until the test writes into its fifo."""
    os.mkfifo(duly.here / "gate")
    words = ["--", "sh", "-c", "read line < gate; echo $line"]
    assert duly("add", "gated", "--cron", "0 9 * * *", *options, *words).code == 0


def _status_of(duly, run_id):
    return duly("runs", "show", run_id, "--json").json["run"]["status"]


def test_case_a04_a_second_server_is_refused_and_a_long_run_stays_one(duly):
    _add_gated(duly)
    with duly.serving(**SCANNING_OFTEN) as served:
        second = duly.program("serve")
        assert second.code == 5
        assert f"process {served.process.pid}" in second.err and served.url in second.err
        assert "Traceback" not in second.err

        run_id = duly("run", "gated", "--json").json["run_id"]
        until(lambda: _status_of(duly, run_id) == "running")
        # Two scan periods and more, by what the node itself writes down.
        for _ in range(3):
            before = _scanned_at(duly)
            until(lambda before=before: _scanned_at(duly) > before)
        assert [run["id"] for run in duly("runs", "list", "--json").json["runs"]] == [run_id]

        (duly.here / "gate").write_text("one line\n")
        until(lambda: _status_of(duly, run_id) == "completed")
        assert len(duly("runs", "show", run_id, "--json").json["attempts"]) == 1
        assert duly("logs", "gated").out == "one line\n"


def test_commands_go_through_the_server_and_wait_for_it(duly):
    with duly.serving():
        assert duly("add", "hello", "--cron", "0 9 * * *", "--", "echo", "hi").code == 0
        ended = duly("run", "hello", "--wait", "--json")
        assert ended.code == 0
        assert ended.json["outcome"] == "completed" and ended.json["is_over"]
        assert "nobody works on it" not in duly("run", "hello").err
        assert duly("automation", "pause", "hello").code == 0
        assert duly("tick").code == 0
        assert duly("runs", "show", "r_nobody").code == 3
        assert duly("add", "hello", "--cron", "0 9 * * *", "--", "echo", "ho").code == 5


def test_waiting_ends_in_time(duly):
    _add_gated(duly)
    with duly.serving():
        ended = duly("run", "gated", "--wait", "--timeout", "0.3", "--json")
        assert ended.code == 8
        assert ended.json["status"] in ("waiting", "running") and not ended.json["is_over"]
        until(lambda: _status_of(duly, ended.json["id"]) == "running")
        (duly.here / "gate").write_text("\n")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("is_heard", [True, False])
def test_a_server_that_was_told_to_stop_lets_running_work_end(duly, ending, is_heard):
    _add_gated(duly)
    with duly.serving() as served:
        if not is_heard:
            served.process.stderr.close()
            served.process.stderr = None
        run_id = duly("run", "gated", "--json").json["run_id"]
        until(lambda: _status_of(duly, run_id) == "running")
        served.process.send_signal(ending)
        until(lambda: "event=draining" in (duly.home / "logs/service.log").read_text())
        (duly.here / "gate").write_text("\n")
        assert served.process.wait(60) == 0
    assert _status_of(duly, run_id) == "completed"


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_stops_at_once(duly, second):
    _add_gated(duly, "--restart", "safe")
    with hearing_sigint(), duly.serving() as served:
        run_id = duly("run", "gated", "--json").json["run_id"]
        until(lambda: _status_of(duly, run_id) == "running")
        served.process.send_signal(signal.SIGTERM)
        until(lambda: "event=draining" in (duly.home / "logs/service.log").read_text())
        served.process.send_signal(second)
        assert served.process.wait(60) != 0
    assert _status_of(duly, run_id) in ("waiting", "running")


@contextmanager
def hearing_sigint():
    """Start programs that hear SIGINT: a shell's background work ignores it, and hands that on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_after_a_server_died_the_status_and_a_cancel_say_that_nothing_works(duly):
    _add_gated(duly, "--restart", "safe")
    with duly.serving() as served:
        run_id = duly("run", "gated", "--json").json["run_id"]
        until(lambda: _status_of(duly, run_id) == "running")
        served.process.kill()
        served.process.wait(60)
    first = duly("status").out.splitlines()[0]
    assert first.startswith("NEEDS YOU  no server runs, and 1 run not over")
    assert "no server runs" in duly("runs", "cancel", run_id).err
    assert duly.program("tick").code == 0
    assert _status_of(duly, run_id) == "cancelled"


@pytest.mark.parametrize("is_quiet", [False, True])
def test_a_server_tells_of_each_run_when_it_starts_and_ends(duly, is_quiet):
    duly("add", "bad", "--cron", "0 9 * * *", "--", "sh", "-c", "exit 3")
    with duly.serving(*(["--quiet"] if is_quiet else []), TZ="Europe/Berlin") as served:
        run_id = duly("run", "bad", "--json").json["run_id"]
        until(lambda: _status_of(duly, run_id) == "failed-before-write")
        served.process.terminate()
        told = served.process.stderr.read().splitlines()
    lines = [line for line in told if run_id[:18] in line]
    if is_quiet:
        assert lines == []
        return
    started, ended = lines
    assert re.fullmatch(r"[-0-9]{10} [:0-9]{8}[+]0[12]:00  started: bad [-0-9]{10} .*", started)
    assert "  failed-before-write: bad " in ended and ended.endswith(": exit 3")


def test_a_server_without_http_still_works(duly):
    duly("add", "hello", "--cron", "0 9 * * *", "--", "echo", "hi")
    run_id = duly("run", "hello", "--json").json["run_id"]
    with duly.serving("--no-http") as served:
        assert served.url == ""
        until(lambda: _status_of(duly, run_id) == "completed")


def test_an_address_that_others_reach_needs_a_word(duly):
    ended = duly.program("serve", "--bind", "0.0.0.0:0")
    assert ended.code == 2 and "beyond_loopback" in ended.err
    assert duly.program("serve", "--bind", "nonsense").code == 2


def test_a_taken_address_is_named(duly):
    with duly.serving() as served:
        taken = served.url.removeprefix("http://")
        ended = duly.program("--home", str(duly.here / "other"), "serve", "--bind", taken)
    assert ended.code == 9 and taken in ended.err


def test_case_b06_a_doctor_says_that_nothing_scans(duly):
    with duly.serving(**SCANNING_OFTEN) as served:
        until(lambda: _scanner(duly)["is_good"])
        served.process.send_signal(signal.SIGSTOP)
        until(lambda: not _scanner(duly)["is_good"])
        found = _scanner(duly)
        assert f"process {served.process.pid}" in found["message"]
        assert "It does not scan" in found["fix"]
    until(lambda: "no server runs" in _scanner(duly)["message"])


def test_a_doctor_of_a_fresh_directory_warns_and_finds_nothing_broken(duly):
    fresh = duly("doctor")
    assert fresh.code == 0 and "FAIL" not in fresh.out
    assert "warn  scanner: no server runs; nothing was ever scanned" in fresh.out
    assert "`duly add`" in fresh.out and "nothing is broken" in fresh.err
    duly("add", "x", "--cron", "0 9 * * *", "--", "true")
    needed = duly("doctor")
    assert needed.code == 5 and "FAIL  scanner" in needed.out and "`duly serve`" in needed.out
    assert needed.err == "1 broken: do what stands behind FAIL, then ask again\n"


def _scanner(duly):
    os.environ.update(SCANNING_OFTEN)
    try:
        checks = duly("doctor", "--json").json["checks"]
    finally:
        for name in SCANNING_OFTEN:
            del os.environ[name]
    return next(check for check in checks if check["name"] == "scanner")


def test_the_supervisor_hears_that_the_server_is_ready(duly, tmp_path):
    import socket

    path = tmp_path / "n"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(path))
        supervisor.settimeout(60)
        with duly.serving(NOTIFY_SOCKET=str(path)):
            assert supervisor.recv(100) == b"READY=1"
        assert supervisor.recv(100) == b"STOPPING=1"


def test_the_owner_file_tells_where_the_server_is(duly):
    with duly.serving() as served:
        facts = json.loads((duly.home / "owner.lock").read_text())
    assert facts["url"] == served.url and facts["pid"] == served.process.pid


@contextmanager
def _listener():
    """Have a server that notes what is posted to it."""
    seen = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/secret", seen
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_url_to_tell_people_is_taken_from_the_environment_before_the_file(duly):
    assert duly("add", "fails", "--cron", "0 9 * * *", "--", "false").code == 0
    with _listener() as (of_file, seen_by_file), _listener() as (of_variable, seen_by_variable):
        (duly.home / "config.toml").write_text(f'notify = "{of_file}"\n')
        with duly.serving(DULY_NOTIFY=of_variable):
            duly("run", "fails")
            until(lambda: seen_by_variable)
        assert [one["job_key"] for one in seen_by_variable] == ["fails"]
        assert seen_by_file == []
        duly("add", "fails-too", "--cron", "0 9 * * *", "--", "false")
        with duly.serving():
            duly("run", "fails-too")
            until(lambda: seen_by_file)
        assert [one["job_key"] for one in seen_by_file] == ["fails-too"]
        assert len(seen_by_variable) == 1
    assert "secret" not in (duly.home / "logs/service.log").read_text()


def test_a_foreground_run_tells_people_before_it_ends(duly):
    assert duly("add", "fails", "--cron", "0 9 * * *", "--", "false").code == 0
    with _listener() as (url, seen):
        assert duly.program("run", "fails", "--wait", DULY_NOTIFY=url).code != 0
        assert [one["job_key"] for one in seen] == ["fails"]


def _health(duly, url):
    token = (duly.home / "token").read_text().strip()
    asked = urllib.request.Request(f"{url}/healthz", headers={"authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return json.load(answer)


def test_a_server_says_how_it_is_and_that_it_drains(duly):
    _add_gated(duly)
    with duly.serving() as served:
        assert _health(duly, served.url) == {"status": "ok", "reasons": []}
        run_id = duly("run", "gated", "--json").json["run_id"]
        until(lambda: _status_of(duly, run_id) == "running")
        served.process.terminate()
        until(lambda: _health(duly, served.url)["status"] == "degraded")
        assert "told to stop" in _health(duly, served.url)["reasons"][0]
        (duly.here / "gate").write_text("\n")
