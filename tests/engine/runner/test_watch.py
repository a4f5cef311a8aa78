"""What is known of a program is folded from what it tells; limits count while the machine is awake."""

import pytest

from duly.adapters.launch import events
from duly.adapters.launch.proof import ExecutionFacts
from duly.engine.requests import Ended, Handle, RunKeys, Spoke, Woke
from duly.engine.runner import watch
from duly.engine.runner.watch import GRACE_US, PATIENCE_US, Stopping, Watch
from duly.model.instant import SECOND_US, Instant
from duly.model.plan import Timeouts
from duly.policy.ending import Cancelled, Exited, LaunchLost, Signalled, TimedOut, Timeout

FACTS = ExecutionFacts(boot_id="boot", run_token="token")
KEYS = RunKeys(run_id="r_1")
LIMITS = Timeouts(start_us=10 * SECOND_US, silence_us=60 * SECOND_US, wall_us=600 * SECOND_US)
NEW = Watch(facts=FACTS, launched_us=0, spoke_us=0)
STARTED = events.Started(facts=FACTS)


def woke(message=None, key=None, awake_us=0):
    return Woke(
        at=Instant(0),
        awake_us=awake_us,
        elapsed_us=10**15,
        handle=None if message is None else Handle(1),
        message=message,
        key=key,
    )


def told(*messages, start=NEW):
    for message in messages:
        start = watch.hear(start, woke(message), KEYS)
    return start


def at(seconds, seen):
    """Return the watch after looking at its limits then."""
    return watch.reached(seen, LIMITS, seconds * SECOND_US)


@pytest.mark.parametrize(
    ("messages", "exit_"),
    [
        ((STARTED, events.Exited(0), events.Empty(is_certain=True)), Exited(code=0)),
        ((STARTED, events.Exited(3), events.Empty(is_certain=True)), Exited(code=3)),
        ((STARTED, events.Signalled(9), events.Empty(is_certain=True)), Signalled(number=9)),
        ((STARTED, events.LauncherLost()), LaunchLost()),
        ((events.LauncherLost(),), LaunchLost()),
        ((STARTED, events.Exited(0), events.LauncherLost()), Exited(code=0)),
    ],
)
def test_a_program_that_is_over_ended_as_it_said(messages, exit_):
    seen = told(*messages, Ended())
    assert seen.is_over
    assert watch.exit_of(seen) == exit_


def test_only_a_certain_empty_tree_is_empty():
    assert told(STARTED, events.Exited(0), events.Empty(is_certain=True)).is_empty
    assert not told(STARTED, events.Exited(0), events.Empty(is_certain=False)).is_empty
    assert not told(STARTED, events.Exited(0), events.LauncherLost()).is_empty


def test_what_was_never_started_leaves_an_empty_tree():
    refusal = events.NotStarted(
        reason=events.NotStartedReason.PROGRAM_MISSING, errno=2, text="no such program"
    )
    seen = told(refusal, Ended())
    assert (seen.refusal, seen.is_empty, seen.has_started) == (refusal, True, False)


@pytest.mark.parametrize(
    ("seen", "seconds", "stopping"),
    [
        (NEW, 9, None),
        (NEW, 10, Stopping.START),
        (told(STARTED), 59, None),
        (told(STARTED), 60, Stopping.SILENCE),
        (told(STARTED, Spoke(awake_us=50 * SECOND_US)), 109, None),
        (told(STARTED, Spoke(awake_us=50 * SECOND_US)), 110, Stopping.SILENCE),
        (told(STARTED, Spoke(awake_us=590 * SECOND_US)), 599, None),
        (told(STARTED, Spoke(awake_us=590 * SECOND_US)), 600, Stopping.WALL),
        (told(STARTED, events.Exited(0)), 10_000, None),
    ],
)
def test_a_limit_is_reached_at_its_second_and_not_before(seen, seconds, stopping):
    assert at(seconds, seen).stopping is stopping


