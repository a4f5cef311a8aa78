"""Who lives on this machine: pids with their start times, as /proc tells them."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

IS_LINUX: Final = sys.platform == "linux"
_DEAD: Final = "ZX"
_FIRST_PID_NAMESPACE: Final = (
    0xEFFFFFFC  # PROC_PID_INIT_INO: the machine's own, which ends only with the boot
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Living:
    """One entry of the machine's table: pid and start time together name it for as long as the machine is up."""

    pid: int
    parent: int
    session: int
    state: str
    start_ticks: int

    @property
    def is_dead(self) -> bool:
        """Say whether it ended and only waits to be reaped."""
        return self.state in _DEAD


def boot_id() -> str:
    """Return the id of this boot; in a container `BOOT.TICKS`, with the start of the container's first program.

    Empty where the system has none. When a container's first program ends, the kernel kills all the others.
    """
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as found:
            boot = found.read().strip()
        is_machine = os.stat("/proc/self/ns/pid").st_ino == _FIRST_PID_NAMESPACE
    except OSError:
        return ""
    return boot if is_machine else f"{boot}.{start_ticks(1)}"


def find(pid: int) -> Living | None:
    """Return whoever has this pid now, or None."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            fields = stat.read().rsplit(b")", 1)[1].split()
    except OSError:
        return None
    return Living(
        pid=pid,
        parent=int(fields[1]),
        session=int(fields[3]),
        state=fields[0].decode(),
        start_ticks=int(fields[19]),
    )


def start_ticks(pid: int) -> int:
    """Return when the pid's owner started, in clock ticks since boot; 0 when nobody has it or it is not known."""
    found = find(pid)
    return found.start_ticks if found else 0


def everybody() -> tuple[Living, ...]:
    """Return all who are seen; whoever starts or ends meanwhile may be missing."""
    if not IS_LINUX:
        return ()
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return tuple(one for one in map(find, pids) if one is not None)


def own_children() -> tuple[int, ...]:
    """Return the pids of our direct children, ended ones included until they are reaped."""
    found: list[int] = []
    for thread in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/children", "rb") as children:
                found += map(int, children.read().split())
        except FileNotFoundError:
            # The thread has ended (its children moved to another), or this kernel keeps no such list.
            me = os.getpid()
            return tuple(one.pid for one in everybody() if one.parent == me)
    return tuple(found)


def below(tops: Iterable[int], living: Iterable[Living]) -> tuple[Living, ...]:
    """Return the descendants of `tops` among `living`, without the tops themselves."""
    children: dict[int, list[Living]] = {}
    for one in living:
        children.setdefault(one.parent, []).append(one)
    members: dict[int, Living] = {}
    parents = list(tops)
    while parents:
        for one in children.get(parents.pop(), ()):
            if one.pid not in members:
                members[one.pid] = one
                parents.append(one.pid)
    return tuple(members.values())


def carries(pid: int, variable: bytes) -> bool:
    """Say whether the environment that the pid's program started with holds `NAME=value` exactly.

    False also when it may not be read: an environment can convict, its absence acquits nobody.
    """
    try:
        with open(f"/proc/{pid}/environ", "rb") as found:
            return variable in found.read().split(b"\0")
    except OSError:
        return False
