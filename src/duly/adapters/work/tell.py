"""Telling people: a command that gets the notice as a file, or a program of ours that posts it to a URL."""

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from duly.adapters.files.removal import remove_tree
from duly.adapters.launch.events import Output, Stream
from duly.adapters.launch.request import Launch
from duly.adapters.work.errors import CannotTellError
from duly.adapters.work.layout import Workshop
from duly.adapters.work.requests import PutNoticeAway, Tell, Telling

# Named, not imported: what it needs for its post is more than the rest of a node, which never posts itself.
_POST: Final = (sys.executable, "-P", "-m", "duly.adapters.work.post")
_URL: Final = "DULY_POST_URL"
_SAID_MAX: Final = 500


def make_ready(workshop: Workshop, request: Tell) -> Telling:
    """Return the program that tells a person. Raises CannotTellError, naming what is wrong."""
    file = _write(workshop, request)
    if request.argv:
        argv = tuple(argument.replace("{notice}", str(file)) for argument in request.argv)
        given = {"DULY_NOTICE": text_of(request), "DULY_NOTICE_FILE": str(file)}
        return _telling(workshop, argv, given, name=argv[0])
    assert request.url is not None
    argv = (*_POST, str(file), request.notice_id, _URL)
    return _telling(workshop, argv, {_URL: _checked(request.url)}, name="")


def put_away(workshop: Workshop, request: PutNoticeAway) -> None:
    """Remove the file of one notice, or all of them."""
    if request.notice_id is None:
        remove_tree(workshop.notices)
    else:
        _file(workshop, request.notice_id).unlink(missing_ok=True)


def text_of(request: Tell) -> str:
    """Return the notice as one line for people."""
    body = json.loads(request.body)
    reason = f" ({body['reason']})" if body.get("reason") else ""
    run = f", run {body['run']}" if body.get("run") else ""
    return f"{body['job_key']}: {str(body['kind']).replace('_', ' ')}{reason}{run}"


def _file(workshop: Workshop, notice_id: str) -> Path:
    return workshop.notices / f"{Path(notice_id).name}.json"


def _write(workshop: Workshop, request: Tell) -> Path:
    """Write the notice anew; an earlier try may have left it."""
    file = _file(workshop, request.notice_id)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    with open(file, "x", encoding="utf-8", opener=_for_the_owner) as opened:
        opened.write(request.body)
    return file


def _for_the_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _checked(url: str) -> str:
    """Only the node's own configuration names a URL, so its operator has chosen the address, a private one too."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise CannotTellError(f"DULY_NOTIFY is no URL: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or "\0" in url:
        raise CannotTellError("DULY_NOTIFY is no http or https URL")
    return url


def _telling(
    workshop: Workshop, argv: tuple[str, ...], given: Mapping[str, str], *, name: str
) -> Telling:
    words = _Words()
    try:
        launch = Launch(
            argv=argv,
            cwd=Path(tempfile.gettempdir()),
            env={**workshop.environ, **given},
            run_token="notice",  # nobody looks for it: its launcher lives no longer than the node
            umask=workshop.umask,
            is_merged=False,
            # What a command leaves in the background may be what sends its mail.
            lingers=True,
        )
    except ValueError as error:
        raise CannotTellError(f"{argv[0]}: {error}") from None
    return Telling(launch=launch, write_output=words.hear, name=name, said=words.said)


class _Words:
    """The beginning of what a program says on stderr."""

    def __init__(self) -> None:
        self._heard = b""

    def hear(self, output: Output) -> None:
        if output.stream is Stream.STDERR:
            self._heard = (self._heard + output.data)[:_SAID_MAX]

    def said(self) -> str:
        return self._heard.decode("utf-8", "replace").strip()
