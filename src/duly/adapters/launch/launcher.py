"""Runs one program: a session of its own, a subreaper above it, and a tree that dies with the node's pipe.

Started by `launch.py` with `python -I -S`, as `main(LIFE, STATUS, RECORD)` (descriptors; RECORD -1: none), with
stdout and stderr of the program. The node writes one request into LIFE (`frame` in `launch.py`), then single-letter
commands; its end closing means: kill the tree. Lines said on STATUS, and appended to RECORD:

    launcher PID TICKS       before anything is forked
    started PID TICKS        the program runs
    failed STAGE ERRNO       nothing was started (STAGE: fork, prepare, cwd or program)
    stopped COUNT | stopping COUNT | going
    exited CODE | signalled NUMBER
    empty                    nobody of the tree lives (`empty?`: this system cannot prove it)
"""

# Imports are counted: `ctypes`, `signal` and `subprocess` would each cost more than the interpreter's start.
import _ctypes
import _signal  # type: ignore[import-not-found]
import errno
import os
import select
import sys

SET_PARENT_DEATH_SIGNAL, SET_CHILD_SUBREAPER = 1, 36
IS_LINUX = sys.platform == "linux"
COMMANDS = {b"s": _signal.SIGSTOP, b"g": _signal.SIGCONT, b"t": _signal.SIGTERM}
# What a program may send to its parent without asking; SIGKILL and SIGSTOP are left, and are seen by the node.
DEAF_TO = (
    _signal.SIGHUP,
    _signal.SIGINT,
    _signal.SIGQUIT,
    _signal.SIGTERM,
    _signal.SIGUSR1,
    _signal.SIGUSR2,
)
LENGTH_BYTES = 10  # a frame starts with its length in decimal digits
FREEZE_ROUNDS_MAX = 50
WAIT_MS_MAX = 250


class Request:
    """What to run: the fields of the node's frame, all bytes."""

    def __init__(self, fields: list[bytes]) -> None:
        """Take umask, whether to linger, directory, argument count, arguments, then `NAME=value` fields."""
        self.umask = int(fields[0])
        self.lingers = fields[1] == b"1"
        self.cwd = fields[2]
        count = int(fields[3])
        self.argv = fields[4 : 4 + count]
        self.env = dict(field.split(b"=", 1) for field in fields[4 + count :])


class Living:
    """One line of the machine's table of the living."""

    def __init__(self, pid: int) -> None:
        """Read it; raises OSError when nobody has that number."""
        with open(f"/proc/{pid}/stat", "rb") as stat:
            fields = stat.read().rsplit(b")", 1)[1].split()
        self.pid = pid
        self.is_stopped = fields[0] in b"TtZX"
        self.parent = int(fields[1])
        self.ticks = int(fields[19])


def prctl(option: int, value: int) -> None:
    """Call prctl(2); a failure is not reported, the proofs notice what is missing."""
    library = _ctypes.dlopen(None, 2)  # type: ignore[arg-type]  # None: what is loaded already
    _ctypes.call_function(_ctypes.dlsym(library, "prctl"), (option, value, 0, 0, 0))


def ticks(pid: int) -> int:
    """Return the start time in clock ticks since boot; 0 where that is not known."""
    return Living(pid).ticks if IS_LINUX else 0


