"""The server of a data directory, asked over loopback: the same operations by the same names."""

import http.client
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from duly.model.errors import DulyError, Fault, UnavailableError, ValidationError

_TIMEOUT_S: Final = 60.0
_OK: Final = 200


class UnreachableError(UnavailableError):
    """A server is said to own the data directory, but does not answer. Look whether it hangs."""

    code = "unreachable"


class RemoteError(DulyError):
    """The server refused with a code that this program does not know. Read the message."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        super().__init__(message, fix=fix)
        self.code = code  # type: ignore[misc]


def ask(url: str, token: str, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out an operation on a server. Raises what the server raised, and UnreachableError."""
    parts = urlsplit(url)
    # Neither a proxy of the environment nor a redirect has any business on the way to this machine.
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_TIMEOUT_S)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    try:
        connection.request("POST", f"/v1/ops/{name}", json.dumps(body).encode(), headers)
        response = connection.getresponse()
        status, text = response.status, response.read()
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(
            f"the server at {url} does not answer ({error})",
            fix="Look at its log, or stop it; the ledger is safe.",
        ) from error
    finally:
        connection.close()
    return _answer(url, status, text)


def _answer(url: str, status: int, text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UnreachableError(
            f"what answers at {url} is no Duly server (status {status})", fix="Stop it."
        )
    if status != _OK:
        raise _error(found)
    return found


def _error(found: Mapping[str, Any]) -> DulyError:
    code, message = str(found.get("code", "unexpected")), str(found.get("title", ""))
    fix = str(found.get("fix", ""))
    if code == ValidationError.code:
        return ValidationError(
            [
                Fault(
                    pointer=str(one.get("pointer", "")),
                    message=str(one.get("message", "")),
                    fix=str(one.get("fix", "")),
                    line=one.get("line"),
                )
                for one in found.get("errors", [])
            ],
            message,
        )
    return RemoteError(code, message, fix)
