"""Overlap: a table of rules against runs that stand before a slot, and which runs stand there at all."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.plan import OverlapAllow, OverlapQueueOne, OverlapSkip
from duly.model.reasons import Reason
from duly.model.states import RunState
from duly.policy import lifecycle, overlap
from duly.policy.overlap import OverlapFacts, Queue, Refuse, RunFacts, Skip, Start

SKIP = OverlapSkip()
QUEUE_ONE = OverlapQueueOne()
RULES = st.one_of(
    st.just(SKIP),
    st.just(QUEUE_ONE),
    st.integers(1, 9).map(lambda count: OverlapAllow(count=count)),
)
LINES = st.builds(OverlapFacts, live=st.integers(0, 9), waiting=st.integers(0, 9))


def run(state, **changes):
    facts = {"child_may_live": False, "is_sleeping": False, "is_backfill": False}
    return RunFacts(state=state, **(facts | changes))


@pytest.mark.parametrize(
    ("rule", "live", "waiting", "verdict"),
    [
        (SKIP, 0, 0, Start()),
        (SKIP, 1, 0, Skip(reason=Reason.OVERLAP)),
        (SKIP, 0, 1, Skip(reason=Reason.OVERLAP)),
        (QUEUE_ONE, 0, 0, Start()),
        (QUEUE_ONE, 1, 0, Queue(reason=Reason.WAITS_FOR_EARLIER)),
        (QUEUE_ONE, 1, 1, Skip(reason=Reason.QUEUE_FULL)),
        (QUEUE_ONE, 0, 2, Skip(reason=Reason.QUEUE_FULL)),
        (OverlapAllow(count=2), 1, 0, Start()),
        (OverlapAllow(count=2), 2, 0, Refuse(reason=Reason.COUNT_LIMIT)),
        (OverlapAllow(count=2), 3, 0, Refuse(reason=Reason.COUNT_LIMIT)),
        (OverlapAllow(count=2), 1, 2, Start()),
    ],
)
def test_a_slot_is_judged_by_the_rule_and_by_what_stands_before_it(rule, live, waiting, verdict):
    assert overlap.decide(rule, OverlapFacts(live=live, waiting=waiting)) == verdict


def test_a_run_that_waits_for_one_just_ended_does_not_fill_the_queue():
    facts = OverlapFacts(live=0, waiting=1)
    assert overlap.decide(QUEUE_ONE, facts) == Queue(reason=Reason.WAITS_FOR_EARLIER)


@given(RULES, LINES)
def test_no_more_runs_start_than_the_rule_allows(rule, facts):
    if overlap.decide(rule, facts) == Start():
        assert facts.live < overlap.runs_max(rule)


@given(RULES, LINES)
def test_what_is_asked_for_is_never_turned_away(rule, facts):
    asked = overlap.decide_asked(rule, facts)
    assert asked in (Start(), Queue(reason=Reason.WAITS_FOR_EARLIER))
    assert (asked == Start()) == (overlap.decide(rule, facts) == Start())


@given(RULES, LINES)
def test_an_empty_line_never_wedges_a_slot(rule, facts):
    assert overlap.decide(rule, OverlapFacts(live=0, waiting=0)) == Start()
    assert overlap.may_promote(rule, 0, is_predecessor_live=False)


@given(RULES, st.integers(0, 9))
def test_a_chained_run_never_passes_its_predecessor(rule, live):
    assert not overlap.may_promote(rule, live, is_predecessor_live=True)
    assert overlap.may_promote(rule, live, is_predecessor_live=False) == (
        live < overlap.runs_max(rule)
    )


@pytest.mark.parametrize("state", RunState)
def test_a_run_counts_while_it_is_live_and_not_parked(state):
    parked = {RunState.CREATED, RunState.AWAITING_APPROVAL}
    assert overlap.counts(run(state)) == (state in lifecycle.LIVE - parked)


def test_case_e09_a_run_that_needs_review_does_not_stop_the_next_slot():
    live = sum(overlap.counts(each) for each in [run(RunState.BLOCKED), run(RunState.FAILED)])
    assert overlap.decide(SKIP, OverlapFacts(live=live, waiting=0)) == Start()


@pytest.mark.parametrize("state", [RunState.BLOCKED, RunState.AWAITING_APPROVAL, RunState.QUEUED])
def test_a_run_whose_child_may_live_counts_whatever_else_it_is(state):
    assert overlap.counts(run(state, child_may_live=True, is_sleeping=True))


def test_a_sleeping_run_does_not_count():
    assert not overlap.counts(run(RunState.QUEUED, is_sleeping=True))


@pytest.mark.parametrize(("state", "lives"), list(product(RunState, [True, False])))
def test_a_backfill_of_a_past_window_never_counts(state, lives):
    assert not overlap.counts(run(state, is_backfill=True, child_may_live=lives))
