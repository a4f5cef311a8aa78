"""Effects: intended changes of the outside world, each with one identity; and what was published where."""

from dataclasses import dataclass

from duly.model.ids import AutomationId, ClaimId, EffectId, RunId
from duly.model.instant import Instant
from duly.model.states import EffectState


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One intended change, owned by automation + window. `identity` and `payload` are canonical JSON.

    `run_id` and `fence` name who touched it last; `update_number` counts accepted changes of its payload;
    `since` is when the current state began.
    """

    effect_id: EffectId
    automation_id: AutomationId
    window_key: str
    action: str
    identity: str
    state: EffectState
    payload_sha256: str
    payload: str
    update_number: int
    external_id: str | None
    result: str | None
    run_id: RunId
    fence: int
    since: Instant
    created_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectCall:
    """One try at an effect; nothing may be sent for it after `not_after`."""

    effect_id: EffectId
    update_number: int
    run_id: RunId
    fence: int
    claim_id: ClaimId
    payload_sha256: str
    not_after: Instant
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """One recorded replacement of a published file (`path` absolute); `number` counts them for each path from 1."""

    workspace_id: str
    path: str
    number: int
    automation_id: AutomationId
    window_key: str
    run_id: RunId
    effect_id: EffectId
    sha256: str
    previous_sha256: str | None
    at: Instant
