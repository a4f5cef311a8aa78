"""All transition tables: which event leads from which state where; a missing row is illegal."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, TypeVar

from duly.model.errors import IllegalMoveError
from duly.model.states import (
    ApprovalEvent,
    ApprovalState,
    AutomationState,
    DeliveryEvent,
    DeliveryState,
    EffectEvent,
    EffectState,
    ExecutionEvent,
    ExecutionState,
    Outcome,
    RunEvent,
    RunState,
)

State = TypeVar("State", bound=Enum)
Event = TypeVar("Event", bound=Enum)


class AutomationEvent(Enum):
    """What may happen to an automation."""

    PAUSE = "pause"
    SUSPEND = "suspend"
    RESUME = "resume"
    DELETE = "delete"
    RESTORE = "restore"


_R = RunState
_E = RunEvent
RUN: Final[Mapping[tuple[RunState, RunEvent], RunState]] = MappingProxyType(
    {
        (_R.CREATED, _E.PROMOTE): _R.QUEUED,
        (_R.CREATED, _E.BLOCK): _R.BLOCKED,
        (_R.CREATED, _E.FAIL): _R.FAILED,
        (_R.CREATED, _E.CANCEL): _R.CANCELLED,
        (_R.QUEUED, _E.CLAIM): _R.COLLECTING,
        (_R.QUEUED, _E.BLOCK): _R.BLOCKED,
        (_R.QUEUED, _E.FAIL): _R.FAILED,
        (_R.QUEUED, _E.CANCEL): _R.CANCELLED,
        (_R.COLLECTING, _E.ANALYZE): _R.ANALYZING,
        (_R.COLLECTING, _E.REVIEW): _R.REVIEWING,
        (_R.COLLECTING, _E.ASK): _R.AWAITING_APPROVAL,
        (_R.COLLECTING, _E.EXECUTE): _R.EXECUTING,
        (_R.COLLECTING, _E.COMPLETE): _R.COMPLETED,
        (_R.COLLECTING, _E.RETRY): _R.RETRYING,
        (_R.COLLECTING, _E.BLOCK): _R.BLOCKED,
        (_R.COLLECTING, _E.FAIL): _R.FAILED,
        (_R.COLLECTING, _E.CANCEL): _R.CANCELLED,
        (_R.ANALYZING, _E.REVIEW): _R.REVIEWING,
        (_R.ANALYZING, _E.ASK): _R.AWAITING_APPROVAL,
        (_R.ANALYZING, _E.EXECUTE): _R.EXECUTING,
        (_R.ANALYZING, _E.COMPLETE): _R.COMPLETED,
        (_R.ANALYZING, _E.RETRY): _R.RETRYING,
        (_R.ANALYZING, _E.BLOCK): _R.BLOCKED,
        (_R.ANALYZING, _E.FAIL): _R.FAILED,
        (_R.ANALYZING, _E.CANCEL): _R.CANCELLED,
        (_R.REVIEWING, _E.ASK): _R.AWAITING_APPROVAL,
        (_R.REVIEWING, _E.EXECUTE): _R.EXECUTING,
        (_R.REVIEWING, _E.COMPLETE): _R.COMPLETED,
        (_R.REVIEWING, _E.RETRY): _R.RETRYING,
        (_R.REVIEWING, _E.BLOCK): _R.BLOCKED,
        (_R.REVIEWING, _E.FAIL): _R.FAILED,
        (_R.REVIEWING, _E.CANCEL): _R.CANCELLED,
        # Nobody works on a parked run, so nothing of it can fail; an approval only makes it claimable.
        (_R.AWAITING_APPROVAL, _E.APPROVED): _R.EXECUTING,
        (_R.AWAITING_APPROVAL, _E.BLOCK): _R.BLOCKED,
        (_R.AWAITING_APPROVAL, _E.CANCEL): _R.CANCELLED,
        (_R.EXECUTING, _E.ASK): _R.AWAITING_APPROVAL,
        (_R.EXECUTING, _E.COMPLETE): _R.COMPLETED,
        (_R.EXECUTING, _E.RETRY): _R.RETRYING,
        (_R.EXECUTING, _E.BLOCK): _R.BLOCKED,
        (_R.EXECUTING, _E.FAIL): _R.FAILED,
        (_R.EXECUTING, _E.CANCEL): _R.CANCELLED,
        (_R.RETRYING, _E.REQUEUE): _R.QUEUED,
        (_R.RETRYING, _E.BLOCK): _R.BLOCKED,
        (_R.RETRYING, _E.FAIL): _R.FAILED,
        (_R.RETRYING, _E.CANCEL): _R.CANCELLED,
        # Out of blocked: by a person, or by complete reconciliation.
        (_R.BLOCKED, _E.RESUME): _R.QUEUED,
        (_R.BLOCKED, _E.COMPLETE): _R.COMPLETED,
        (_R.BLOCKED, _E.FAIL): _R.FAILED,
        (_R.BLOCKED, _E.CANCEL): _R.CANCELLED,
        # Out of failed: by the rerun verdict, or by a person.
        (_R.FAILED, _E.RESTART): _R.QUEUED,
        (_R.FAILED, _E.RESUME): _R.QUEUED,
    }
)

_X = ExecutionState
_XE = ExecutionEvent
EXECUTION: Final[Mapping[tuple[ExecutionState, ExecutionEvent], ExecutionState]] = MappingProxyType(
    {
        (_X.INTENT, _XE.DISPATCH): _X.DISPATCH_STARTED,
        (_X.INTENT, _XE.PROVE_NOT_STARTED): _X.NOT_STARTED_PROVEN,
        (_X.INTENT, _XE.LOSE): _X.OUTCOME_UNKNOWN,
        (_X.INTENT, _XE.FIND_CORRUPT): _X.CORRUPT,
        (_X.INTENT, _XE.PROVE_DEAD): _X.SETTLED,
        (_X.DISPATCH_STARTED, _XE.ATTACH): _X.ATTACHED,
        # An agent may end before its start was recorded.
        (_X.DISPATCH_STARTED, _XE.SETTLE): _X.SETTLED,
        (_X.DISPATCH_STARTED, _XE.PROVE_NOT_STARTED): _X.NOT_STARTED_PROVEN,
        (_X.DISPATCH_STARTED, _XE.LOSE): _X.OUTCOME_UNKNOWN,
        (_X.DISPATCH_STARTED, _XE.FIND_CORRUPT): _X.CORRUPT,
        (_X.DISPATCH_STARTED, _XE.PROVE_DEAD): _X.SETTLED,
        (_X.ATTACHED, _XE.SETTLE): _X.SETTLED,
        (_X.ATTACHED, _XE.LOSE): _X.OUTCOME_UNKNOWN,
        (_X.ATTACHED, _XE.FIND_CORRUPT): _X.CORRUPT,
        (_X.ATTACHED, _XE.PROVE_DEAD): _X.SETTLED,
        # Only evidence leads out of the unknown.
        (_X.OUTCOME_UNKNOWN, _XE.PROVE_DEAD): _X.SETTLED,
        (_X.OUTCOME_UNKNOWN, _XE.PROVE_NOT_STARTED): _X.NOT_STARTED_PROVEN,
        (_X.OUTCOME_UNKNOWN, _XE.FIND_CORRUPT): _X.CORRUPT,
    }
)

_F = EffectState
_FE = EffectEvent
EFFECT: Final[Mapping[tuple[EffectState, EffectEvent], EffectState]] = MappingProxyType(
    {
        (_F.PENDING, _FE.APPLY): _F.SUCCEEDED,
        (_F.PENDING, _FE.REFUSE): _F.FAILED,
        (_F.PENDING, _FE.LOSE): _F.UNKNOWN,
        # Under a live provider key, or by evidence that it was not applied.
        (_F.PENDING, _FE.SEND_AGAIN): _F.PENDING,
        (_F.UNKNOWN, _FE.APPLY): _F.SUCCEEDED,
        (_F.UNKNOWN, _FE.REFUSE): _F.FAILED,
        (_F.UNKNOWN, _FE.SEND_AGAIN): _F.PENDING,
        (_F.FAILED, _FE.SEND_AGAIN): _F.PENDING,
        # An update of what was applied, under the next update number.
        (_F.SUCCEEDED, _FE.SEND_AGAIN): _F.PENDING,
    }
)

_A = ApprovalState
_AE = ApprovalEvent
APPROVAL: Final[Mapping[tuple[ApprovalState, ApprovalEvent], ApprovalState]] = MappingProxyType(
    {
        (_A.ASKED, _AE.GRANT): _A.GRANTED,
        (_A.ASKED, _AE.REJECT): _A.REJECTED,
        (_A.ASKED, _AE.EXPIRE): _A.EXPIRED,
        (_A.ASKED, _AE.VOID): _A.VOID,
        (_A.GRANTED, _AE.SPEND): _A.SPENT,
        (_A.GRANTED, _AE.EXPIRE): _A.EXPIRED,
        (_A.GRANTED, _AE.VOID): _A.VOID,
    }
)

_D = DeliveryState
_DE = DeliveryEvent
DELIVERY: Final[Mapping[tuple[DeliveryState, DeliveryEvent], DeliveryState]] = MappingProxyType(
    {
        (_D.PLANNED, _DE.SEND): _D.SENDING,
        (_D.PLANNED, _DE.REJECT): _D.REJECTED,
        (_D.SENDING, _DE.DELIVER): _D.DELIVERED,
        (_D.SENDING, _DE.DELIVER_PART): _D.PARTIAL,
        (_D.SENDING, _DE.LOSE): _D.UNKNOWN,
        (_D.SENDING, _DE.NOT_SENT): _D.PLANNED,
        (_D.SENDING, _DE.REJECT): _D.REJECTED,
        (_D.UNKNOWN, _DE.DELIVER): _D.DELIVERED,
        (_D.UNKNOWN, _DE.MARK_DELIVERED): _D.DELIVERED,
        (_D.UNKNOWN, _DE.REJECT): _D.REJECTED,
        (_D.PARTIAL, _DE.MARK_DELIVERED): _D.DELIVERED,
    }
)

_U = AutomationState
_UE = AutomationEvent
AUTOMATION: Final[Mapping[tuple[AutomationState, AutomationEvent], AutomationState]] = (
    MappingProxyType(
        {
            (_U.ACTIVE, _UE.PAUSE): _U.PAUSED,
            (_U.ACTIVE, _UE.SUSPEND): _U.SUSPENDED,
            (_U.ACTIVE, _UE.DELETE): _U.DELETED,
            (_U.PAUSED, _UE.RESUME): _U.ACTIVE,
            (_U.PAUSED, _UE.DELETE): _U.DELETED,
            (_U.SUSPENDED, _UE.PAUSE): _U.PAUSED,
            (_U.SUSPENDED, _UE.RESUME): _U.ACTIVE,
            (_U.SUSPENDED, _UE.DELETE): _U.DELETED,
            (_U.DELETED, _UE.RESTORE): _U.ACTIVE,
        }
    )
)

TABLES: Final[Mapping[str, Mapping[tuple[Any, Any], Enum]]] = MappingProxyType(
    {
        "Automation": AUTOMATION,
        "Run": RUN,
        "Execution": EXECUTION,
        "Effect": EFFECT,
        "Approval": APPROVAL,
        "Delivery": DELIVERY,
    }
)
"""Every table by the name of what it moves."""

CLAIMED: Final = frozenset({_R.COLLECTING, _R.ANALYZING, _R.REVIEWING, _R.EXECUTING})
"""States in which a worker holds the run's lease."""

