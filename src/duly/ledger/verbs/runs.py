"""Verbs about runs for those who hold no claim."""

from collections.abc import Sequence
from typing import Any, Final

from duly.ledger.api.runs import RunFilter
from duly.ledger.verbs.base import OnSession
from duly.ledger.verbs.shapes import Shape
from duly.model.ids import AutomationId, RunId
from duly.model.instant import Instant
from duly.model.run import Run, RunPin
from duly.model.states import RunState

RUN: Final = Shape(Run)
RUN_PIN: Final = Shape(RunPin)

_FINAL: Final = frozenset({RunState.COMPLETED, RunState.CANCELLED, RunState.FAILED})
# The ends of what an integer column holds: no bound.
_EARLIEST: Final = -(2**63)
_LATEST: Final = 2**63 - 1


class Runs(OnSession):
    """Runs as admission, rescue, operators and readers see them."""

    __slots__ = ()

    def add_run(self, pin: RunPin, run: Run) -> bool:
        """Insert pin and run; False when the work identity has a run."""
        assert (pin.run_id, pin.automation_id) == (run.run_id, run.automation_id)
        if not self._added("add_run_pin", RUN_PIN.values(pin)):
            return False
        self._added("add_run", RUN.values(run))
        self._session.begin_chain(f"run:{run.run_id}")
        return True

    def run(self, run_id: RunId) -> Run | None:
        """Return where a run stands."""
        return RUN.first(self._session.row("run", run_id=run_id))

    def run_ids_like(self, beginning: str, limit: int) -> list[RunId]:
        """Return ids of runs that begin with a text."""
        # Ids end in hexadecimal digits: this is behind all that begin so.
        rows = self._session.rows(
            "run_ids_between", first=beginning, behind=f"{beginning}g", limit=limit
        )
        return [RunId(row[0]) for row in rows]

    def run_pin(self, run_id: RunId) -> RunPin | None:
        """Return what a run is for."""
        return RUN_PIN.first(self._session.row("run_pin", run_id=run_id))

    def runs(self, chosen: RunFilter) -> list[Run]:
        """Return the runs that a filter chooses, newest first."""
        statement = "runs_by_age"
        if chosen.automation_id is not None:
            statement = "runs_of_automation"
        elif chosen.states and _FINAL.isdisjoint(chosen.states):
            statement = "open_runs_by_age"
        since, before = chosen.created_since, chosen.created_before
        return RUN.records(
            self._session.rows(
                statement,
                automation_id=chosen.automation_id,
                since=_EARLIEST if since is None else since,
                before=_LATEST if before is None else before,
                before_run_id=chosen.before_run_id,
                limit=chosen.limit,
                **_state_params(chosen.states),
            )
        )

    def runs_of_window(self, automation_id: AutomationId, window_key: str) -> list[RunPin]:
        """Return the runs of a window, newest first."""
        return RUN_PIN.records(
            self._session.rows("runs_of_window", automation_id=automation_id, window_key=window_key)
        )

    def open_runs(self, automation_id: AutomationId) -> list[Run]:
        """Return runs that are not completed, cancelled or failed, oldest first."""
        return RUN.records(self._session.rows("open_runs", automation_id=automation_id))

    def created_runs(self, after: tuple[Instant, RunId], limit: int) -> list[Run]:
        """Return runs that wait in `created` behind (created_at, run_id), oldest first."""
        created_at, run_id = after
        return RUN.records(
            self._session.rows("created_runs", after=created_at, after_run_id=run_id, limit=limit)
        )

    def newest_runs(self, automation_ids: Sequence[AutomationId]) -> list[Run]:
        """Return the newest run of each automation that has one."""
        found = (self._session.row("newest_run", automation_id=id_) for id_ in automation_ids)
        return [RUN.record(row) for row in found if row is not None]

    def record_run(self, run: Run) -> bool:
        """Change a run whose version is the one read; the row's version becomes the record's plus one."""
        return self._changed("record_run", **RUN.params(run))

    def overdue_runs(self, limit: int) -> list[Run]:
        """Return created and queued runs whose `start_by` is over, longest overdue first."""
        return RUN.records(self._session.rows("overdue_runs", limit=limit))

    def next_start_by(self) -> Instant | None:
        """Return the earliest `start_by` of a created or queued run."""
        found: Instant | None = self._fact("next_start_by")
        return found


def _state_params(states: Sequence[RunState]) -> dict[str, Any]:
    """Return one parameter for each state there is; a choice of fewer repeats its first."""
    chosen = list(states or RunState)
    chosen += chosen[:1] * (len(RunState) - len(chosen))
    return {f"state_{number}": state.value for number, state in enumerate(chosen)}
