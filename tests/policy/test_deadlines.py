"""Deadlines: the start's counts from the claim or the wait, the queue's from the admission."""

import pytest

from duly.model.instant import Instant
from duly.model.reasons import Reason
from duly.policy import deadlines
from duly.policy.deadlines import WaitFacts


def wait(starting=None, queued=None, queue_us_max=None):
    return WaitFacts(
        starting_since=starting, queued_since=queued, start_us_max=100, queue_us_max=queue_us_max
    )


@pytest.mark.parametrize(
    ("facts", "at", "reason"),
    [
        (wait(), 10**9, None),
        (wait(starting=0), 99, None),
        (wait(starting=0), 100, Reason.START_DEADLINE),
        (wait(queued=0), 10**9, None),
        (wait(queued=0, queue_us_max=500), 499, None),
        (wait(queued=0, queue_us_max=500), 500, Reason.QUEUE_DEADLINE),
        (wait(queued=0, starting=450, queue_us_max=500), 500, Reason.QUEUE_DEADLINE),
        (wait(queued=0, starting=400, queue_us_max=500), 500, Reason.START_DEADLINE),
    ],
)
def test_a_wait_ends_at_its_deadline(facts, at, reason):
    assert deadlines.decide(facts, Instant(at)) is reason


def test_case_h11_a_run_waits_for_a_missing_directory_until_its_start_deadline_only():
    facts = wait(starting=0, queued=0)
    assert [deadlines.decide(facts, Instant(at)) for at in (50, 150)] == [
        None,
        Reason.START_DEADLINE,
    ]
