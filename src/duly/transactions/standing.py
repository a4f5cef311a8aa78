"""Which earlier runs of an automation stand before a new one: the facts that overlap is decided on."""

from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.errors import DulyError
from duly.model.ids import AutomationId
from duly.model.run import Run, RunPin
from duly.model.states import RunState, Trigger
from duly.policy import overlap
from duly.policy.overlap import OverlapFacts, RunFacts
from duly.recurrence.window import current_window
from duly.transactions.plans import Zones, schedule_of, timing_of, zone_of

OWN_WINDOW: Final = "manual:"
"""What the key of a manual run's own window begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The open runs of an automation that count as live, and those that wait in `created`, oldest first."""

    live: tuple[Run, ...]
    waiting: tuple[Run, ...]

    @property
    def facts(self) -> OverlapFacts:
        """The numbers that overlap is decided on."""
        return OverlapFacts(live=len(self.live), waiting=len(self.waiting))


NOBODY: Final = Standing(live=(), waiting=())


def standing(tx: Tx, automation_id: AutomationId, zones: Zones) -> Standing:
    """Read what stands before a new run."""
    runs = tx.open_runs(automation_id)
    if not runs:
        return NOBODY
    return Standing(
        live=tuple(run for run in runs if counts(tx, run, zones)),
        waiting=tuple(run for run in runs if run.state is RunState.CREATED),
    )


def counts(tx: Tx, run: Run, zones: Zones) -> bool:
    """Say whether a run counts as live for later ones."""
    facts = RunFacts(
        state=run.state,
        child_may_live=run.may_live,
        # No author sleeps yet: a run that waits for its next attempt counts.
        is_sleeping=False,
        is_backfill=False,
    )
    # What counts for nothing anyway, such as a year of blocked runs, is not looked at further.
    if not overlap.counts(facts):
        return False
    return overlap.counts(replace(facts, is_backfill=_is_backfill(tx, run, zones)))


def _is_backfill(tx: Tx, run: Run, zones: Zones) -> bool:
    """Say whether a run's window had ended when it was asked for."""
    pin = tx.run_pin(run.run_id)
    if pin is None or pin.cause is Trigger.TIMER or pin.window_key.startswith(OWN_WINDOW):
        return False
    return _current_key(tx, pin, zones) not in (None, pin.window_key)


def _current_key(tx: Tx, pin: RunPin, zones: Zones) -> str | None:
    """Return the key of the window that was current when a run was asked for; None where nobody can say any more."""
    revision = tx.revision(pin.automation_id, pin.revision)
    if revision is None:
        return None
    timing = timing_of(revision.timing)
    try:
        zone, schedule = zone_of(timing, zones), schedule_of(timing, zones)
    except DulyError:
        return None
    return current_window(timing.window, pin.created_at, zone, schedule, OWN_WINDOW).key
