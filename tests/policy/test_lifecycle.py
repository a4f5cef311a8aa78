"""Lifecycle tables: every pair of state and event is listed or refused, and the forbidden ways are refused by name."""

from itertools import product

import pytest

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
from duly.policy import lifecycle
from duly.policy.lifecycle import AutomationEvent

LINES = [
    (lifecycle.RUN, lifecycle.advance_run, RunState, RunEvent),
    (lifecycle.EXECUTION, lifecycle.advance_execution, ExecutionState, ExecutionEvent),
    (lifecycle.EFFECT, lifecycle.advance_effect, EffectState, EffectEvent),
    (lifecycle.APPROVAL, lifecycle.advance_approval, ApprovalState, ApprovalEvent),
    (lifecycle.DELIVERY, lifecycle.advance_delivery, DeliveryState, DeliveryEvent),
    (lifecycle.AUTOMATION, lifecycle.advance_automation, AutomationState, AutomationEvent),
]
PHASES = [RunState.COLLECTING, RunState.ANALYZING, RunState.REVIEWING, RunState.EXECUTING]


@pytest.mark.parametrize(("table", "advance", "states", "events"), LINES)
def test_every_pair_of_state_and_event_is_listed_or_refused(table, advance, states, events):
    for state, event in product(states, events):
        if (state, event) in table:
            assert advance(state, event) is table[state, event]
        else:
            with pytest.raises(IllegalMoveError, match=f"{event.value} while {state.value}"):
                advance(state, event)


@pytest.mark.parametrize(("table", "advance", "states", "events"), LINES)
def test_every_state_is_reached_and_every_event_moves_something(table, advance, states, events):
    assert {event for _, event in table} == set(events)
    begun = next(iter(states))
    assert set(table.values()) | {begun} == set(states)


@pytest.mark.parametrize(
    "state",
    [
        RunState.COMPLETED,
        RunState.CANCELLED,
        ExecutionState.SETTLED,
        ExecutionState.NOT_STARTED_PROVEN,
        ExecutionState.CORRUPT,
        ApprovalState.REJECTED,
        ApprovalState.EXPIRED,
        ApprovalState.VOID,
        ApprovalState.SPENT,
        DeliveryState.DELIVERED,
        DeliveryState.REJECTED,
    ],
)
def test_nothing_leads_out_of_a_final_state(state):
    left = [pair for table in lifecycle.TABLES.values() for pair in table if pair[0] is state]
    assert left == []


def test_case_a02_a_final_state_never_changes_back():
    assert {RunState.COMPLETED, RunState.CANCELLED} == lifecycle.FINAL
    assert not [state for state, _ in lifecycle.RUN if state in lifecycle.FINAL]


@pytest.mark.parametrize(
    ("state", "event"),
    [
        (RunState.AWAITING_APPROVAL, RunEvent.COMPLETE),
        (RunState.AWAITING_APPROVAL, RunEvent.EXECUTE),
        (RunState.AWAITING_APPROVAL, RunEvent.FAIL),
        (RunState.FAILED, RunEvent.EXECUTE),
        (RunState.FAILED, RunEvent.APPROVED),
        (RunState.FAILED, RunEvent.COMPLETE),
        (RunState.FAILED, RunEvent.CLAIM),
        (RunState.CREATED, RunEvent.CLAIM),
        (RunState.QUEUED, RunEvent.COMPLETE),
        (RunState.QUEUED, RunEvent.EXECUTE),
        (RunState.BLOCKED, RunEvent.CLAIM),
        (RunState.RETRYING, RunEvent.CLAIM),
        (RunState.EXECUTING, RunEvent.CLAIM),
        (RunState.COMPLETED, RunEvent.FAIL),
        (RunState.CANCELLED, RunEvent.RESUME),
    ],
)
def test_a_forbidden_way_of_a_run_is_refused(state, event):
    with pytest.raises(IllegalMoveError):
        lifecycle.advance_run(state, event)


def test_only_an_approval_leads_from_waiting_for_one_to_executing():
    ways = [
        event
        for (state, event), then in lifecycle.RUN.items()
        if state is RunState.AWAITING_APPROVAL and then is RunState.EXECUTING
    ]
    assert ways == [RunEvent.APPROVED]


