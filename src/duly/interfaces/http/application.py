"""The application: `POST /v1/ops/{name}` for every operation of the registry, and `GET /healthz`."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from duly.engine.health import Condition, Fitness
from duly.interfaces.http import problems
from duly.interfaces.http.gate import Gate, body_of
from duly.interfaces.http.problems import MalformedError
from duly.model.errors import DulyError, NotFoundError, UnavailableError

Ask = Callable[[str, Mapping[str, Any]], dict[str, Any]]
OPEN_PATH: Final = "/healthz"
_HEADERS: Final = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What an application serves: operations by name, and how the node is."""

    ask: Ask
    condition: Callable[[], Condition]
    gate: Gate


class _AtTheGate:
    """Checks every request before it is routed, unknown paths too."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            self._gate.check_address(request.headers)
            if request.url.path != OPEN_PATH:
                self._gate.check_token(request.headers)
        except DulyError as error:
            await problems.response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def application(served: Served) -> Starlette:
    """Return the ASGI application."""
    return Starlette(
        routes=[
            Route("/v1/ops/{name}", _operation(served), methods=["POST"]),
            Route(OPEN_PATH, _health(served), methods=["GET"]),
        ],
        middleware=[Middleware(_AtTheGate, gate=served.gate)],
        exception_handlers={
            DulyError: _told,
            OSError: _of_the_system,
            HTTPException: _not_routed,
            Exception: _unexpected,
        },
    )


def _operation(served: Served) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        body = _object(await body_of(request))
        # Only calls to the ledger leave the event loop.
        told = await run_in_threadpool(served.ask, request.path_params["name"], body)
        return JSONResponse(told, headers=_HEADERS)

    return answer


def _health(served: Served) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        found = served.condition()
        body: dict[str, Any] = {"status": found.fitness.value}
        # Without a token nothing is told but how it is, in one word.
        if served.gate.knows(request.headers):
            body["reasons"] = list(found.reasons)
        status = 503 if found.fitness is Fitness.FAILING else 200
        return JSONResponse(body, status, headers=_HEADERS)

    return answer


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body or b"{}")
        # A lone surrogate is JSON, but no text: nothing could store it.
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise MalformedError("the body is not JSON in UTF-8") from None
    if not isinstance(found, dict):
        raise MalformedError("the body is not a JSON object")
    return found


async def _told(_: Request, error: Exception) -> Response:
    assert isinstance(error, DulyError)
    return problems.response(error)


async def _not_routed(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return problems.response(NotFoundError("there is nothing here", fix="POST /v1/ops/{name}"))
    found = {"type": "about:blank", "title": error.detail, "status": error.status_code}
    return JSONResponse(found, error.status_code, error.headers, media_type=problems.MEDIA_TYPE)


async def _of_the_system(_: Request, error: Exception) -> Response:
    """A full disk and a missing right are told by the system, not by us."""
    assert isinstance(error, OSError)
    why = error.strerror or type(error).__name__
    return problems.response(
        UnavailableError(f"the data directory cannot be used ({why})", fix="Look at the disk.")
    )


async def _unexpected(_: Request, error: Exception) -> Response:
    """Say no more than that; the server's log has the traceback."""
    del error
    return problems.response(
        DulyError("an unexpected error; the service's log tells more", fix="Report it, please.")
    )