LIVE: Final = CLAIMED | {_R.CREATED, _R.QUEUED, _R.AWAITING_APPROVAL, _R.RETRYING}
"""States from which a run goes on without a person or a new verdict."""

FINAL: Final = frozenset({_R.COMPLETED, _R.CANCELLED})
"""States that are never left."""

SETTLED_STATES: Final = FINAL | {_R.FAILED, _R.BLOCKED}
"""States in which a run has an outcome."""

_STATE_OF: Final[Mapping[Outcome, RunState]] = MappingProxyType(
    {
        Outcome.COMPLETED: _R.COMPLETED,
        Outcome.NO_CHANGE: _R.COMPLETED,
        Outcome.FAILED_BEFORE_WRITE: _R.FAILED,
        Outcome.FAILED_AFTER_WRITE: _R.BLOCKED,
        Outcome.NEEDS_REVIEW: _R.BLOCKED,
        Outcome.CANCELLED: _R.CANCELLED,
    }
)

_EVENT_OF: Final[Mapping[RunState, RunEvent]] = MappingProxyType(
    {
        _R.COMPLETED: _E.COMPLETE,
        _R.FAILED: _E.FAIL,
        _R.BLOCKED: _E.BLOCK,
        _R.CANCELLED: _E.CANCEL,
    }
)


