"""The service itself: its processes, its clocks, its workspaces."""

from dataclasses import dataclass
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.automation import Workspace
from duly.model.instant import Instant
from duly.model.records import Node

_SCOPE: Final = "node"


def register(tx: Tx, node: Node) -> None:
    """Record that a process of the service started."""
    if tx.add_node(node):
        body = {"owner": node.owner, "host": node.host, "pid": node.pid, "tzdata": node.tzdata}
        tx.audit(_SCOPE, "node.started", body, f"node:{node.owner}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A sign of life, with the instant of the last finished scan if there was a new one."""

    owner: str
    scanned_at: Instant | None = None


def seen(tx: Tx, command: Seen) -> None:
    """Record a sign of life."""
    tx.record_node_seen(command.owner, command.scanned_at)


def stopped(tx: Tx, owner: str) -> None:
    """Record that a process of the service ended as it should."""
    tx.record_node_stopped(owner)
    tx.audit(_SCOPE, "node.stopped", {"owner": owner}, f"node:{owner}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStep:
    """What the clocks of a node did between two looks: µs on the wall, µs that really passed.

    `kind`: `step` (the wall clock was set) or `suspend` (the machine slept).
    """

    owner: str
    wall_us: int
    elapsed_us: int
    kind: str


def note_clock_step(tx: Tx, step: ClockStep) -> None:
    """Record that time did not pass as it should, for whoever wonders about a slot later."""
    body = {"owner": step.owner, "wall_us": step.wall_us, "elapsed_us": step.elapsed_us}
    tx.audit(_SCOPE, f"clock.{step.kind}", body, f"node:{step.owner}")


@dataclass(frozen=True, slots=True, kw_only=True)
class InitWorkspace:
    """A workspace with its default zone."""

    workspace_id: str
    zone: str
    actor: str


def init_workspace(tx: Tx, command: InitWorkspace) -> Workspace:
    """Create a workspace, or return it as it was created first."""
    wanted = Workspace(workspace_id=command.workspace_id, zone=command.zone, created_at=tx.at)
    if tx.add_workspace(wanted):
        body = {"zone": command.zone}
        tx.audit(f"workspace:{command.workspace_id}", "workspace.created", body, command.actor)
        return wanted
    found = tx.workspace(command.workspace_id)
    assert found is not None
    return found
