"""The node's side of a launch: one pipe that says the node lives, one that tells how the tree fares."""

import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from duly.adapters.launch import living
from duly.adapters.launch.events import (
    Empty,
    Event,
    LauncherLost,
    NotStarted,
    NotStartedReason,
    Output,
    Started,
    Stream,
    not_started,
    told,
)
from duly.adapters.launch.proof import Alive, Dead, Death, ExecutionFacts, Unprovable, Verdict
from duly.adapters.launch.request import TOKEN_VARIABLE, Launch, frame

# As a module its bytecode is kept; as a script it would be compiled at every start, which costs as much as the rest.
_CODE: Final = "import sys; sys.path.append(sys.argv[1]); import launcher; launcher.main(*map(int, sys.argv[2:]))"
_PYTHON: Final = os.path.realpath(sys.executable)  # not the venv's: with -I -S it needs no site
_READ_BYTES: Final = 65_536
_SET_CHILD_SUBREAPER: Final = 36
_GET_CHILD_SUBREAPER: Final = 37
_IDLE_ROUNDS_MAX: Final = 400
_WAIT_MS: Final = 5


class Launched:
    """One launch under way. Poll `fds`, feed each that is readable; all methods return at once.

    Not for two threads at a time. Ends are reported once each; it is over when `fds` is empty.
    """

    def __init__(
        self, *, request: Launch, facts: ExecutionFacts, pipes: "_Pipes", reap: Callable[[], None]
    ) -> None:
        """Own our ends of the pipes from now on; `reap` collects the ended launcher."""
        self.facts = facts
        self._request = request
        self._life: int | None = pipes.life[1]
        self._status: int | None = pipes.status[0]
        self._outputs = pipes.outputs
        self._reap = reap
        self._line = b""
        self._is_empty = False

    @property
    def fds(self) -> tuple[int, ...]:
        """The descriptors that may still say something; empty when all is said."""
        status = () if self._status is None else (self._status,)
        return (*status, *self._outputs)

    @property
    def is_ended(self) -> bool:
        """Whether the launcher ended and was reaped; after `LauncherLost`, survivors may still hold the outputs."""
        return self._status is None

    def feed(self, fd: int) -> tuple[Event, ...]:
        """Read once from a readable descriptor (64 KiB at most) and return what that means, in order."""
        try:
            data = os.read(fd, _READ_BYTES)
        except BlockingIOError:
            return ()
        if fd == self._status:
            return self._feed_status(data)
        if data:
            return (Output(self._outputs[fd], data),)
        del self._outputs[fd]
        os.close(fd)
        return ()

    def freeze(self) -> None:
        """Stop the whole tree where it stands; `Frozen` follows."""
        self._command(b"s")

    def thaw(self) -> None:
        """Let a frozen tree go on; `Thawed` follows."""
        self._command(b"g")

    def terminate(self) -> None:
        """Ask the whole tree to end (SIGTERM, once each); `kill` after the grace."""
        self._command(b"t")

    def kill(self) -> None:
        """Kill the tree by closing the node's pipe; `Empty` follows, unless the launcher was lost."""
        if self._life is not None:
            os.close(self._life)
            self._life = None
            self._wake_launcher()

    def close(self) -> None:
        """Kill, and stop listening. Whoever wants proof reads on until `Empty` first."""
        self.kill()
        for fd in self.fds:
            os.close(fd)
        self._status = None
        self._outputs.clear()

    def _command(self, letter: bytes) -> None:
        if self._life is None:
            return
        with suppress(BrokenPipeError):  # the launcher is gone: its status pipe tells the rest
            os.write(self._life, letter)
        self._wake_launcher()

    def _wake_launcher(self) -> None:
        """Let the launcher go on if its own program stopped it; until it is reaped its pid is nobody else's."""
        if self._status is not None and self.facts.launcher_pid is not None:
            os.kill(self.facts.launcher_pid, signal.SIGCONT)

    def _feed_status(self, data: bytes) -> tuple[Event, ...]:
        if not data:
            assert self._status is not None
            os.close(self._status)
            self._status = None
            self.kill()
            # The pipe closes just before the launcher's children are handed on: once it is reaped, they are.
            self._reap()
            return () if self._is_empty else (LauncherLost(),)
        *lines, self._line = (self._line + data).split(b"\n")
        events = (self._event(line.decode().split(" ")) for line in lines)
        return tuple(event for event in events if event is not None)

    def _event(self, words: list[str]) -> Event | None:
        match words:
            case ["launcher", _, _]:
                return None
            case ["started", pid, ticks]:
                self.facts = replace(self.facts, pid=int(pid), start_ticks=int(ticks))
                return Started(facts=self.facts)
            case ["failed", stage, number]:
                return not_started(
                    stage, int(number), program=self._request.argv[0], cwd=str(self._request.cwd)
                )
            case _:
                event = told(words)
                self._is_empty = self._is_empty or isinstance(event, Empty)
                return event


