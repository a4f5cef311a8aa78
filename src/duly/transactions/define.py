"""Creating automations and editing them by new revisions; no edit re-arms or back-dates a slot."""

from dataclasses import dataclass, replace
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model import codec, ids
from duly.model.automation import Automation, Revision, plan_hash
from duly.model.errors import (
    ConflictError,
    IdempotencyConflictError,
    VersionConflictError,
)
from duly.model.ids import AutomationId
from duly.model.plan import Timing, Work
from duly.model.states import AutomationState
from duly.transactions import zone_data
from duly.transactions.paths import claim_paths
from duly.transactions.plans import Zones, zone_of
from duly.transactions.slots import mark_body
from duly.transactions.spans import (
    answered_or_closed,
    automation_known,
    first_mark,
    next_due,
    raised,
    revision_of,
)

DISABLED: Final = "disabled"
"""Why an automation is paused whose definition says `enabled: false`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A definition as written (canonical JSON), its digest, and the plan made from it.

    `paths`: the absolute paths it publishes to, as patterns. `tzdata`: the release its times were checked with.
    """

    workspace_id: str
    job_key: str
    definition: str
    digest: str
    schema_version: int
    timing: Timing
    work: Work
    paths: tuple[str, ...]
    is_enabled: bool
    tzdata: str
    actor: str
    zones: Zones


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """A new automation; `key` is the Idempotency-Key of the request, by default its job_key."""

    key: str | None
    definition: Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Defined:
    """An automation with its revision number. `is_replay`: created earlier; `is_unchanged`: nothing was written."""

    automation: Automation
    number: int
    is_replay: bool
    is_unchanged: bool


def create(tx: Tx, command: Create) -> Defined:
    """Create an automation whose slots count from now; a repeated request finds it made.

    Raises IdempotencyConflictError when the key came with another body, ConflictError when name or path is taken,
    ZoneDataOlderError.
    """
    wanted = command.definition
    automation_id = ids.automation_id(wanted.workspace_id, command.key or wanted.job_key)
    found = tx.automation(automation_id)
    if found is not None:
        return _replayed(found, command)
    named = tx.automation_named(wanted.workspace_id, wanted.job_key)
    if named is not None:
        raise _taken(named)
    _check_zone_data(tx, wanted)
    automation = _new(tx, automation_id, wanted)
    claim_paths(tx, automation, wanted.work.root, wanted.paths)
    if not tx.add_automation(automation):
        raise ConflictError(f"{wanted.job_key} was created in between", fix="edit it instead")
    revision = _revision(tx, automation, wanted)
    tx.add_revision(revision)
    body = {
        "job_key": wanted.job_key,
        "digest": wanted.digest,
        "plan": plan_hash(revision.timing, revision.work),
        "state": automation.state.value,
        "mark": mark_body(automation.mark),
        "next_due": automation.next_due,
    }
    tx.audit(f"automation:{automation_id}", "automation.created", body, wanted.actor)
    tx.wake("due")
    return Defined(automation=automation, number=1, is_replay=False, is_unchanged=False)


def _replayed(found: Automation, command: Create) -> Defined:
    wanted = command.definition
    is_same = found.created_with == wanted.digest and found.job_key == wanted.job_key
    if command.key is None and found.revision > 1:
        # Without a key of its own this is no retry: the definition has gone on since.
        raise _taken(found)
    if command.key is not None and not is_same:
        raise IdempotencyConflictError(
            f"the key {command.key!r} was used for another definition",
            fix="send a new Idempotency-Key",
        )
    if not is_same or found.state is AutomationState.DELETED:
        raise _taken(found)
    return Defined(automation=found, number=found.revision, is_replay=True, is_unchanged=True)


def _taken(found: Automation) -> ConflictError:
    if found.state is AutomationState.DELETED:
        return ConflictError(
            f"{found.job_key} was deleted, and names are never reused",
            fix=f"bring it back with `duly automation restore {found.job_key}`",
        )
    return ConflictError(
        f"there is an automation {found.job_key} already",
        fix=f"`duly export {found.job_key} -f duly.yaml`, edit that and `duly apply`; or choose another job_key",
    )