@pytest.mark.parametrize("state", sorted(lifecycle.LIVE, key=lambda state: state.value))
def test_every_live_state_may_be_blocked_and_cancelled(state):
    assert lifecycle.advance_run(state, RunEvent.BLOCK) is RunState.BLOCKED
    assert lifecycle.advance_run(state, RunEvent.CANCEL) is RunState.CANCELLED


def test_phases_may_be_skipped_forward_and_never_go_back():
    order = {phase: place for place, phase in enumerate(PHASES)}
    forward = {
        (state, then)
        for (state, _), then in lifecycle.RUN.items()
        if state in order and then in order
    }
    expected = {(one, other) for one, other in product(PHASES, PHASES) if order[one] < order[other]}
    assert forward == expected


@pytest.mark.parametrize("phase", PHASES)
def test_a_rescued_or_retried_phase_starts_again_from_the_queue(phase):
    retrying = lifecycle.advance_run(phase, RunEvent.RETRY)
    queued = lifecycle.advance_run(retrying, RunEvent.REQUEUE)
    assert lifecycle.advance_run(queued, RunEvent.CLAIM) is RunState.COLLECTING


def test_a_command_run_goes_through_its_phases():
    events = [
        RunEvent.PROMOTE,
        RunEvent.CLAIM,
        RunEvent.ANALYZE,
        RunEvent.REVIEW,
        RunEvent.EXECUTE,
        RunEvent.COMPLETE,
    ]
    state = RunState.CREATED
    for event in events:
        state = lifecycle.advance_run(state, event)
    assert state is RunState.COMPLETED


def test_every_state_of_a_run_is_live_or_settled_and_never_both():
    assert set(RunState) == lifecycle.LIVE | lifecycle.SETTLED_STATES
    assert not lifecycle.LIVE & lifecycle.SETTLED_STATES
    assert lifecycle.CLAIMED < lifecycle.LIVE
    assert lifecycle.FINAL < lifecycle.SETTLED_STATES


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (Outcome.COMPLETED, RunState.COMPLETED),
        (Outcome.NO_CHANGE, RunState.COMPLETED),
        (Outcome.FAILED_BEFORE_WRITE, RunState.FAILED),
        (Outcome.FAILED_AFTER_WRITE, RunState.BLOCKED),
        (Outcome.NEEDS_REVIEW, RunState.BLOCKED),
        (Outcome.CANCELLED, RunState.CANCELLED),
    ],
)
def test_an_outcome_rests_in_its_state_and_every_phase_can_get_there(outcome, state):
    assert lifecycle.state_of(outcome) is state
    for phase in PHASES:
        assert lifecycle.advance_run(phase, lifecycle.event_of(outcome)) is state


def test_every_outcome_has_a_state():
    assert {lifecycle.state_of(outcome) for outcome in Outcome} == lifecycle.SETTLED_STATES


def test_an_unknown_execution_is_left_on_evidence_only():
    ways = {
        event for state, event in lifecycle.EXECUTION if state is ExecutionState.OUTCOME_UNKNOWN
    }
    assert ways == {
        ExecutionEvent.PROVE_DEAD,
        ExecutionEvent.PROVE_NOT_STARTED,
        ExecutionEvent.FIND_CORRUPT,
    }


def test_a_started_agent_is_never_proven_unstarted_once_it_was_attached():
    with pytest.raises(IllegalMoveError):
        lifecycle.advance_execution(ExecutionState.ATTACHED, ExecutionEvent.PROVE_NOT_STARTED)


@pytest.mark.parametrize("event", DeliveryEvent)
def test_a_delivery_of_unknown_fate_is_never_sent_again(event):
    then = lifecycle.DELIVERY.get((DeliveryState.UNKNOWN, event))
    assert then not in (DeliveryState.SENDING, DeliveryState.PLANNED)


def test_an_approval_is_spent_once_and_only_when_granted():
    assert lifecycle.advance_approval(ApprovalState.GRANTED, ApprovalEvent.SPEND)
    for state in set(ApprovalState) - {ApprovalState.GRANTED}:
        with pytest.raises(IllegalMoveError):
            lifecycle.advance_approval(state, ApprovalEvent.SPEND)
