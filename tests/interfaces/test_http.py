"""The server's gate and its answers: Host, Origin, token, size; problems with every fault."""

import http.client
import json
import socket
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest

from duly.engine.health import Condition, Fitness
from duly.interfaces.http import problems
from duly.interfaces.http.doorway import CONNECTIONS_MAX
from duly.interfaces.http.gate import BODY_BYTES_MAX, Gate
from duly.interfaces.http.server import Server, parse
from duly.model.errors import Fault, NotFoundError, ValidationError

TOKEN = "a-token"
WELL = Condition(fitness=Fitness.OK)
GOOD = {"authorization": f"Bearer {TOKEN}"}


def _ask(name, body):
    match name:
        case "echo":
            return dict(body)
        case "missing":
            raise NotFoundError("there is no run r_1", fix="list them")
        case "invalid":
            faults = [
                Fault(pointer="/a", message="bad", fix="mend it"),
                Fault(pointer="/b", message="worse"),
            ]
            raise ValidationError(faults)
        case "full":
            raise OSError(28, "No space left on device")
        case _:
            raise RuntimeError("a bug of ours")


@pytest.fixture(scope="module")
def server():
    gate = Gate(token=TOKEN, hosts=frozenset({"duly.example"}))
    server = Server(parse("127.0.0.1:0", may_leave_loopback=False), _ask, gate)
    server.start(lambda: server.shown)
    server.shown = WELL
    yield server
    server.stop()


@pytest.fixture
def send(server):
    port = urlsplit(server.url).port

    def send(method, path, headers=(), body=b"{}", host=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("host", host or f"127.0.0.1:{port}")
        for name, value in dict(headers).items():
            connection.putheader(name, value)
        if method == "POST":
            connection.putheader("content-length", str(len(body)))
        connection.endheaders(body if method == "POST" else None)
        response = connection.getresponse()
        found = response.status, dict(response.getheaders()), json.loads(response.read() or b"{}")
        connection.close()
        return found

    send.port = port
    return send


def test_an_operation_is_carried_out_for_whoever_has_the_token(send):
    status, headers, found = send("POST", "/v1/ops/echo", GOOD, b'{"a": 1}')
    assert (status, found) == (200, {"a": 1})
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}, {"authorization": "Bearer "}],
)
def test_without_the_right_token_nothing_is_told_not_even_what_exists(send, headers):
    for path in ("/v1/ops/echo", "/v1/ops/missing", "/nowhere"):
        status, answered, found = send("POST", path, headers)
        assert (status, found["code"]) == (401, "unauthenticated")
        assert answered["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[", "0.0.0.0"]
)
def test_another_host_is_refused_with_or_without_a_token(send, host):
    for path, method in (("/v1/ops/echo", "POST"), ("/healthz", "GET")):
        status, _, found = send(method, path, GOOD, host=host or " ")
        assert (status, found["code"]) == (421, "misdirected")


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:9", "duly.example"]
)
def test_the_servers_own_names_are_welcome(send, host):
    assert send("POST", "/v1/ops/echo", GOOD, host=host)[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "http://[", "localhost"],
)
def test_a_page_of_another_origin_is_refused(send, origin):
    status, _, found = send("POST", "/v1/ops/echo", {**GOOD, "origin": origin})
    assert (status, found["code"]) == (403, "forbidden-origin")


def test_a_page_of_the_server_itself_is_welcome(send):
    origin = f"http://127.0.0.1:{send.port}"
    assert send("POST", "/v1/ops/echo", {**GOOD, "origin": origin})[0] == 200


def test_a_body_may_be_large_but_not_too_large(send):
    fits = b'"' + b"x" * (BODY_BYTES_MAX - 2) + b'"'
    assert send("POST", "/v1/ops/echo", GOOD, fits)[2]["code"] == "malformed"
    status, _, found = send("POST", "/v1/ops/echo", GOOD, fits + b" ")
    assert (status, found["code"]) == (413, "too-large")


@pytest.mark.parametrize("body", [b"{", b"[]", b"1", b"\xff", b'{"a": "\\ud800"}', b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(send, body):
    status, headers, found = send("POST", "/v1/ops/echo", GOOD, body)
    assert (status, found["code"]) == (400, "malformed")
    assert headers["content-type"] == problems.MEDIA_TYPE


def test_a_problem_names_every_fault(send):
    status, headers, found = send("POST", "/v1/ops/invalid", GOOD)
    assert status == 422 and headers["content-type"] == "application/problem+json"
    assert [(one["pointer"], one["fix"]) for one in found["errors"]] == [
        ("/a", "mend it"),
        ("/b", ""),
    ]
    assert {"type", "title", "status", "code"} <= set(found)


def test_what_is_not_there_is_not_found(send):
    assert send("POST", "/v1/ops/missing", GOOD)[0] == 404
    assert send("GET", "/v1/ops/echo", GOOD)[0] == 405
    assert send("GET", "/nowhere", GOOD)[0] == 404


def test_a_bug_of_ours_tells_nothing_of_itself(send):
    status, _, found = send("POST", "/v1/ops/bug", GOOD)
    assert status == 500 and "a bug of ours" not in json.dumps(found)


def test_a_full_disk_is_told(send):
    status, _, found = send("POST", "/v1/ops/full", GOOD)
    assert (status, found["code"]) == (503, "unavailable") and "No space left" in found["title"]


def test_health_needs_no_token_and_tells_nothing_else(send):
    assert send("GET", "/healthz")[::2] == (200, {"status": "ok"})
    assert send("GET", "/healthz", GOOD)[::2] == (200, {"status": "ok", "reasons": []})


@pytest.mark.parametrize(("fitness", "status"), [(Fitness.DEGRADED, 200), (Fitness.FAILING, 503)])
def test_health_tells_the_reason_to_whoever_has_the_token(server, send, fitness, status):
    server.shown = Condition(fitness=fitness, reasons=("the disk /data is full",))
    try:
        told = {"status": fitness.value, "reasons": ["the disk /data is full"]}
        assert send("GET", "/healthz", GOOD)[::2] == (status, told)
        for headers in ({}, {"authorization": "Bearer wrong"}):
            assert send("GET", "/healthz", headers)[::2] == (status, {"status": fitness.value})
    finally:
        server.shown = WELL


def test_every_error_that_has_a_status_keeps_its_place():
    assert problems.STATUS["owned"] == problems.STATUS["unavailable"] == 503
    assert set(problems.STATUS.values()) <= {400, 401, 403, 404, 409, 413, 421, 422, 503, 507}


@pytest.mark.parametrize("said", [b"", b"POST /v1/ops/echo HTTP/1.1\r\nHost: "])
def test_whoever_stands_in_the_door_is_sent_away_before_the_node_runs_out_of_descriptors(
    server, send, said
):
    address = "127.0.0.1", urlsplit(server.url).port
    with ExitStack() as opened:
        idle = []
        for _ in range(CONNECTIONS_MAX + 20):
            idle.append(opened.enter_context(socket.create_connection(address, timeout=60)))
            idle[-1].sendall(said)
        with suppress(ConnectionResetError):
            assert idle[0].recv(1) == b""
        assert send("POST", "/v1/ops/echo", GOOD)[0] == 200


def test_a_host_with_a_user_before_it_is_nobody(send):
    assert send("POST", "/v1/ops/echo", GOOD, host="evil.example@127.0.0.1")[0] == 421
