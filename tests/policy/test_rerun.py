"""Rerun: the table row by row, total over every combination of facts."""

from dataclasses import replace
from itertools import product

import pytest

from duly.model.plan import Restart
from duly.model.reasons import Reason
from duly.model.states import Outcome, RunState, Verdict
from duly.policy import lifecycle, rerun
from duly.policy.rerun import ArtifactFact, ExecutionFact, RerunFacts

COMPLETED = RerunFacts(
    state=RunState.COMPLETED,
    outcome=Outcome.COMPLETED,
    lease_live=False,
    artifact=ArtifactFact.INTACT,
    execution=ExecutionFact.SETTLED,
    effects_open=False,
    restart=Restart.PROVEN,
    writes_contained=False,
    wrote=True,
    input_changed=False,
)
AT_WORK = replace(
    COMPLETED,
    state=RunState.ANALYZING,
    outcome=None,
    artifact=ArtifactFact.NONE_DECLARED,
    execution=ExecutionFact.NEVER_STARTED,
    wrote=False,
)
FAILED = replace(AT_WORK, state=RunState.FAILED, outcome=Outcome.FAILED_BEFORE_WRITE)
BLOCKED = replace(AT_WORK, state=RunState.BLOCKED, outcome=Outcome.NEEDS_REVIEW)
DEAD = ExecutionFact.DEAD
SAFE = Restart.SAFE


ROWS = [
    # completed or no-change
    (COMPLETED, {}, Verdict.REUSE),
    (COMPLETED, {"artifact": ArtifactFact.SUPERSEDED}, Verdict.REUSE),
    (COMPLETED, {"artifact": ArtifactFact.NONE_DECLARED}, Verdict.REUSE),
    (COMPLETED, {"outcome": Outcome.NO_CHANGE}, Verdict.REUSE),
    (COMPLETED, {"artifact": ArtifactFact.MISSING}, Verdict.REVIEW_ARTIFACT),
    (COMPLETED, {"artifact": ArtifactFact.ALTERED}, Verdict.REVIEW_ARTIFACT),
    # cancelled
    (AT_WORK, {"state": RunState.CANCELLED, "outcome": Outcome.CANCELLED}, Verdict.STOPPED),
    # queued, waiting, awaiting approval
    (AT_WORK, {"state": RunState.CREATED}, Verdict.JOINED),
    (AT_WORK, {"state": RunState.QUEUED}, Verdict.JOINED),
    (AT_WORK, {"state": RunState.AWAITING_APPROVAL}, Verdict.JOINED),
    # a live lease
    (AT_WORK, {"lease_live": True}, Verdict.BUSY),
    (AT_WORK, {"lease_live": True, "execution": ExecutionFact.MAY_LIVE}, Verdict.BUSY),
    # a child that may live
    (AT_WORK, {"execution": ExecutionFact.MAY_LIVE}, Verdict.PROVE_DEAD),
    (AT_WORK, {"execution": ExecutionFact.MAY_LIVE, "restart": SAFE}, Verdict.PROVE_DEAD),
    (AT_WORK, {"execution": ExecutionFact.UNPROVABLE_YET}, Verdict.PROVE_DEAD),
    (AT_WORK, {"execution": ExecutionFact.UNPROVABLE_TOO_LONG}, Verdict.HOST_UNREACHABLE),
    (BLOCKED, {"execution": ExecutionFact.UNPROVABLE_TOO_LONG}, Verdict.STOPPED),
    # open effects
    (AT_WORK, {"effects_open": True}, Verdict.RECONCILE),
    (AT_WORK, {"effects_open": True, "execution": DEAD}, Verdict.RECONCILE),
    (BLOCKED, {"effects_open": True}, Verdict.RECONCILE),
    # a process was started
    (AT_WORK, {"execution": DEAD}, Verdict.REVIEW),
    (AT_WORK, {"execution": ExecutionFact.NOT_STARTED_PROVEN}, Verdict.RESUME),
    (AT_WORK, {"execution": DEAD, "writes_contained": True}, Verdict.RESUME),
    (AT_WORK, {"execution": DEAD, "restart": SAFE}, Verdict.RESUME),
    (AT_WORK, {"execution": ExecutionFact.SETTLED}, Verdict.RESUME),
    (AT_WORK, {}, Verdict.RESUME),
    (AT_WORK, {"state": RunState.RETRYING}, Verdict.RESUME),
    # failed before a write
    (FAILED, {}, Verdict.RESTART),
    (FAILED, {"execution": ExecutionFact.NOT_STARTED_PROVEN}, Verdict.RESTART),
    (FAILED, {"execution": ExecutionFact.SETTLED, "restart": SAFE}, Verdict.RESTART),
    (FAILED, {"execution": DEAD, "writes_contained": True}, Verdict.RESTART),
    (FAILED, {"execution": DEAD}, Verdict.REVIEW),
    (FAILED, {"restart": SAFE, "wrote": True}, Verdict.REVIEW),
    # failed after a write
    (BLOCKED, {"outcome": Outcome.FAILED_AFTER_WRITE, "effects_open": True}, Verdict.RECONCILE),
    (BLOCKED, {"outcome": Outcome.FAILED_AFTER_WRITE}, Verdict.REVIEW),
    # needs review, blocked
    (BLOCKED, {}, Verdict.STOPPED),
    (BLOCKED, {"outcome": None}, Verdict.STOPPED),
    (BLOCKED, {"execution": DEAD}, Verdict.STOPPED),
    # another input version
    (COMPLETED, {"input_changed": True}, Verdict.AMEND),
    (AT_WORK, {"input_changed": True, "lease_live": True}, Verdict.AMEND),
]


