"""Suspension: only a fault of the set-up, only in a row, and never the agent's own failures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.reasons import Reason
from duly.policy import suspend
from duly.policy.ending import NOT_STARTED
from duly.policy.suspend import FaultKind

KINDS = st.none() | st.sampled_from(FaultKind)


def after(kinds):
    """Return whether any of these endings, one after the other, suspends."""
    before, number = None, 0
    for kind in kinds:
        number = suspend.count(before, number, kind)
        before = kind
        if suspend.decide(number, kind):
            return True
    return False


@pytest.mark.parametrize("kind", FaultKind)
def test_the_third_fault_of_one_kind_in_a_row_suspends(kind):
    assert not after([kind, kind])
    assert after([kind, kind, kind])
    assert not after([kind, kind, None, kind, kind])


def test_other_faults_in_between_start_the_count_again():
    assert not after([FaultKind.MODEL, FaultKind.MODEL, FaultKind.CONFIGURATION, FaultKind.MODEL])


@given(st.lists(KINDS, max_size=20))
def test_an_automation_suspends_exactly_when_three_in_a_row_are_alike(kinds):
    runs = zip(kinds, kinds[1:], kinds[2:], strict=False)
    assert after(kinds) == any(one is not None and one is two is three for one, two, three in runs)


@pytest.mark.parametrize("reason", [Reason.EXIT_UNEXPECTED, Reason.WALL_TIMEOUT, Reason.SIGNALLED])
def test_case_e08_a_check_that_fails_all_day_never_suspends(reason):
    assert not after([suspend.kind_of(reason)] * 288)


@pytest.mark.parametrize("reason", Reason)
def test_only_what_kept_an_agent_from_starting_is_a_fault_of_the_set_up(reason):
    assert suspend.kind_of(reason) is None or reason in NOT_STARTED


@pytest.mark.parametrize("kind", FaultKind)
def test_a_suspension_names_the_kind_of_fault(kind):
    assert suspend.reason_of(kind).value == f"{kind.value}_fault"


def test_case_h06_access_revoked_for_good_suspends_once():
    kind = suspend.kind_of(Reason.SECRET_MISSING)
    assert kind is FaultKind.AUTHENTICATION
    assert after([kind] * suspend.FAULTS_MAX)
