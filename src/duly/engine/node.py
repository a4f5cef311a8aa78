"""What the loops of one process start share: who they are, what they hold, and whether they still take work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from duly.engine.clocks import Clocks
from duly.engine.requests import Steps, Woke
from duly.engine.settings import Settings
from duly.model.claims import Claim
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.model.run import ClaimedRun
from duly.model.zone import Zone

Runner = Callable[["Node", ClaimedRun], Steps[None]]
"""What works on a claimed run until it is settled, parked or lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Where a node lives, as its row in the ledger names it."""

    name: str
    pid: int
    boot_id: str
    tzdata: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TellBy:
    """How people are told where a definition says nothing; neither: nobody is."""

    argv: tuple[str, ...] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A claim of this node, and its own deadline: counted from before the claim or its renewal was asked for.

    `is_overdue`: the holder was told that its deadline passed, and may do nothing until it hears `renewed`.
    """

    claim: Claim
    until: Instant
    until_elapsed_us: int
    is_overdue: bool = False


@dataclass(slots=True, kw_only=True)
class Node:
    """Shared by the loops of one node, on the engine thread; others only read it.

    `owner` is new for each process start. `is_only_owner`: this process holds the data directory's lock, so every older
    owner is dead. `zones` may load what it is asked for. `new_id` answers ids that nobody else has. While
    `is_low_on_space` says so, nothing new is admitted.
    """

    owner: str
    host: Host
    settings: Settings
    zones: Mapping[str, Zone]
    new_id: Callable[[], str]
    runner: Runner
    is_only_owner: bool
    tell_by: TellBy = field(default_factory=TellBy)
    is_low_on_space: Callable[[], bool] = lambda: False
    is_draining: bool = False
    held: dict[RunId, Held] = field(default_factory=dict)
    clocks: Clocks = field(default_factory=Clocks)
    started: int = 0
    scans: int = 0
    tried_us: int | None = None
    scanned_us: int | None = None
    noted_us: int = 0
    failed_admissions: int = 0
    lost_admissions: int = 0
    outage: str | None = None
    """Why the last write of the scanner failed."""
    died_us: dict[str, int] = field(default_factory=dict)
    """When, on the awake clock, each service that ended by a bug did so last."""
    verdict: str | None = None
    """Why this node gave up; the watchdog ends the process once it is set."""

    @property
    def actor(self) -> str:
        """The name under which this node's loops write into the audit."""
        return f"node:{self.owner}"

    def hold(self, claim: Claim, asked: Woke) -> None:
        """Note that a claim, or its renewal, was asked for at `asked` and granted."""
        lease_us = self.settings.lease_us
        self.held[claim.run_id] = Held(
            claim=claim,
            until=Instant(asked.at + lease_us),
            until_elapsed_us=asked.elapsed_us + lease_us,
        )

    def release(self, claim: Claim) -> None:
        """Renew this claim no more: its run is over, parked or lost."""
        held = self.held.get(claim.run_id)
        if held is not None and held.claim == claim:
            del self.held[claim.run_id]

    def holds(self, claim: Claim) -> bool:
        """Say whether a runner of this node still lives under that claim."""
        held = self.held.get(claim.run_id)
        return held is not None and held.claim == claim

    def not_after(self, claim: Claim) -> Instant:
        """Return the instant after which nothing may be sent under a claim; 0 once it is not held any more."""
        return self.held[claim.run_id].until if self.holds(claim) else Instant(0)

    def mark_overdue(self, run_id: RunId) -> None:
        """Note that the holder was told of its deadline."""
        self.held[run_id] = replace(self.held[run_id], is_overdue=True)
