"""Verbs about runs for those who hold no claim: admission, claiming, rescue, operators, readers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from duly.model.effect import Effect, EffectCall, Publication
from duly.model.ids import AutomationId, ClaimId, EffectId, RunId
from duly.model.instant import Instant
from duly.model.run import (
    Artifact,
    Attempt,
    ClaimedRun,
    Execution,
    LateReport,
    Run,
    RunPin,
    Snapshot,
)
from duly.model.states import RunState


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimBatch:
    """Who claims how many ready runs: `on_time` others and `caught_up` of those that obey the start rate."""

    owner: str
    claim_id: ClaimId
    until: Instant
    on_time: int
    caught_up: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs to list, newest first; no `states` means any.

    `created_before` leaves out its own instant, but for runs of that instant whose id is below `before_run_id`: the
    last run of a page continues it.
    """

    automation_id: AutomationId | None = None
    states: tuple[RunState, ...] = ()
    created_before: Instant | None = None
    before_run_id: str = ""
    created_since: Instant | None = None
    limit: int = 50


class RunVerbs(Protocol):
    """Runs as seen from outside a claim."""

    def add_run(self, pin: RunPin, run: Run) -> bool:
        """Insert pin and run; False when the work identity exists."""
        ...

    def run(self, run_id: RunId) -> Run | None:
        """Return where a run stands."""
        ...

    def run_ids_like(self, beginning: str, limit: int) -> list[RunId]:
        """Return ids of runs that begin with a text."""
        ...

    def run_pin(self, run_id: RunId) -> RunPin | None:
        """Return what a run is for."""
        ...

    def runs(self, chosen: RunFilter) -> list[Run]:
        """Return the runs that a filter chooses, newest first."""
        ...

    def runs_of_window(self, automation_id: AutomationId, window_key: str) -> list[RunPin]:
        """Return the runs of a window, newest first."""
        ...

    def open_runs(self, automation_id: AutomationId) -> list[Run]:
        """Return runs that are not completed, cancelled or failed, oldest first."""
        ...

    def created_runs(self, after: tuple[Instant, RunId], limit: int) -> list[Run]:
        """Return runs that wait in `created`, oldest first."""
        ...

    def record_run(self, run: Run) -> bool:
        """Compare `run.version` and set every other column; never lowers the fence. For whoever holds no claim.

        The row's version becomes the record's plus one.
        """
        ...

    def claim_runs(self, batch: ClaimBatch) -> list[ClaimedRun]:
        """Claim ready runs, each under a new fence, state `collecting`; adds their attempts.

        On-time runs come before caught-up ones, then the highest priority, then those that wait longest. The reason and
        start of a wait are cleared; `start_by` stays, for a run may wait again before it starts. Whoever starts an
        execution clears it.
        """
        ...

    def next_claimable_at(self) -> Instant | None:
        """Return from when the first waiting run may be claimed; it may be past."""
        ...

    def expired_runs(self, limit: int) -> list[Run]:
        """Return held runs whose lease is over at this transaction's instant."""
        ...

    def held_runs(self, except_owner: str) -> list[Run]:
        """Return runs held by any other owner, whatever their lease."""
        ...

    def next_expiry_at(self) -> Instant | None:
        """Return the earliest end of a lease."""
        ...

    def overdue_runs(self, limit: int) -> list[Run]:
        """Return runs in `created` or `queued` whose `start_by` is over, longest overdue first."""
        ...

    def next_start_by(self) -> Instant | None:
        """Return the earliest `start_by` of a created or queued run."""
        ...

    def snapshot(self, run_id: RunId) -> Snapshot | None:
        """Return what every attempt of a run reads, once one has frozen it."""
        ...

    def attempts(self, run_id: RunId) -> list[Attempt]:
        """Return attempts, oldest first."""
        ...

    def executions(self, run_id: RunId) -> list[Execution]:
        """Return executions, oldest first."""
        ...

    def effect(self, effect_id: EffectId) -> Effect | None:
        """Return one effect."""
        ...

    def effects_of_run(self, run_id: RunId) -> list[Effect]:
        """Return the effects that the run touched last or ever tried, oldest first."""
        ...

    def effects_of_window(self, automation_id: AutomationId, window_key: str) -> list[Effect]:
        """Return the effects of a window, oldest first."""
        ...

    def effect_calls(self, effect_id: EffectId) -> list[EffectCall]:
        """Return the tries at an effect, oldest first."""
        ...

    def resolve_effect(self, run: Run, effect: Effect) -> bool:
        """Set an open effect's state, external id and result, while nobody holds `run` and its version is unchanged.

        The effect has to be of the run's automation and still at the record's update number; `since` is this instant.
        """
        ...

    def artifacts(self, run_id: RunId) -> list[Artifact]:
        """Return the result files of a run, oldest first."""
        ...

    def newest_publication(self, workspace_id: str, path: str) -> Publication | None:
        """Return what a path holds now."""
        ...

    def resolve_publication(self, run: Run, publication: Publication) -> bool:
        """Note a path's next replacement by a person's word, while nobody holds `run` and its version is unchanged.

        The number is the newest's plus one, else False.
        """
        ...

    def publications_of_run(self, run_id: RunId) -> list[Publication]:
        """Return what a run published, oldest first."""
        ...

    def late_reports(self, run_id: RunId) -> list[LateReport]:
        """Return what holders of a run knew too late, oldest first."""
        ...

    def newest_runs(self, automation_ids: Sequence[AutomationId]) -> list[Run]:
        """Return the newest run of each automation that has one."""
        ...