def _new(tx: Tx, automation_id: AutomationId, wanted: Definition) -> Automation:
    mark = first_mark(tx, wanted.timing, wanted.zones)
    point = (mark, wanted.zones)
    due = next_due(tx, automation_id, wanted.timing, point) if wanted.is_enabled else None
    return Automation(
        automation_id=automation_id,
        workspace_id=wanted.workspace_id,
        job_key=wanted.job_key,
        state=AutomationState.ACTIVE if wanted.is_enabled else AutomationState.PAUSED,
        state_reason=None if wanted.is_enabled else DISABLED,
        state_since=tx.at,
        revision=1,
        next_due=due,
        mark=mark,
        version=1,
        told=None,
        fault_kind=None,
        fault_count=0,
        created_with=wanted.digest,
        created_at=tx.at,
        updated_at=tx.at,
    )


def _revision(tx: Tx, automation: Automation, wanted: Definition) -> Revision:
    return Revision(
        automation_id=automation.automation_id,
        number=automation.revision,
        definition=wanted.definition,
        digest=wanted.digest,
        schema_version=wanted.schema_version,
        timing=codec.dump(wanted.timing),
        work=codec.dump(wanted.work),
        tzdata=wanted.tzdata,
        actor=wanted.actor,
        created_at=tx.at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A new definition for an automation; `expected_version` None: whatever it is now."""

    automation_id: AutomationId
    expected_version: int | None
    definition: Definition


def edit(tx: Tx, command: Edit) -> Defined:
    """Make the next revision: the old one's due slots are answered first, then the watermark is raised to now.

    Raises ConflictError for a deleted automation, another job_key or a taken path; VersionConflictError,
    ZoneDataOlderError.
    """
    before = automation_known(tx, command.automation_id)
    wanted = command.definition
    _check(before, command)
    if revision_of(tx, before).digest == wanted.digest:
        return Defined(
            automation=before, number=before.revision, is_replay=False, is_unchanged=True
        )
    _check_zone_data(tx, wanted)
    answered = answered_or_closed(tx, before, wanted.zones, wanted.actor)
    after = _edited(tx, answered, wanted)
    claim_paths(tx, after, wanted.work.root, wanted.paths)
    revision = _revision(tx, after, wanted)
    if not tx.add_revision(revision) or not tx.record_automation(after):
        raise VersionConflictError(f"{before.job_key} changed in between", fix="try again")
    body = {
        "revision": after.revision,
        "digest": wanted.digest,
        "plan": plan_hash(revision.timing, revision.work),
        "state": after.state.value,
        "from": mark_body(answered.mark),
        "to": mark_body(after.mark),
        "next_due": after.next_due,
    }
    tx.audit(f"automation:{before.automation_id}", "automation.edited", body, wanted.actor)
    tx.wake("due")
    recorded = replace(after, version=after.version + 1)
    return Defined(automation=recorded, number=after.revision, is_replay=False, is_unchanged=False)


def _check_zone_data(tx: Tx, wanted: Definition) -> None:
    zone_data.check(tx, zone_of(wanted.timing, wanted.zones), wanted.timing.anchor)


def _check(before: Automation, command: Edit) -> None:
    if before.state is AutomationState.DELETED:
        raise _taken(before)
    if command.definition.job_key != before.job_key:
        raise ConflictError(
            f"the job_key {before.job_key} never changes", fix="create another automation"
        )
    if command.expected_version not in (None, before.version):
        raise VersionConflictError(
            f"{before.job_key} changed in between", fix="read it again, then repeat"
        )


def _edited(tx: Tx, answered: Automation, wanted: Definition) -> Automation:
    mark = raised(tx, answered.mark, wanted.timing, wanted.zones)
    state, reason = _state_after(answered, is_enabled=wanted.is_enabled)
    is_active = state is AutomationState.ACTIVE
    point = (mark, wanted.zones)
    return replace(
        answered,
        state=state,
        state_reason=reason,
        # A span that an edit closed begins anew.
        state_since=answered.state_since if is_active else tx.at,
        revision=answered.revision + 1,
        next_due=next_due(tx, answered.automation_id, wanted.timing, point) if is_active else None,
        mark=mark,
        told=None,
        fault_kind=None,
        fault_count=0,
        updated_at=tx.at,
    )


def _state_after(answered: Automation, *, is_enabled: bool) -> tuple[AutomationState, str | None]:
    """Follow what the definition says of `enabled`; a person's pause and a suspension outlast an edit."""
    if answered.state is AutomationState.ACTIVE and not is_enabled:
        return AutomationState.PAUSED, DISABLED
    if (
        answered.state is AutomationState.PAUSED
        and is_enabled
        and answered.state_reason == DISABLED
    ):
        return AutomationState.ACTIVE, None
    return answered.state, answered.state_reason
