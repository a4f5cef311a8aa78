"""Proves that everything an execution started is dead, or says who is not, or that it cannot be known."""

import os
import select
import signal
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from duly.adapters.launch import living
from duly.adapters.launch.living import Living
from duly.adapters.launch.request import TOKEN_VARIABLE

_ROUNDS_MAX: Final = 100
_WAIT_MS: Final = 50
_PATIENCE_MS: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFacts:
    """What the ledger knows about one execution; None for what was not yet told when the node ended.

    `record` is the file in which the launcher repeats its status lines: it survives the node.
    """

    boot_id: str
    run_token: str
    launcher_pid: int | None = None
    launcher_ticks: int | None = None
    pid: int | None = None
    start_ticks: int | None = None
    record: Path | None = None


class Death(Enum):
    """Why nobody of a tree can live."""

    OTHER_BOOT = "the machine was started again since"
    OTHER_CONTAINER = "the container was started again since"
    LAUNCHER_SAID_EMPTY = "the launcher reported that nobody was left"
    NEVER_FORKED = "the launcher ended before it started anything"
    KILLED_UNDER_LAUNCHER = "everybody below the living launcher was killed, then the launcher"
    ADOPTED_AND_KILLED = (
        "the launcher was lost; this node adopted all it had started and killed them"
    )


@dataclass(frozen=True, slots=True)
class Dead:
    """Nobody of the tree lives; `is_certain` is false where the system allows only a weaker proof."""

    reason: Death
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Alive:
    """These pids belong to the tree and live."""

    pids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Unprovable:
    """Nobody was found, which is no proof: the launcher ended without saying that the tree was empty."""

    reason: str


Verdict = Dead | Alive | Unprovable


def prove_dead(facts: ExecutionFacts) -> Verdict:
    """Say what is known about the tree now; a dead launcher alone proves nothing."""
    restarted = _restarted(facts.boot_id, living.boot_id())
    if restarted is not None:
        return restarted
    said = _said(facts)
    if said is not None and {"empty", "empty?"} & set(said):
        return Dead(Death.LAUNCHER_SAID_EMPTY, is_certain="empty" in said)
    if not living.IS_LINUX:
        return Unprovable(
            "this system does not show who lives; the launcher did not report an empty tree"
        )
    members = tree_of(facts)
    if members:
        return Alive(tuple(one.pid for one in members))
    if facts.record is not None and _never_forked(facts, said):
        return Dead(Death.NEVER_FORKED)
    return Unprovable("the launcher ended without reporting an empty tree; nobody of it was found")


def tree_of(facts: ExecutionFacts) -> tuple[Living, ...]:
    """Return whoever lives and may belong: launcher, program, all below them, their sessions, carriers of the token."""
    everyone = tuple(one for one in living.everybody() if not one.is_dead)
    proven = _proven_among(everyone, facts)
    leaders = {facts.launcher_pid, facts.pid} - {None}
    pids = {one.pid for one in proven}
    suspects = (one for one in everyone if one.session in leaders and one.pid not in pids)
    first = facts.launcher_ticks or 0
    return proven + tuple(one for one in suspects if one.start_ticks >= first)


def kill_leftovers(facts: ExecutionFacts) -> Verdict:
    """Kill exactly those who are proven to belong, the launcher last, until none is left; return what is known then.

    Members of the sessions that carry no token and have no recorded ancestor are reported, never killed.
    Blocks for at most a few seconds.
    """
    verdict = prove_dead(facts)
    if not isinstance(verdict, Alive):
        return verdict
    launcher = _recorded(facts.launcher_pid, facts.launcher_ticks)
    if launcher is not None:
        # A launcher that was stopped kills its tree itself once it goes on and sees the node's pipe closed.
        _signal_and_wait([launcher], number=signal.SIGCONT, wait_ms=_PATIENCE_MS)
    if not _kill_below(facts, launcher) or launcher is None:
        return prove_dead(facts)
    # While the launcher lived nobody could leave its tree, so an empty tree under it is the whole proof.
    is_proof = _recorded(facts.launcher_pid, facts.launcher_ticks) is not None
    _signal_and_wait([launcher])
    after = prove_dead(facts)
    return (
        Dead(Death.KILLED_UNDER_LAUNCHER) if is_proof and isinstance(after, Unprovable) else after
    )


