"""What several queries read: automations by name with their zone, runs with their pin, pages."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from duly.ledger.api.tx import Tx
from duly.model import codec
from duly.model.automation import Automation, Revision
from duly.model.errors import ConflictError, DulyError, ForeignDatabaseError, NotFoundError
from duly.model.ids import RunId
from duly.model.plan import Timing, Work
from duly.model.run import Run
from duly.model.states import Grade
from duly.model.zone import Zone
from duly.recurrence.schedule import Schedule, compile_rule
from duly.service.desk import WORKSPACE, ZoneSource
from duly.service.views import KnownRun

# Four digits at least: less is a slip rather than a name.
_RUN_NAME: Final = re.compile(r"r_[0-9a-f]{4,32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An automation with its current revision, decoded."""

    automation: Automation
    revision: Revision
    written: dict[str, Any]
    timing: Timing
    work: Work


def automation_named(tx: Tx, job_key: str) -> Automation:
    """Return an automation by its job_key, deleted or not. Raises NotFoundError."""
    automation = tx.automation_named(WORKSPACE, job_key)
    if automation is None:
        raise NotFoundError(
            f"there is no automation {job_key}", fix="list them with `duly automation list`"
        )
    return automation


def known_automation(tx: Tx, job_key: str) -> Known:
    """Return an automation by its job_key with its current revision. Raises as `automation_named`, `with_revision`."""
    return with_revision(tx, automation_named(tx, job_key))


def with_revision(tx: Tx, automation: Automation) -> Known:
    """Return an automation with its current revision. Raises ForeignDatabaseError where it was altered."""
    revision = tx.revision(automation.automation_id, automation.revision)
    name = f"automation {automation.job_key}, revision {automation.revision}"
    if revision is None:
        raise _damaged(name, "it is missing")
    with _readable(name):
        return Known(
            automation=automation,
            revision=revision,
            written=json.loads(revision.definition),
            timing=codec.load(Timing, revision.timing),
            work=codec.load(Work, revision.work),
        )


def known_run(tx: Tx, run_id: str) -> KnownRun:
    """Return a run by its id. Raises NotFoundError."""
    run = tx.run(run_named(tx, run_id))
    assert run is not None, run_id
    return with_pin(tx, run)


def run_named(tx: Tx, name: str) -> RunId:
    """Return the one run id that begins so. Raises NotFoundError, ConflictError."""
    found = tx.run_ids_like(name, 2) if _RUN_NAME.fullmatch(name) else []
    if not found:
        raise NotFoundError(f"there is no run {name}", fix="list them with `duly runs list`")
    if len(found) > 1:
        raise ConflictError(f"more than one run begins with {name}", fix="write more of its id")
    return found[0]


def with_pin(tx: Tx, run: Run) -> KnownRun:
    """Return a run with what it is for."""
    pin, automation = tx.run_pin(run.run_id), tx.automation(run.automation_id)
    assert pin is not None and automation is not None, run.run_id
    return KnownRun(run=run, pin=pin, job_key=automation.job_key, exit_code=_exit_code(tx, run))


def _exit_code(tx: Tx, run: Run) -> int:
    if run.grade is not Grade.EXIT:
        return 0
    codes = [one.exit_code for one in tx.executions(run.run_id) if one.part == "agent"]
    return codes[-1] or 0 if codes else 0


def schedule_of(timing: Timing, zones: ZoneSource) -> tuple[Schedule | None, Zone]:
    """Return the schedule within its bounds, None for manual runs only; and the zone."""
    zone = zones.load(timing.zone)
    return schedule_in(timing, {zone.name: zone, timing.zone: zone}), zone


def schedule_in(timing: Timing, zones: Mapping[str, Zone]) -> Schedule | None:
    """Return the schedule within its bounds, from zones that are loaded; None for manual runs only."""
    if timing.rule is None:
        return None
    schedule = compile_rule(timing.rule, zones[timing.zone])
    return schedule.bounded(timing.valid_from, timing.valid_until)


def work_of(revision: Revision) -> Work:
    """Return the work part of a revision's plan. Raises ForeignDatabaseError where it was altered by hand."""
    with _readable(f"automation {revision.automation_id}, revision {revision.number}"):
        return codec.load(Work, revision.work)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Say which stored plan does not read: Duly never wrote such a text."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, DulyError) as error:
        raise _damaged(name, repr(error)) from error


def _damaged(name: str, why: str) -> ForeignDatabaseError:
    return ForeignDatabaseError(
        f"the ledger is damaged: {name} cannot be read ({why})",
        fix="Run `duly db check`, then put back a copy that `duly db backup` made; other automations go on.",
    )
