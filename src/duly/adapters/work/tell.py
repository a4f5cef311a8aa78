"""Telling people: a command that gets the notice as a file, or a URL that gets it posted."""

import ipaddress
import json
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

import httpx

from duly.adapters.work.layout import Workshop
from duly.adapters.work.requests import Tell, Told

TIMEOUT_S: Final = 30
_DETAIL_MAX: Final = 500


def tell(workshop: Workshop, request: Tell) -> Told:
    """Tell a person once; says whether it went out."""
    if request.argv:
        return _run(workshop, request)
    if request.url:
        return _post(workshop, request)
    return Told(is_sent=False, detail="nobody is named: set notify.command or DULY_NOTIFY")


def _run(workshop: Workshop, request: Tell) -> Told:
    """Run the command with `{notice}` replaced by a file that holds the notice as JSON; the text is in DULY_NOTICE."""
    with (
        tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file,
        tempfile.TemporaryFile() as said,
    ):
        file.write(request.body)
        file.flush()
        argv = [argument.replace("{notice}", file.name) for argument in request.argv]
        env = {**workshop.environ, "DULY_NOTICE": text_of(request), "DULY_NOTICE_FILE": file.name}
        try:
            code = _exit_code(argv, env, said)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            return Told(is_sent=False, detail=f"{argv[0]}: {error}"[:_DETAIL_MAX])
        said.seek(0)
        words = said.read(_DETAIL_MAX).decode("utf-8", "replace").strip()
    detail = f"{argv[0]} exited {code}" + (f": {words}" if code and words else "")
    return Told(is_sent=code == 0, detail=detail[:_DETAIL_MAX])


def _exit_code(argv: list[str], env: Mapping[str, str], said: IO[bytes]) -> int:
    """Return the command's exit code; what it leaves in the background is not waited for."""
    with subprocess.Popen(
        argv,
        env=env,
        cwd=Path(tempfile.gettempdir()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        # A file, not a pipe: whoever holds a pipe open would have to be waited for.
        stderr=said,
        start_new_session=True,
    ) as command:
        try:
            return command.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(command.pid, signal.SIGKILL)
            raise


def text_of(request: Tell) -> str:
    """Return the notice as one line for people."""
    body = json.loads(request.body)
    reason = f" ({body['reason']})" if body.get("reason") else ""
    run = f", run {body['run']}" if body.get("run") else ""
    return f"{body['job_key']}: {str(body['kind']).replace('_', ' ')}{reason}{run}"


def _post(workshop: Workshop, request: Tell) -> Told:
    assert request.url is not None
    if not _may_call(request.url, workshop.environ.get("DULY_NOTIFY_PRIVATE") == "1"):
        detail = "the address is private; allow it with DULY_NOTIFY_PRIVATE=1"
        return Told(is_sent=False, detail=detail)
    headers = {"Idempotency-Key": request.notice_id, "Content-Type": "application/json"}
    try:
        answer = httpx.post(
            request.url,
            content=request.body,
            headers=headers,
            timeout=TIMEOUT_S,
            follow_redirects=False,
        )
    except httpx.HTTPError as error:
        return Told(is_sent=False, detail=f"{type(error).__name__}: {error}"[:_DETAIL_MAX])
    return Told(is_sent=answer.is_success, detail=f"HTTP {answer.status_code}")


def _may_call(url: str, allows_private: bool) -> bool:
    """Say whether an address may be called: public ones always, others only when the operator says so."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return False
    if allows_private:
        return True
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except OSError:
        return True  # it will fail, and say so itself
    return all(ipaddress.ip_address(address[4][0]).is_global for address in found)