@pytest.mark.parametrize("seen", [NEW, told(STARTED), told(STARTED, Spoke(awake_us=5 * 10**6))])
def test_the_next_limit_is_when_one_is_reached(seen):
    limit_us = watch.next_limit(seen, LIMITS)
    assert watch.reached(seen, LIMITS, limit_us - 1).stopping is None
    assert watch.reached(seen, LIMITS, limit_us).stopping is not None


def test_without_a_silence_limit_silence_is_no_fault():
    quiet = Timeouts(start_us=SECOND_US, silence_us=None, wall_us=600 * SECOND_US)
    assert watch.next_limit(told(STARTED), quiet) == 600 * SECOND_US


def test_the_first_reason_to_stop_is_the_one_that_is_kept():
    cancelled = watch.hear(told(STARTED), woke(key=KEYS.cancel, awake_us=5), KEYS)
    assert at(10_000, cancelled) == cancelled
    timed_out = at(60, told(STARTED))
    assert watch.hear(timed_out, woke(key=KEYS.cancel), KEYS).stopping is Stopping.SILENCE


def test_after_the_grace_it_is_killed_and_after_more_patience_it_is_hopeless():
    seen = at(60, told(STARTED))
    limit_us = watch.next_limit(seen, LIMITS)
    assert limit_us == 60 * SECOND_US + GRACE_US
    assert not watch.killed(seen, limit_us - 1).is_killed
    killed = watch.killed(seen, limit_us)
    assert killed.is_killed
    assert watch.next_limit(killed, LIMITS) == limit_us + PATIENCE_US
    assert not watch.is_hopeless(killed, limit_us + PATIENCE_US - 1)
    assert watch.is_hopeless(killed, limit_us + PATIENCE_US)
    assert not watch.is_hopeless(seen, limit_us + PATIENCE_US)


def test_a_tree_that_outlives_its_program_is_waited_for_with_patience_and_no_longer():
    seen = watch.hear(told(STARTED), woke(events.Exited(0), awake_us=700 * SECOND_US), KEYS)
    limit_us = watch.next_limit(seen, LIMITS)
    assert limit_us == 700 * SECOND_US + PATIENCE_US
    assert not watch.is_hopeless(seen, limit_us - 1)
    assert watch.is_hopeless(seen, limit_us)


@pytest.mark.parametrize(
    ("stopping", "exit_"),
    [
        (Stopping.START, TimedOut(kind=Timeout.START)),
        (Stopping.SILENCE, TimedOut(kind=Timeout.SILENCE)),
        (Stopping.WALL, TimedOut(kind=Timeout.WALL)),
        (Stopping.CANCEL, Cancelled(was_started=True)),
    ],
)
def test_what_we_ended_is_no_signal_of_its_own(stopping, exit_):
    seen = Watch(facts=FACTS, launched_us=0, spoke_us=0, has_started=True, stopping=stopping)
    assert watch.exit_of(told(events.Signalled(15), Ended(), start=seen)) == exit_


def test_a_program_that_ends_by_itself_within_the_grace_has_its_own_exit():
    seen = told(events.Exited(0), start=at(60, told(STARTED)))
    assert watch.exit_of(seen) == Exited(code=0)


def test_cancelled_before_its_start_it_was_never_started():
    seen = watch.hear(NEW, woke(key=KEYS.cancel), KEYS)
    assert watch.exit_of(seen) == Cancelled(was_started=False)


def test_it_is_frozen_from_its_holders_deadline_until_the_lease_is_renewed():
    frozen = watch.hear(told(STARTED), woke(key=KEYS.deadline), KEYS)
    assert frozen.is_frozen
    assert not watch.hear(frozen, woke(key=KEYS.renewed), KEYS).is_frozen
    assert watch.hear(frozen, woke(key=KEYS.lost), KEYS).is_lost


def test_nothing_is_learnt_from_the_nodes_drain_or_from_waking_for_no_reason():
    seen = told(STARTED)
    assert watch.hear(seen, woke(key="drain"), KEYS) == seen
    assert watch.hear(seen, woke(), KEYS) == seen
    assert told(events.Frozen(is_whole=True), start=seen) == seen
