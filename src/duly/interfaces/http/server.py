"""The server: a socket bound first, so that its address is known and a refusal is clear; uvicorn on its own thread."""

import ipaddress
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import uvicorn

from duly.engine.health import Condition
from duly.interfaces.http.application import Ask, Served, application
from duly.interfaces.http.doorway import Doorway
from duly.interfaces.http.gate import Gate
from duly.model.errors import Fault, UnavailableError, ValidationError

_BACKLOG: Final = 128
_CLOSE_S: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Where to listen; an address that other machines reach has to be allowed by name."""

    host: str
    port: int
    may_leave_loopback: bool


def parse(text: str, *, may_leave_loopback: bool) -> Binding:
    """Read `127.0.0.1:8080`, `[::1]:0` or `:8080`. Raises ValidationError."""
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        fault = Fault(
            pointer="/bind", message=f"bind cannot be {text!r}", fix="write it like 127.0.0.1:8080"
        )
        raise ValidationError([fault])
    return Binding(
        host=host.strip("[]") or "127.0.0.1",
        port=int(port),
        may_leave_loopback=may_leave_loopback,
    )


class Server:
    """Listens from its construction on, answers from `start` to `stop`."""

    def __init__(self, binding: Binding, ask: Ask, gate: Gate) -> None:
        """Bind. Raises ValidationError for an address that is not allowed, UnavailableError for one that is taken."""
        self._socket = _bound(binding)
        self._ask, self._gate = ask, gate
        host, port = self._socket.getsockname()[:2]
        self.url: str = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self, condition: Callable[[], Condition]) -> None:
        """Answer requests on a thread of its own; `condition` says how the node is."""
        served = Served(ask=self._ask, condition=condition, gate=self._gate)
        config = uvicorn.Config(
            application(served),
            http=Doorway,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=_CLOSE_S,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="duly-http", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Answer what was asked, then close the socket."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(2 * _CLOSE_S)
        self._socket.close()


def _bound(binding: Binding) -> socket.socket:
    try:
        found = socket.getaddrinfo(
            binding.host, binding.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise _unusable(binding, error.strerror or "unknown name") from error
    family, kind, number, _, address = found[0]
    if not binding.may_leave_loopback and not ipaddress.ip_address(str(address[0])).is_loopback:
        raise _exposed(binding)
    bound = socket.socket(family, kind, number)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        raise _unusable(binding, error.strerror or str(error)) from error
    return bound


def _exposed(binding: Binding) -> ValidationError:
    fault = Fault(
        pointer="/bind",
        message=f"{binding.host} can be reached from other machines",
        fix="bind to 127.0.0.1, or set beyond_loopback = true if a proxy with TLS stands before it",
    )
    return ValidationError([fault])


def _unusable(binding: Binding, why: str) -> UnavailableError:
    return UnavailableError(
        f"cannot listen on {binding.host}:{binding.port} ({why})",
        fix="Choose another --bind; port 0 takes any free one.",
    )