class Launchers:
    """Starts launchers, and knows them apart from what a lost one leaves behind. One for a node; thread-safe."""

    def __init__(self) -> None:
        """Know nobody yet."""
        self._known: set[int] = set()
        self._lock = threading.Lock()

    def launch(self, request: Launch) -> Launched | NotStarted:
        """Start the request's launcher; whether its program runs comes as an event.

        Raises FileExistsError for a record that exists: it tells of another launch.
        """
        record = None if request.record is None else _create(request.record)
        pipes = _Pipes.open(is_merged=request.is_merged)
        try:
            with self._lock:
                launcher = _popen(request, pipes, record)
                self._known.add(launcher.pid)
        except OSError as error:
            pipes.close_ours()
            text = f"the launcher could not be started: {error}"
            return NotStarted(reason=NotStartedReason.SYSTEM, errno=error.errno or 0, text=text)
        finally:
            pipes.close_theirs()
            if record is not None:
                os.close(record)
        return self._attach(request, launcher, pipes)

    def prove_lost(self, facts: ExecutionFacts) -> Verdict:
        """Prove one tree dead whose launcher this node started and lost; a launcher that lives is reported alive."""
        if facts.launcher_pid in self._known:
            return Alive((facts.launcher_pid,))
        return self.kill_orphans()

    def kill_orphans(self) -> Verdict:
        """Kill and reap all that lost launchers left behind; Dead proves the tree of every lost launcher dead.

        It says nothing of a launcher that lives. Unprovable unless `adopt_orphans` was called, which must be
        before the first launch. Blocks while they die, at most a few seconds.
        """
        if not _is_adopting():
            return Unprovable("this node does not adopt what a lost launcher leaves")
        pause = select.poll()
        for _ in range(_IDLE_ROUNDS_MAX):
            while self._kill_and_reap():
                pass
            with self._lock:
                left = self._orphans()
            if not left:
                return Dead(Death.ADOPTED_AND_KILLED)
            pause.poll(_WAIT_MS)
        return Alive(tuple(one.pid for one in left))

    def _kill_and_reap(self) -> bool:
        """Kill every orphan; return whether any was reaped, for only then others may have come in its place.

        One is reaped only after all it had started became ours: when no orphan is left, nobody is.
        """
        with self._lock:
            orphans = self._orphans()
            for one in orphans:
                # Nobody else reaps them, so their pids cannot have passed on.
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(one.pid, signal.SIGKILL)
            return sum(_reap_ended(one.pid) for one in orphans) > 0

    def _orphans(self) -> tuple[living.Living, ...]:
        """Return our children that we did not start: nobody below a launcher can come back into our session."""
        session = os.getsid(0)
        found = (living.find(pid) for pid in living.own_children() if pid not in self._known)
        return tuple(one for one in found if one is not None and one.session != session)

    def _attach(
        self, request: Launch, launcher: subprocess.Popen[bytes], pipes: "_Pipes"
    ) -> Launched:
        def reap() -> None:
            with self._lock:
                launcher.wait()
                self._known.discard(launcher.pid)

        facts = ExecutionFacts(
            boot_id=living.boot_id(),
            run_token=request.run_token,
            launcher_pid=launcher.pid,
            launcher_ticks=living.start_ticks(launcher.pid),
            record=request.record,
        )
        # Blocks only beyond a pipe's capacity, and then no longer than the launcher's start.
        # A launcher that is gone already is told by its status pipe.
        with suppress(BrokenPipeError), os.fdopen(os.dup(pipes.life[1]), "wb") as life:
            life.write(frame(request))
        pipes.unblock_ours()
        return Launched(request=request, facts=facts, pipes=pipes, reap=reap)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pipes:
    """The pipes of one launch, each as (read end, write end)."""

    life: tuple[int, int]
    status: tuple[int, int]
    stdout: tuple[int, int]
    stderr: tuple[int, int] | None

    @classmethod
    def open(cls, *, is_merged: bool) -> Self:
        """Open all, none of them inherited by anybody who is not given it."""
        return cls(
            life=os.pipe(),
            status=os.pipe(),
            stdout=os.pipe(),
            stderr=None if is_merged else os.pipe(),
        )

    @property
    def outputs(self) -> dict[int, Stream]:
        """Our ends of the output pipes."""
        found = {self.stdout[0]: Stream.STDOUT}
        return found if self.stderr is None else {**found, self.stderr[0]: Stream.STDERR}

    def unblock_ours(self) -> None:
        """Let no read or write of ours wait."""
        for fd in (self.life[1], self.status[0], *self.outputs):
            os.set_blocking(fd, False)

    def close_ours(self) -> None:
        """Close the node's ends."""
        for fd in (self.life[1], self.status[0], *self.outputs):
            os.close(fd)

    def close_theirs(self) -> None:
        """Close the launcher's ends, which it has inherited."""
        stderr = () if self.stderr is None else (self.stderr[1],)
        for fd in (self.life[0], self.status[1], self.stdout[1], *stderr):
            os.close(fd)


def _is_adopting() -> bool:
    if not living.IS_LINUX:
        return False
    answer = ctypes.c_int()
    ctypes.CDLL(None).prctl(_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
    return bool(answer.value)


def adopt_orphans() -> bool:
    """Make this program the one to whom descendants fall when their launcher is lost; False if it cannot be.

    Called once, before the first launch. Without it a lost tree cannot be proven dead.
    """
    if not living.IS_LINUX:
        return False
    return bool(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def _create(record: Path) -> int:
    return os.open(record, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def _popen(request: Launch, pipes: _Pipes, record: int | None) -> subprocess.Popen[bytes]:
    given = (pipes.life[0], pipes.status[1], *(() if record is None else (record,)))
    numbers = (pipes.life[0], pipes.status[1], -1 if record is None else record)
    return subprocess.Popen(
        [_PYTHON, "-I", "-S", "-c", _CODE, str(Path(__file__).parent), *map(str, numbers)],
        stdin=subprocess.DEVNULL,
        stdout=pipes.stdout[1],
        stderr=subprocess.STDOUT if pipes.stderr is None else pipes.stderr[1],
        cwd="/",
        env={TOKEN_VARIABLE: request.run_token},
        pass_fds=given,
        start_new_session=True,
    )


def _reap_ended(pid: int) -> bool:
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return False
