"""Catch-up: every missed slot is answered once, in order, and only what the rule allows fires."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.instant import HOUR_US, MINUTE_US, Instant
from duly.model.plan import CatchUpBounded, CatchUpLatest, CatchUpNone
from duly.model.reasons import Reason
from duly.policy import catch_up
from duly.policy.catch_up import LateSlot

AT = Instant(10**12)
AGES = st.integers(0, 200)
RULES = st.one_of(
    st.just(CatchUpNone()),
    st.builds(CatchUpLatest, age_us_max=st.none() | AGES),
    st.builds(CatchUpBounded, count=st.integers(1, 100), age_us_max=AGES),
)


def slots(*ages):
    """Return slots of these ages, oldest first."""
    due = sorted(AT - age for age in ages)
    return tuple(LateSlot(key=str(at), due_at=Instant(at)) for at in due)


MISSED = st.sets(AGES, max_size=30).map(lambda ages: slots(*ages))


@given(RULES, MISSED, st.integers(0, 10**6))
def test_every_missed_slot_is_answered_once_and_order_is_kept(rule, newest, unlisted):
    count = unlisted + len(newest)
    verdict = catch_up.decide(rule, count, newest, AT)
    assert len(verdict.fire) + verdict.missed_count == count
    assert verdict.fire == newest[len(newest) - len(verdict.fire) :]


@given(RULES, MISSED, st.integers(1, 10**6))
def test_the_last_slot_of_a_range_is_always_listed(rule, newest, unlisted):
    verdict = catch_up.decide(rule, unlisted + len(newest), newest, AT)
    assert len(verdict.fire) < max(1, len(newest))


@given(RULES, MISSED)
def test_nothing_fires_beyond_the_count_or_the_age(rule, newest):
    fire = catch_up.decide(rule, len(newest), newest, AT).fire
    count_max = {CatchUpNone: 0, CatchUpLatest: 1}.get(type(rule))
    assert len(fire) <= (rule.count if count_max is None else count_max)
    age_max = getattr(rule, "age_us_max", None)
    assert all(age_max is None or AT - slot.due_at <= age_max for slot in fire)


@given(RULES, MISSED)
def test_the_reason_is_true_of_every_missed_slot(rule, newest):
    verdict = catch_up.decide(rule, len(newest), newest, AT)
    missed = newest[: verdict.missed_count]
    if verdict.reason is Reason.CATCH_UP_AGE:
        assert all(AT - slot.due_at > rule.age_us_max for slot in missed)
    if verdict.reason is Reason.CATCH_UP_COUNT:
        assert len(verdict.fire) == getattr(rule, "count", 1)


@pytest.mark.parametrize(
    ("rule", "fired", "reason"),
    [
        (CatchUpNone(), 0, Reason.LATE),
        (CatchUpLatest(age_us_max=None), 1, Reason.CATCH_UP_COUNT),
        (CatchUpLatest(age_us_max=10), 1, Reason.CATCH_UP_AGE),
        (CatchUpLatest(age_us_max=9), 0, Reason.CATCH_UP_AGE),
        (CatchUpBounded(count=2, age_us_max=99), 2, Reason.CATCH_UP_COUNT),
        (CatchUpBounded(count=9, age_us_max=20), 2, Reason.CATCH_UP_AGE),
        (CatchUpBounded(count=1, age_us_max=0), 0, Reason.CATCH_UP_AGE),
    ],
)
def test_the_newest_fire_as_far_as_the_rule_goes(rule, fired, reason):
    verdict = catch_up.decide(rule, 4, slots(10, 20, 30, 40), AT)
    assert (len(verdict.fire), verdict.missed_count, verdict.reason) == (fired, 4 - fired, reason)


def test_a_long_gap_costs_no_list():
    verdict = catch_up.decide(CatchUpBounded(count=3, age_us_max=99), 10**9, slots(1, 2, 3, 4), AT)
    assert [AT - slot.due_at for slot in verdict.fire] == [3, 2, 1]
    assert verdict.missed_count == 10**9 - 3


@pytest.mark.parametrize(
    ("age", "is_late"),
    [(0, False), (5 * MINUTE_US, False), (5 * MINUTE_US + 1, True), (HOUR_US, True)],
)
def test_a_slot_is_on_time_up_to_the_tolerance(age, is_late):
    assert catch_up.is_late(Instant(AT - age), AT, 5 * MINUTE_US) is is_late
