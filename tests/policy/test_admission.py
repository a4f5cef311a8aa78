"""Admission: every due slot is answered exactly once, in order, as overlap and catch-up say together."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.instant import HOUR_US, MINUTE_US, Instant
from duly.model.plan import (
    CatchUpBounded,
    CatchUpLatest,
    CatchUpNone,
    OverlapAllow,
    OverlapQueueOne,
    OverlapSkip,
)
from duly.model.reasons import Reason
from duly.model.states import Disposition
from duly.policy import admission, tables
from duly.policy.admission import DueSlots, MissedRange, SlotAnswer, Works
from duly.policy.catch_up import LateSlot
from duly.policy.overlap import OverlapFacts

AT = Instant(10**15)
TOLERANCE = 5 * MINUTE_US
NONE = CatchUpNone()
LATEST = CatchUpLatest(age_us_max=None)
THREE = CatchUpBounded(count=3, age_us_max=24 * HOUR_US)
SKIP = OverlapSkip()
QUEUE_ONE = OverlapQueueOne()
TWO = OverlapAllow(count=2)
FREE = OverlapFacts(live=0, waiting=0)
ONE_LIVE = OverlapFacts(live=1, waiting=0)

OVERLAPS = st.one_of(
    st.just(SKIP), st.just(QUEUE_ONE), st.builds(OverlapAllow, count=st.integers(1, 4))
)
CATCH_UPS = st.one_of(
    st.just(NONE),
    st.builds(CatchUpLatest, age_us_max=st.none() | st.integers(0, 2 * HOUR_US)),
    st.builds(CatchUpBounded, count=st.integers(1, 100), age_us_max=st.integers(0, 2 * HOUR_US)),
)
FACTS = st.builds(OverlapFacts, live=st.integers(0, 3), waiting=st.integers(0, 3))


def slot(age_us):
    return LateSlot(key=f"-{age_us // MINUTE_US}", due_at=Instant(AT - age_us))


def due_of(*minutes, unlisted=0):
    """Return due slots of these ages in minutes; the unlisted ones are older by a day and more."""
    newest = tuple(slot(minute * MINUTE_US) for minute in sorted(minutes, reverse=True))
    first = slot(24 * HOUR_US) if unlisted else newest[0]
    return DueSlots(count=len(newest) + unlisted, newest=newest, first=first)


DUE = st.builds(
    lambda minutes, unlisted: due_of(*minutes, unlisted=unlisted),
    st.sets(st.integers(0, 150), min_size=1, max_size=30),
    st.just(0) | st.integers(1, 10**6),
)


def plan(overlap, catch_up, due, facts=FREE, works=None):
    return admission.plan_slots(tables.timing_of(overlap, catch_up), due, facts, AT, works)


def text(answers):
    """Return answers as `first..last count reason` and `slot disposition`, joined."""
    words = []
    for answer in answers:
        match answer:
            case MissedRange():
                words.append(f"missed {answer.count}")
            case SlotAnswer():
                mark = "+" if answer.chained else ""
                words.append(f"{mark}{answer.slot.key} {answer.disposition.value}")
    return ", ".join(words)


@given(OVERLAPS, CATCH_UPS, DUE, FACTS)
def test_every_due_slot_is_answered_exactly_once_and_in_order(overlap, catch_up, due, facts):
    answers = plan(overlap, catch_up, due, facts)
    ranges = [answer for answer in answers if isinstance(answer, MissedRange)]
    singles = [answer.slot for answer in answers if isinstance(answer, SlotAnswer)]
    missed = sum(each.count for each in ranges)
    assert missed + len(singles) == due.count
    assert tuple(singles) == due.newest[len(due.newest) - len(singles) :]
    assert list(answers[: len(ranges)]) == ranges
    if ranges:
        (only,) = ranges
        assert only.first == due.first
        assert only.last == due.newest[len(due.newest) - len(singles) - 1]
    else:
        assert len(due.newest) == due.count


@given(OVERLAPS, CATCH_UPS, DUE, FACTS)
def test_a_chain_is_unbroken_and_waits_behind_one_head(overlap, catch_up, due, facts):
    answers = plan(overlap, catch_up, due, facts)
    caught_up = [each for each in answers if isinstance(each, SlotAnswer) and each.caught_up]
    made = [
        each for each in caught_up if each.disposition in (Disposition.STARTED, Disposition.QUEUED)
    ]
    assert [each.chained for each in made] == [False, True, True, *[True] * len(made)][: len(made)]
    assert all(each.is_waiting and each.reason is Reason.CHAINED for each in made[1:])
    assert not made or made == caught_up


@given(OVERLAPS, CATCH_UPS, DUE, FACTS)
def test_only_late_slots_are_missed_or_caught_up(overlap, catch_up, due, facts):
    for answer in plan(overlap, catch_up, due, facts):
        if isinstance(answer, SlotAnswer):
            assert answer.caught_up == (AT - answer.slot.due_at > TOLERANCE) or due.count > len(
                due.newest
            )
            assert answer.is_waiting == (answer.disposition is Disposition.QUEUED)


@given(OVERLAPS, CATCH_UPS, DUE, FACTS)
def test_one_admission_starts_no_more_than_the_rule_allows(overlap, catch_up, due, facts):
    answers = plan(overlap, catch_up, due, facts)
    started = sum(
        isinstance(each, SlotAnswer) and each.disposition is Disposition.STARTED for each in answers
    )
    limit = overlap.count if isinstance(overlap, OverlapAllow) else 1
    assert started <= max(0, limit - facts.live)


@given(OVERLAPS, CATCH_UPS, DUE, FACTS)
def test_what_is_wanted_is_what_is_answered_one_by_one(overlap, catch_up, due, facts):
    answers = plan(overlap, catch_up, due, facts)
    singles = tuple(answer.slot for answer in answers if isinstance(answer, SlotAnswer))
    assert admission.wanted(tables.timing_of(overlap, catch_up), due, AT) == singles


@given(OVERLAPS, CATCH_UPS, DUE, FACTS)
def test_slots_of_one_work_make_at_most_one_run(overlap, catch_up, due, facts):
    works = Works(of={each.key: "today" for each in due.newest})
    answers = [
        each for each in plan(overlap, catch_up, due, facts, works) if isinstance(each, SlotAnswer)
    ]
    made = [
        each for each in answers if each.disposition in (Disposition.STARTED, Disposition.QUEUED)
    ]
    assert len(made) <= 1
    if made:
        later = answers[answers.index(made[0]) + 1 :]
        assert all(each.disposition is Disposition.JOINED for each in later)


# Slots every 10 minutes; nobody scanned for slots -60 to -10, and slot 0 is due now.
@pytest.mark.parametrize(
    ("overlap", "catch_up", "facts", "expected"),
    [
        (SKIP, NONE, FREE, "missed 6, -0 started"),
        (SKIP, NONE, ONE_LIVE, "missed 6, -0 skipped"),
        (SKIP, LATEST, FREE, "missed 5, -10 started, -0 skipped"),
        (SKIP, LATEST, ONE_LIVE, "missed 5, -10 skipped, -0 skipped"),
        (SKIP, THREE, FREE, "missed 3, -30 started, +-20 queued, +-10 queued, -0 skipped"),
        (SKIP, THREE, ONE_LIVE, "missed 3, -30 skipped, -20 skipped, -10 skipped, -0 skipped"),
        (QUEUE_ONE, NONE, FREE, "missed 6, -0 started"),
        (QUEUE_ONE, NONE, ONE_LIVE, "missed 6, -0 queued"),
        (QUEUE_ONE, LATEST, FREE, "missed 5, -10 started, -0 queued"),
        (QUEUE_ONE, LATEST, ONE_LIVE, "missed 5, -10 queued, -0 skipped"),
        (QUEUE_ONE, THREE, FREE, "missed 3, -30 started, +-20 queued, +-10 queued, -0 skipped"),
        (QUEUE_ONE, THREE, ONE_LIVE, "missed 3, -30 queued, +-20 queued, +-10 queued, -0 skipped"),
        (TWO, NONE, FREE, "missed 6, -0 started"),
        (TWO, NONE, ONE_LIVE, "missed 6, -0 started"),
        (TWO, LATEST, FREE, "missed 5, -10 started, -0 started"),
        (TWO, LATEST, ONE_LIVE, "missed 5, -10 started, -0 refused"),
        (TWO, THREE, FREE, "missed 3, -30 started, +-20 queued, +-10 queued, -0 started"),
        (TWO, THREE, ONE_LIVE, "missed 3, -30 started, +-20 queued, +-10 queued, -0 refused"),
    ],
)
def test_overlap_and_catch_up_together_answer_as_the_matrix_says(
    overlap, catch_up, facts, expected
):
    assert text(plan(overlap, catch_up, due_of(0, 10, 20, 30, 40, 50, 60), facts)) == expected


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        (SKIP, "-4 started, -2 skipped, -0 skipped"),
        (QUEUE_ONE, "-4 started, -2 queued, -0 skipped"),
        (TWO, "-4 started, -2 started, -0 refused"),
    ],
)
def test_earlier_slots_on_time_stand_before_later_ones(overlap, expected):
    assert text(plan(overlap, NONE, due_of(0, 2, 4))) == expected


def test_case_b02_an_outage_without_catch_up_is_one_range_and_no_run():
    hours = [60 * hour for hour in range(1, 13)]
    (only,) = plan(SKIP, NONE, due_of(*hours))
    assert (only.count, only.reason) == (12, Reason.LATE)
    assert (only.first, only.last) == (slot(12 * HOUR_US), slot(HOUR_US))


def test_case_b05_a_slot_within_the_tolerance_starts_although_it_is_late():
    (only,) = plan(SKIP, NONE, due_of(1))
    assert (only.disposition, only.reason) == (Disposition.STARTED, Reason.ON_TIME)


@pytest.mark.parametrize("missed", [1, 10, 500])
def test_case_c01_an_outage_with_catch_up_latest_makes_one_run(missed):
    answers = plan(SKIP, LATEST, due_of(20, 10, unlisted=missed))
    assert text(answers) == f"missed {missed + 1}, -10 started"


def test_case_c05_the_newest_three_of_ten_run_as_a_chain_and_none_is_skipped():
    answers = plan(SKIP, THREE, due_of(*range(10, 110, 10)))
    assert text(answers) == "missed 7, -30 started, +-20 queued, +-10 queued"


def test_a_gap_longer_than_any_list_is_one_range():
    newest = tuple(slot(minute * MINUTE_US) for minute in range(200, 0, -1))
    due = DueSlots(count=10**6, newest=newest, first=slot(10**6 * MINUTE_US))
    hundred = CatchUpBounded(count=100, age_us_max=24 * HOUR_US)
    missed, *fired = plan(SKIP, hundred, due)
    on_time = 5
    assert len(fired) == 100 + on_time
    assert missed.count == 10**6 - len(fired)
    assert missed.last == newest[-len(fired) - 1]


def test_where_more_slots_are_on_time_than_listed_the_oldest_listed_ends_the_range():
    due = DueSlots(count=500, newest=(slot(2), slot(1)), first=slot(500))
    missed, only = plan(OverlapAllow(count=9), NONE, due)
    assert (missed.count, missed.last, only.slot) == (499, slot(2), slot(1))


def test_a_slot_whose_work_has_a_run_joins_it_and_stands_before_nobody():
    works = Works(of={"-4": "today", "-2": "tomorrow"}, existing=frozenset({"today"}))
    answers = plan(SKIP, NONE, due_of(4, 2), FREE, works)
    assert text(answers) == "-4 joined, -2 started"
    assert answers[0].reason is Reason.SAME_WORK


def test_a_run_is_joined_even_where_overlap_would_skip():
    works = Works(of={"-4": "today"}, existing=frozenset({"today"}))
    assert text(plan(SKIP, NONE, due_of(4), ONE_LIVE, works)) == "-4 joined"


def test_the_chain_closes_around_a_slot_that_joins():
    works = Works(of={"-20": "done"}, existing=frozenset({"done"}))
    answers = plan(SKIP, THREE, due_of(10, 20, 30), FREE, works)
    assert text(answers) == "-30 started, -20 joined, +-10 queued"


def test_a_slot_that_makes_no_run_gives_later_ones_nothing_to_join():
    works = Works(of={"-4": "today", "-2": "today"})
    assert text(plan(SKIP, NONE, due_of(4, 2), ONE_LIVE, works)) == "-4 skipped, -2 skipped"


def test_case_c07_only_slots_inside_the_bounds_are_slots():
    timing = replace(
        tables.timing_of(SKIP, LATEST), valid_from=Instant(100), valid_until=Instant(200)
    )
    assert admission.bounds(timing, Instant(0), Instant(1000)) == (99, 200)
    assert admission.bounds(timing, Instant(150), Instant(180)) == (150, 180)
    inside = [at for at in (99, 100, 200, 201) if admission.is_valid(timing, Instant(at))]
    assert inside == [100, 200]


@given(
    st.integers(0, 300),
    st.integers(0, 300),
    st.none() | st.integers(0, 300),
    st.none() | st.integers(0, 300),
)
def test_bounds_hold_exactly_the_valid_slots_that_are_due(mark, at, valid_from, valid_until):
    timing = replace(tables.timing_of(SKIP, NONE), valid_from=valid_from, valid_until=valid_until)
    after, until = admission.bounds(timing, Instant(mark), Instant(at))
    assert after <= until
    for due_at in range(301):
        is_due = mark < due_at <= at and admission.is_valid(timing, Instant(due_at))
        assert (after < due_at <= until) == is_due


def test_a_closed_span_is_one_range():
    due = due_of(1, 2, 3, unlisted=7)
    assert admission.close(due, Reason.PAUSED) == MissedRange(
        first=due.first, last=slot(MINUTE_US), count=10, reason=Reason.PAUSED
    )


@pytest.mark.parametrize(
    ("count", "newest", "first"),
    [
        (0, (), slot(1)),
        (1, (slot(2), slot(1)), slot(2)),
        (1, (slot(1),), slot(9)),
        (3, (), slot(1)),
    ],
)
def test_a_list_that_does_not_fit_its_count_is_no_list(count, newest, first):
    with pytest.raises(ValueError, match="list"):
        DueSlots(count=count, newest=newest, first=first)
