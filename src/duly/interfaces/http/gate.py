"""Who may come in: known Host, own Origin, right token, small body. Looked at before anything else, always."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request

from duly.interfaces.http.problems import ForbiddenOriginError, MisdirectedError, TooLargeError
from duly.model.errors import AuthenticationError

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
BODY_BYTES_MAX: Final = 1_048_576
_SCHEME: Final = "bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The rules of one server. `hosts` are names that a request may address, besides the loopback ones."""

    token: str
    hosts: frozenset[str]

    def check_address(self, headers: Mapping[str, str]) -> None:
        """Refuse other names (DNS rebinding) and other pages. Raises MisdirectedError, ForbiddenOriginError."""
        host = headers.get("host", "")
        if name_of(host) not in self.hosts | LOOPBACK:
            raise MisdirectedError(
                "this server is not called that", fix="Add the name to allowed_hosts, if it is."
            )
        origin = headers.get("origin")
        if origin is not None and _place_of(origin) != host.lower():
            raise ForbiddenOriginError("a page of another origin sent this request")

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Say whether the right token is sent; compared in constant time."""
        given = headers.get("authorization", "")
        is_bearer = given[: len(_SCHEME)].lower() == _SCHEME
        sent = given[len(_SCHEME) :].strip().encode(errors="replace")
        return is_bearer and secrets.compare_digest(sent, self.token.encode())

    def check_token(self, headers: Mapping[str, str]) -> None:
        """Raise AuthenticationError unless the right token is sent."""
        if not self.knows(headers):
            raise AuthenticationError(
                "the token is missing or wrong", fix="Send `Authorization: Bearer …`."
            )


async def body_of(request: Request) -> bytes:
    """Read a body, but never more than is allowed. Raises TooLargeError."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_BYTES_MAX:
            raise TooLargeError(f"the body is larger than {BODY_BYTES_MAX} bytes")
    return bytes(body)


def name_of(host: str) -> str:
    """Return the name in a Host header, without port and brackets; empty for one that cannot be meant."""
    if "@" in host:
        return ""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _place_of(origin: str) -> str | None:
    """Return host and port of an Origin header; None for `null` and for what is no web page."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None
