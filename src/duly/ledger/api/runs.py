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
    """Which runs to list, newest first."""

    automation_id: AutomationId | None = None
    states: tuple[RunState, ...] = ()
    created_before: Instant | None = None
    created_since: Instant | None = None
    limit: int = 50


class RunVerbs(Protocol):
    """Runs as seen from outside a claim."""

    def add_run(self, pin: RunPin, run: Run) -> bool:
        """Insert pin and run; False when the work identity exists."""
        ...

    def run(self, run_id: RunId) -> Run | None: ...

    def run_pin(self, run_id: RunId) -> RunPin | None: ...

    def runs(self, chosen: RunFilter) -> list[Run]: ...

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
        """Compare `run.version` and set every other column; never lowers the fence. For whoever holds no claim."""
        ...

    def claim_runs(self, batch: ClaimBatch) -> list[ClaimedRun]:
        """Claim ready runs, each under a new fence, state `collecting`; adds their attempts."""
        ...

    def next_claimable_at(self) -> Instant | None: ...

    def expired_runs(self, limit: int) -> list[Run]:
        """Return held runs whose lease is over at this transaction's instant."""
        ...

    def held_runs(self, except_owner: str) -> list[Run]:
        """Return runs held by any other owner, whatever their lease."""
        ...

    def next_expiry_at(self) -> Instant | None: ...

    def overdue_runs(self, limit: int) -> list[Run]:
        """Return runs without a claim whose `start_by` is over."""
        ...

    def next_start_by(self) -> Instant | None: ...

    def snapshot(self, run_id: RunId) -> Snapshot | None: ...

    def attempts(self, run_id: RunId) -> list[Attempt]: ...

    def executions(self, run_id: RunId) -> list[Execution]:
        """Return executions, oldest first."""
        ...

    def effect(self, effect_id: EffectId) -> Effect | None: ...

    def effects_of_run(self, run_id: RunId) -> list[Effect]: ...

    def effects_of_window(self, automation_id: AutomationId, window_key: str) -> list[Effect]: ...

    def effect_calls(self, effect_id: EffectId) -> list[EffectCall]: ...

    def resolve_effect(self, run: Run, effect: Effect) -> bool:
        """Set an open effect's state, external id and result, while nobody holds `run` and its version is unchanged."""
        ...

    def artifacts(self, run_id: RunId) -> list[Artifact]: ...

    def newest_publication(self, workspace_id: str, path: str) -> Publication | None: ...

    def publications_of_run(self, run_id: RunId) -> list[Publication]: ...

    def late_reports(self, run_id: RunId) -> list[LateReport]: ...

    def newest_runs(self, automation_ids: Sequence[AutomationId]) -> list[Run]:
        """Return the newest run of each automation that has one."""
        ...