def state_of(outcome: Outcome) -> RunState:
    """Return the state in which a run with this outcome rests."""
    return _STATE_OF[outcome]


def event_of(outcome: Outcome) -> RunEvent:
    """Return the event that settles a live run with this outcome."""
    return _EVENT_OF[_STATE_OF[outcome]]


def advance_run(state: RunState, event: RunEvent) -> RunState:
    """Return the run's state after `event`; raise IllegalMoveError when no row allows it."""
    return _advance(RUN, state, event)


def advance_execution(state: ExecutionState, event: ExecutionEvent) -> ExecutionState:
    """Return what is known of an execution after `event`; raise IllegalMoveError when no row allows it."""
    return _advance(EXECUTION, state, event)


def advance_effect(state: EffectState, event: EffectEvent) -> EffectState:
    """Return what is known of an effect after `event`; raise IllegalMoveError when no row allows it."""
    return _advance(EFFECT, state, event)


def advance_approval(state: ApprovalState, event: ApprovalEvent) -> ApprovalState:
    """Return the approval's state after `event`; raise IllegalMoveError when no row allows it."""
    return _advance(APPROVAL, state, event)


def advance_delivery(state: DeliveryState, event: DeliveryEvent) -> DeliveryState:
    """Return the delivery's state after `event`; raise IllegalMoveError when no row allows it."""
    return _advance(DELIVERY, state, event)


def advance_automation(state: AutomationState, event: AutomationEvent) -> AutomationState:
    """Return the automation's state after `event`; raise IllegalMoveError when no row allows it."""
    return _advance(AUTOMATION, state, event)


def _advance(table: Mapping[tuple[State, Event], State], state: State, event: Event) -> State:
    try:
        return table[state, event]
    except KeyError:
        raise IllegalMoveError(f"{event.value} while {state.value}") from None
