"""Errors as RFC 9457 problem documents: every fault at once, the status by the error's public code."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from starlette.responses import JSONResponse

from duly.model.errors import DulyError, Fault, ValidationError

MEDIA_TYPE: Final = "application/problem+json"
UNEXPECTED: Final = 500
# Codes that are not here mean that the data directory, not the request, is wrong.
STATUS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "invalid": 422,
        "malformed": 400,
        "too-large": 413,
        "misdirected": 421,
        "forbidden-origin": 403,
        "unauthenticated": 401,
        "not-found": 404,
        "conflict": 409,
        "idempotency-conflict": 409,
        "version-conflict": 409,
        "illegal-move": 409,
        "lease-lost": 409,
        "rule-too-costly": 422,
        "zone-data-older": 503,
        "zone-unknown": 422,
        "tree-too-large": 422,
        "tree-unreadable": 422,
        "unavailable": 503,
        "owned": 503,
        "commit-unknown": 503,
        "deadline-exceeded": 503,
        "disk-full": 507,
    }
)


class MalformedError(DulyError):
    """The body is not a JSON object. Send one."""

    code = "malformed"


class TooLargeError(DulyError):
    """The body is larger than a request may be. Send less."""

    code = "too-large"


class MisdirectedError(DulyError):
    """The Host header names somebody else. Use the address that `serve` printed."""

    code = "misdirected"


class ForbiddenOriginError(DulyError):
    """Another web page sent this. Only pages of this server may."""

    code = "forbidden-origin"


def response(error: DulyError) -> JSONResponse:
    """Return the problem document of an error."""
    status = STATUS.get(error.code, UNEXPECTED)
    headers = {"www-authenticate": "Bearer"} if status == STATUS["unauthenticated"] else {}
    return JSONResponse(document(error), status, headers, media_type=MEDIA_TYPE)


def document(error: DulyError) -> dict[str, Any]:
    """Return what a caller needs to act: the code, the text, the next step, each fault."""
    found: dict[str, Any] = {
        "type": f"urn:duly:problem:{error.code}",
        "title": error.message,
        "status": STATUS.get(error.code, UNEXPECTED),
        "code": error.code,
        "fix": error.fix,
    }
    if isinstance(error, ValidationError):
        found["errors"] = [_fault(fault) for fault in error.faults]
    return found


def _fault(fault: Fault) -> dict[str, Any]:
    return {
        "pointer": fault.pointer,
        "message": fault.message,
        "fix": fault.fix,
        "line": fault.line,
    }
