"""What the demo stands on: its directory, a real node to start and kill, and the `duly` command."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
PLACE: Final = Path(os.environ.get("DULY_DEMO_DIR") or ROOT).resolve() / ".duly-demo"
HOME: Final = PLACE / "home"
WORK: Final = PLACE / "work"
HOLD: Final = PLACE / "hold"
NODE_LOG: Final = PLACE / "node.log"
WAIT_S: Final = 20.0
DULY: Final = (sys.executable, "-m", "duly")
MARK: Final = "REPO_DIGEST_DEMO"
ENVIRONMENT: Final = {
    **{name: value for name, value in os.environ.items() if not name.startswith("DULY_")},
    # Not DULY_HOME: whoever looks around in the demo's data directory has that in a shell.
    MARK: str(PLACE),
    "DULY_HOME": str(HOME),
    "DULY_TIMEZONE": "UTC",
}


class DemoError(Exception):
    """A claim is not true, or something is missing; the text says what."""


class Node:
    """A real `duly serve`, started, killed and stopped by its process id."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._node: subprocess.Popen[bytes] | None = None
        self._address = ""

    def start(self) -> int:
        """Start it, wait until it answers, and return its process id."""
        seen = NODE_LOG.stat().st_size if NODE_LOG.exists() else 0
        with NODE_LOG.open("ab") as log:
            self._node = subprocess.Popen(
                [*DULY, "serve", "--bind", "127.0.0.1:0"],
                cwd=WORK,
                env=ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        node = self._node
        wait_for(
            lambda: node.poll() is not None or _address(seen) is not None,
            "the node says its address",
        )
        if node.poll() is not None:
            raise DemoError(f"the node did not start: {NODE_LOG.read_bytes()[seen:].decode()}")
        self._address = _address(seen) or ""
        return node.pid

    def ask(self, name: str, **body: object) -> Any:
        """Ask the node itself, as the command does, but without starting a command for it."""
        token = (HOME / "token").read_text(encoding="utf-8").strip()
        connection = http.client.HTTPConnection(self._address, timeout=WAIT_S)
        with closing(connection):
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            connection.request("POST", f"/v1/ops/{name}", json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read().decode()
        if response.status != http.HTTPStatus.OK:
            raise DemoError(f"{name} was answered with {response.status}: {text}")
        return json.loads(text)

    def kill(self) -> None:
        """End it with SIGKILL: it cannot tidy up or record anything."""
        assert self._node is not None
        self._node.send_signal(signal.SIGKILL)
        self._node.wait()

    def stop(self) -> None:
        """End it, if it runs: first politely."""
        if self._node is None or self._node.poll() is not None:
            return
        self._node.terminate()
        try:
            self._node.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.kill()


def _address(seen: int) -> str | None:
    """Return where the node listens, as it says in its log behind byte `seen`."""
    found = re.search(rb"http://(127\.0\.0\.1:\d+)", NODE_LOG.read_bytes()[seen:])
    return found and found[1].decode()


def duly(*arguments: str) -> Any:
    """Carry out a command and return its JSON document; raise DemoError when it fails."""
    ended = subprocess.run(
        [*DULY, *_json(arguments)],
        cwd=WORK,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        command = " ".join(("duly", *arguments))
        said = ended.stderr.strip() or ended.stdout.strip()
        raise DemoError(f"`{command}` ended with {ended.returncode}: {said}")
    return json.loads(ended.stdout)


def _json(arguments: tuple[str, ...]) -> list[str]:
    """Put `--json` before the words of a command that is handed on as it is."""
    place = arguments.index("--") if "--" in arguments else len(arguments)
    return [*arguments[:place], "--json", *arguments[place:]]


def shown(*arguments: str) -> None:
    """Carry out a command and let it print."""
    print(f"\n$ duly {' '.join(arguments)}", flush=True)
    subprocess.run([*DULY, *arguments], cwd=WORK, env=ENVIRONMENT, check=False)


def wait_for(is_so: Callable[[], bool], words: str) -> None:
    """Look again and again until it is so; raise DemoError when that takes too long."""
    until = time.monotonic() + WAIT_S
    while not is_so():
        if time.monotonic() > until:
            raise DemoError(f"waited {WAIT_S:.0f} s in vain until {words}")
        time.sleep(0.05)


def living(*marks: str) -> list[int]:
    """Return processes whose environment holds one of the marks; none where the system does not say."""
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            environment = b"\0" + place.read_bytes()
        except OSError:
            continue
        if any(f"\0{mark}".encode() in environment for mark in marks):
            found.append(int(place.parent.name))
    return found


def ours() -> list[int]:
    """Return the processes of a demo in this place: node and commands by their mark, programs by where they work."""
    return living(f"{MARK}={PLACE}\0", f"DULY_ROOT={HOME}/")


def end_leftovers() -> None:
    """Wait until nothing of the demo lives: a launcher outlives its node by a moment. What stays is ended."""
    until = time.monotonic() + WAIT_S
    while ours() and time.monotonic() < until:
        time.sleep(0.05)
    for pid in ours():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def make_place() -> None:
    """Make an empty directory for the demo. Raises DemoError when another one is at work in it."""
    if others := ours():
        raise DemoError(f"another demo is at work in {PLACE}: process {others[0]}")
    if PLACE.exists():
        shutil.rmtree(PLACE)
    WORK.mkdir(parents=True)
