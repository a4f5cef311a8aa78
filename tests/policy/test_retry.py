"""Retry: delays are bounded, repeatable and spread; nothing that may have written is tried again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.instant import HOUR_US, SECOND_US
from duly.model.plan import Retry
from duly.model.reasons import Reason
from duly.model.states import ErrorClass, Outcome, RunEvent
from duly.policy import lifecycle, retry
from duly.policy.ending import Ending
from duly.policy.retry import Block, Fail, Failure, Reconcile, RetryAt, Wrote

RULE = Retry(attempts_max=3, delay_us=10 * SECOND_US, delay_us_max=HOUR_US)
RULES = st.builds(
    Retry,
    attempts_max=st.integers(1, 100),
    delay_us=st.integers(0, 10**10),
    delay_us_max=st.integers(0, 10**11),
)
FAILURES = st.builds(
    Failure,
    error_class=st.sampled_from(ErrorClass),
    attempts=st.integers(1, 200),
    wrote=st.sampled_from(Wrote),
    retry_after_us=st.none() | st.integers(0, 10**12),
)


def failed(error_class, attempts=1, wrote=Wrote.NOTHING, retry_after_us=None):
    return Failure(
        error_class=error_class, attempts=attempts, wrote=wrote, retry_after_us=retry_after_us
    )


@given(FAILURES, RULES, st.text())
def test_a_retry_comes_only_to_clean_transient_failures_with_attempts_left(failure, rule, seed):
    verdict = retry.decide(failure, rule, seed)
    is_clean = failure.wrote in (Wrote.NOTHING, Wrote.VOUCHED)
    is_left = failure.attempts < rule.attempts_max
    expected = failure.error_class is ErrorClass.TRANSIENT and is_clean and is_left
    assert isinstance(verdict, RetryAt) == expected
    if isinstance(verdict, Fail):
        assert is_clean


@given(st.integers(1, 99), RULES, st.text(), st.none() | st.integers(0, 10**12))
def test_a_delay_lies_within_its_backoff_unless_asked_to_wait_longer(attempts, rule, seed, asked):
    failure = failed(ErrorClass.TRANSIENT, attempts, retry_after_us=asked)
    verdict = retry.decide(failure, rule, seed)
    if isinstance(verdict, RetryAt):
        backoff = min(rule.delay_us * 2 ** (attempts - 1), rule.delay_us_max)
        assert verdict.delay_us >= max(backoff // 2, asked or 0)
        assert verdict.delay_us <= max(backoff, asked or 0)


def test_the_same_run_waits_the_same_on_every_node_and_others_wait_otherwise():
    failure = failed(ErrorClass.TRANSIENT)
    delays = [retry.decide(failure, RULE, f"r_{number}").delay_us for number in range(100)]
    assert delays == [retry.decide(failure, RULE, f"r_{number}").delay_us for number in range(100)]
    assert len(set(delays)) == 100
    assert max(delays) - min(delays) > RULE.delay_us // 3


def test_later_attempts_wait_longer():
    rule = Retry(attempts_max=9, delay_us=SECOND_US, delay_us_max=HOUR_US)
    delays = [retry.decide(failed(ErrorClass.TRANSIENT, n), rule, "r").delay_us for n in (1, 3, 5)]
    assert delays == sorted(delays)
    assert delays[0] <= SECOND_US
    assert delays[2] >= 8 * SECOND_US


@pytest.mark.parametrize(
    ("failure", "verdict"),
    [
        (failed(ErrorClass.TRANSIENT, 3), Fail(reason=Reason.RETRIES_EXHAUSTED)),
        (failed(ErrorClass.TRANSIENT, 3, Wrote.MAYBE), Block(reason=Reason.MAY_HAVE_WRITTEN)),
        (failed(ErrorClass.TRANSIENT, 1, Wrote.SOMETHING), Block(reason=Reason.MAY_HAVE_WRITTEN)),
        (failed(ErrorClass.PERMANENT), Fail(reason=Reason.PERMANENT)),
        (failed(ErrorClass.PERMANENT, wrote=Wrote.VOUCHED), Fail(reason=Reason.PERMANENT)),
        (failed(ErrorClass.PERMANENT, wrote=Wrote.MAYBE), Block(reason=Reason.MAY_HAVE_WRITTEN)),
        (failed(ErrorClass.POLICY), Block(reason=Reason.POLICY)),
        (failed(ErrorClass.UNKNOWN_OUTCOME), Reconcile()),
        (failed(ErrorClass.UNKNOWN_OUTCOME, wrote=Wrote.SOMETHING), Reconcile()),
    ],
)
def test_where_there_is_no_retry_the_run_rests_where_it_is_safe(failure, verdict):
    assert retry.decide(failure, RULE, "r") == verdict


@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("is_vouched", [False, True])
def test_an_ending_says_what_was_written_and_agrees_with_its_state(outcome, is_vouched):
    ending = Ending(
        outcome=outcome, grade=None, reason=Reason.POLICY, error_class=None, is_vouched=is_vouched
    )
    is_clean = retry.wrote_of(ending) in (Wrote.NOTHING, Wrote.VOUCHED)
    if lifecycle.event_of(outcome) is RunEvent.FAIL:
        assert is_clean
        assert (retry.wrote_of(ending) is Wrote.VOUCHED) == is_vouched
    if lifecycle.event_of(outcome) is RunEvent.BLOCK:
        assert not is_clean