def below(top: int) -> list[Living]:
    """Return everybody under `top`, whatever session or group they moved to."""
    found: dict[int, list[Living]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                one = Living(int(name))
            except OSError:
                continue
            found.setdefault(one.parent, []).append(one)
    members: list[Living] = []
    parents = [top]
    while parents:
        here = found.get(parents.pop(), [])
        members += here
        parents += [one.pid for one in here]
    return members


def own_children() -> list[int]:
    """Return the pids of direct children; each stays ours until we reap it, so none can name a stranger."""
    me = os.getpid()
    try:
        with open(f"/proc/self/task/{me}/children", "rb") as found:
            return [int(pid) for pid in found.read().split()]
    except FileNotFoundError:  # a kernel without CONFIG_PROC_CHILDREN
        return [one.pid for one in below(me) if one.parent == me]


def kill(pid: int, number: int) -> None:
    """Signal a child that was not reaped yet (or, negative, its group)."""
    try:
        os.kill(pid, number)
    except (PermissionError, ProcessLookupError):
        return  # run by another user, or a group without members: nothing to do but wait


def send(one: Living, number: int) -> None:
    """Signal exactly this one; its number may have passed to a stranger since it was read."""
    try:
        alive = os.pidfd_open(one.pid)
    except OSError:
        return
    try:
        if Living(one.pid).ticks == one.ticks:
            _signal.pidfd_send_signal(alive, number)
    except OSError:
        pass  # gone meanwhile, or run by another user: it stays in the count
    finally:
        os.close(alive)


def run_program(program: bytes, argv: list[bytes], env: dict[bytes, bytes]) -> None:
    """Become the program, looked up in the PATH of its own environment; raises OSError when that cannot be."""
    if b"/" in program:
        os.execve(program, argv, env)
    denied: OSError | None = None
    for directory in env.get(b"PATH", b"/usr/bin:/bin").split(b":"):
        try:
            os.execve(os.path.join(directory or b".", program), argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            denied = error
    raise denied or FileNotFoundError(errno.ENOENT, "not in PATH")


def become(request: Request, launcher: int, failure: int) -> None:
    """Turn this fork into the program; on failure write `STAGE ERRNO` and end."""
    stage = b"prepare"
    try:
        if IS_LINUX:
            prctl(SET_PARENT_DEATH_SIGNAL, _signal.SIGKILL)
        if os.getppid() != launcher:
            os._exit(127)
        os.setsid()
        for number in _signal.valid_signals():
            if number not in (_signal.SIGKILL, _signal.SIGSTOP):
                _signal.signal(number, _signal.SIG_DFL)
        os.umask(request.umask)
        stage = b"cwd"
        os.chdir(request.cwd)
        stage = b"program"
        run_program(request.argv[0], request.argv, request.env)
    except OSError as error:
        os.write(failure, b"%s %d" % (stage, error.errno or 0))
    finally:
        os._exit(127)


class Launcher:
    """The one who stands between the node and the program."""

    def __init__(self, life: int, status: int, record: int) -> None:
        """Become the reaper of all that is started below; the node has given us a session of our own."""
        self.life, self.status, self.record = life, status, record
        self.child = 0
        self.failure = -1
        self.is_over = False
        for descriptor in (life, status, record):
            if descriptor >= 0:
                os.set_inheritable(descriptor, False)  # noqa: FBT003
        self.wake, wake_write = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(wake_write, False)
        for number in DEAF_TO:
            _signal.signal(number, _signal.SIG_IGN)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(wake_write)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
        if IS_LINUX:
            prctl(SET_CHILD_SUBREAPER, 1)

    def say(self, text: str) -> None:
        """Tell the record first, then the node; either may be gone."""
        for descriptor in (self.record, self.status):
            try:
                if descriptor >= 0:
                    os.write(descriptor, text.encode() + b"\n")
            except OSError:
                continue

    def read_request(self) -> Request | None:
        """Return the node's request, or None when the node ended before it was complete."""
        data = b""
        wanted = LENGTH_BYTES
        while len(data) < wanted:
            part = os.read(self.life, wanted - len(data))
            if not part:
                return None
            data += part
            if len(data) == LENGTH_BYTES:
                wanted += int(data)
        return Request(data[LENGTH_BYTES:].split(b"\0"))

    def start(self, request: Request) -> None:
        """Fork the program; whether it runs is known when `failure` closes."""
        me = os.getpid()
        self.failure, failure_write = os.pipe()
        try:
            self.child = os.fork()
        except OSError as error:
            os.write(failure_write, b"fork %d" % (error.errno or 0))
            self.child = -1
        if self.child == 0:
            become(request, me, failure_write)
        os.close(failure_write)

    def watch(self) -> None:
        """Return when the program ended or the node's pipe closed."""
        poller = select.poll()
        poller.register(self.life, select.POLLIN | select.POLLHUP)
        poller.register(self.wake, select.POLLIN)
        poller.register(self.failure, select.POLLIN | select.POLLHUP)
        while not self.is_over:
            ready = {descriptor for descriptor, _ in poller.poll()}
            if self.failure in ready:
                poller.unregister(self.failure)
                self.tell_start()
            if not self.heed(ready):
                return

    def linger(self) -> None:
        """Return when nobody of the tree is left, or the node's pipe closed."""
        poller = select.poll()
        poller.register(self.life, select.POLLIN | select.POLLHUP)
        poller.register(self.wake, select.POLLIN)
        while self.reap():
            if not self.heed({descriptor for descriptor, _ in poller.poll()}):
                return

    def heed(self, ready: set[int]) -> bool:
        """Collect who ended, and do what the node says; False: its pipe closed."""
        if self.wake in ready:
            os.read(self.wake, 512)
            self.reap()
        if self.life not in ready:
            return True
        letter = os.read(self.life, 1)
        if letter:
            self.obey(letter)
        return bool(letter)

    def tell_start(self) -> None:
        """Say how the start went, once."""
        if self.failure < 0:
            return
        verdict = os.read(self.failure, 64).decode()
        os.close(self.failure)
        self.failure = -1
        if verdict:
            self.child = 0  # its end is not the program's end
            self.is_over = True
            self.say(f"failed {verdict}")
        else:
            self.say(f"started {self.child} {ticks(self.child)}")

    def obey(self, letter: bytes) -> None:
        """Send the commanded signal to the whole tree."""
        number = COMMANDS[letter]
        if not IS_LINUX:
            kill(-self.child, number)
        elif number == _signal.SIGSTOP:
            self.freeze()
        else:
            for one in below(os.getpid()):
                send(one, number)
            if number == _signal.SIGCONT:
                self.say("going")

    def freeze(self) -> None:
        """Stop the tree: go round until all are stopped and nobody came or went since the round before.

        A walk may miss one whose parent ends meanwhile. As nobody is reaped here, that one leaves a trace:
        the dead stay in the list, so a tree that still forks is never twice the same.
        """
        before: set[int] = set()
        for _ in range(FREEZE_ROUNDS_MAX):
            # Whoever just lost its parent is ours and quickly gone again: these first, without a walk.
            for pid in own_children():
                kill(pid, _signal.SIGSTOP)
            members = below(os.getpid())
            running = [one for one in members if not one.is_stopped]
            for one in running:
                send(one, _signal.SIGSTOP)
            found = {one.pid for one in members}
            if not running and found == before:
                self.say(f"stopped {len(members)}")
                return
            before = found
        self.say(f"stopping {len(running)}")

    def reap(self) -> bool:
        """Collect whoever ended; return False once nobody is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.child:
                self.tell_start()
                self.tell_end(os.waitstatus_to_exitcode(status))

    def tell_end(self, code: int) -> None:
        """Say how the program ended."""
        self.is_over = True
        if self.child:
            self.say(f"exited {code}" if code >= 0 else f"signalled {-code}")

    def kill_tree(self) -> None:
        """Kill until nobody is left: whoever loses its parent becomes our child, and is killed in the next round."""
        poller = select.poll()
        poller.register(self.wake, select.POLLIN)
        wait_ms = 1
        while self.reap():
            for pid in own_children() if IS_LINUX else [-self.child]:
                kill(pid, _signal.SIGKILL)
            # The list of children may miss one that arrives while it is read; look again, more and more slowly.
            if poller.poll(wait_ms):
                os.read(self.wake, 512)
            wait_ms = min(2 * wait_ms, WAIT_MS_MAX)
        self.say("empty" if IS_LINUX else "empty?")


def main(life: int, status: int, record: int) -> None:
    """Serve one node's pipe."""
    launcher = Launcher(life, status, record)
    launcher.say(f"launcher {os.getpid()} {ticks(os.getpid())}")
    request = launcher.read_request()
    if request is not None:
        launcher.start(request)
        launcher.watch()
        if request.lingers:
            launcher.linger()
    launcher.kill_tree()