@pytest.mark.parametrize(("facts", "changes", "verdict"), ROWS)
def test_a_run_that_is_met_again_gets_the_verdict_of_its_row(facts, changes, verdict):
    assert rerun.decide(replace(facts, **changes)) is verdict


def every_fact():
    bools = (False, True)
    outcomes = (None, *Outcome)
    for state, outcome, lease, artifact, execution, effects, restart, contained, wrote in product(
        RunState, outcomes, bools, ArtifactFact, ExecutionFact, bools, Restart, bools, bools
    ):
        yield RerunFacts(
            state=state,
            outcome=outcome,
            lease_live=lease,
            artifact=artifact,
            execution=execution,
            effects_open=effects,
            restart=restart,
            writes_contained=contained,
            wrote=wrote,
            input_changed=False,
        )


def test_every_combination_of_facts_has_a_verdict_and_none_starts_a_second_agent():
    found = set()
    for facts in every_fact():
        verdict = rerun.decide(facts)
        found.add(verdict)
        if verdict in (Verdict.RESUME, Verdict.RESTART):
            assert facts.state in lifecycle.CLAIMED | {RunState.RETRYING, RunState.FAILED}
            assert not facts.lease_live
            assert not facts.effects_open
            assert facts.execution in (
                ExecutionFact.NEVER_STARTED,
                ExecutionFact.NOT_STARTED_PROVEN,
                ExecutionFact.SETTLED,
                ExecutionFact.DEAD,
            )
        if verdict is Verdict.REUSE:
            assert facts.state is RunState.COMPLETED
    assert found == set(Verdict) - {Verdict.AMEND}


def test_every_row_of_the_table_is_needed():
    used = {
        rerun.rows.first(rerun.ROWS, replace(base, **changes)).found for base, changes, _ in ROWS
    }
    assert used == {row.found for row in rerun.ROWS}


def test_case_a18_a_window_that_the_timer_ran_is_reused_by_hand():
    assert rerun.decide(COMPLETED) is Verdict.REUSE


def test_case_a21_an_agent_that_may_live_is_proven_dead_before_anything_else():
    facts = replace(AT_WORK, execution=ExecutionFact.MAY_LIVE, effects_open=True, restart=SAFE)
    assert rerun.decide(facts) is Verdict.PROVE_DEAD


def test_case_a22_a_dead_agent_that_could_have_written_unseen_is_not_started_again():
    assert rerun.decide(replace(AT_WORK, execution=DEAD)) is Verdict.REVIEW


def test_case_a23_a_once_that_was_run_is_not_run_by_hand_again():
    assert rerun.decide(replace(COMPLETED, artifact=ArtifactFact.NONE_DECLARED)) is Verdict.REUSE


@pytest.mark.parametrize("restart", Restart)
def test_case_e06_a_restart_after_a_write_resumes_reconciles_or_asks(restart):
    for execution, effects_open in product(ExecutionFact, [False, True]):
        facts = replace(
            AT_WORK, wrote=True, restart=restart, execution=execution, effects_open=effects_open
        )
        assert rerun.decide(facts) in {
            Verdict.RESUME,
            Verdict.RECONCILE,
            Verdict.REVIEW,
            Verdict.PROVE_DEAD,
            Verdict.HOST_UNREACHABLE,
        }


@pytest.mark.parametrize("state", RunState)
def test_an_amendment_waits_until_the_earlier_run_is_over(state):
    reason = rerun.amend_waits(state)
    if state is RunState.BLOCKED:
        assert reason is Reason.WAITS_FOR_REVIEW
    else:
        assert (reason is Reason.WAITS_FOR_EARLIER) == (state in lifecycle.LIVE)