def _kill_below(facts: ExecutionFacts, launcher: Living | None) -> bool:
    """Kill all but the launcher until two looks in a row find nobody living, and the same dead.

    A look may miss one whose parent ends meanwhile; but that parent then waits, dead, for the launcher to reap it.
    """
    before: set[int] | None = None
    for _ in range(_ROUNDS_MAX):
        everyone = living.everybody()
        members = _proven_among(tuple(one for one in everyone if not one.is_dead), facts)
        spared = {launcher.pid} if launcher else set()
        victims = [one for one in members if one.pid not in spared]
        dead = {one.pid for one in living.below(spared, everyone) if one.is_dead}
        if not victims and dead == before:
            return True
        before = dead
        _signal_and_wait(victims)
    return False


def _restarted(then: str, here: str) -> Verdict | None:
    """Judge by the ids of the boots alone; None when both are the same or unknown."""
    if not then or not here or then == here:
        return None
    (boot_then, _, container_then), boot_here = then.partition("."), here.partition(".")[0]
    if boot_then != boot_here:
        return Dead(Death.OTHER_BOOT)
    if container_then:
        # Not certain: the ledger may have moved while the old container, without its node, still runs.
        return Dead(Death.OTHER_CONTAINER, is_certain=False)
    return Unprovable("it ran outside this container")


def _said(facts: ExecutionFacts) -> tuple[str, ...] | None:
    """Return the complete lines of the launcher's record, or None when there is no such file."""
    if facts.record is None:
        return None
    try:
        text = facts.record.read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    return tuple(text.split("\n")[:-1])


def _never_forked(facts: ExecutionFacts, said: tuple[str, ...] | None) -> bool:
    """The launcher's first line comes before its fork; a missing record counts only if no launcher was known."""
    return not said if said is not None else facts.launcher_pid is None


def _recorded(pid: int | None, ticks: int | None) -> Living | None:
    """Return the living owner of the pid if it is the recorded one."""
    found = living.find(pid) if pid is not None else None
    return found if found and found.start_ticks == ticks and not found.is_dead else None


def _proven_among(everyone: tuple[Living, ...], facts: ExecutionFacts) -> tuple[Living, ...]:
    known = {(facts.launcher_pid, facts.launcher_ticks), (facts.pid, facts.start_ticks)}
    variable = f"{TOKEN_VARIABLE}={facts.run_token}".encode()
    me = os.getpid()
    roots = [
        one
        for one in everyone
        if one.pid != me
        and ((one.pid, one.start_ticks) in known or living.carries(one.pid, variable))
    ]
    pids = {one.pid for one in roots}
    descendants = living.below(pids, everyone)
    return (*roots, *(one for one in descendants if one.pid not in pids))


def _signal_one(one: Living, number: signal.Signals) -> int | None:
    """Signal exactly this one; return a descriptor that becomes readable at its end, or None if it is gone."""
    try:
        alive = os.pidfd_open(one.pid)
    except OSError:
        return None
    try:
        # The descriptor holds whoever has the pid now; the start time says whether that is still the one meant.
        if living.start_ticks(one.pid) == one.start_ticks:
            signal.pidfd_send_signal(alive, number)
            return alive
    except OSError:
        pass
    os.close(alive)
    return None


def _signal_and_wait(
    members: list[Living], *, number: signal.Signals = signal.SIGKILL, wait_ms: int = _WAIT_MS
) -> None:
    """Signal all, then wait until the first of them ends or a moment has passed."""
    ends = [end for one in members if (end := _signal_one(one, number)) is not None]
    poller = select.poll()
    for end in ends:
        poller.register(end, select.POLLIN)
    if ends:
        poller.poll(wait_ms)
    for end in ends:
        os.close(end)
