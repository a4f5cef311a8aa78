"""Notices: told once for each kind, until all is well again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.states import Outcome
from duly.policy import lifecycle, notify
from duly.policy.notify import NoticeKind

ALARMS = [kind for kind in NoticeKind if kind is not NoticeKind.WELL]


def tell(kinds):
    """Return which of these news, one after the other, a person is told of."""
    told, heard = None, []
    for kind in kinds:
        telling = notify.decide(told, kind)
        told = telling.told
        heard += [kind] if telling.is_told else []
    return heard


def test_case_e08_a_day_of_failures_is_told_once():
    assert tell([NoticeKind.FAILED] * 288) == [NoticeKind.FAILED]


def test_an_alarm_is_news_again_after_the_automation_was_well():
    failed, well = NoticeKind.FAILED, NoticeKind.WELL
    assert tell([failed, well, failed, failed]) == [failed, failed]


def test_another_kind_of_alarm_is_news_and_does_not_make_the_first_news_again():
    failed, missed = NoticeKind.FAILED, NoticeKind.MISSED
    assert tell([failed, missed, failed, missed]) == [failed, missed]


@given(st.lists(st.sampled_from(NoticeKind), max_size=30))
def test_between_two_well_ends_every_kind_is_told_exactly_once(kinds):
    spans = [[]]
    for kind in kinds:
        if kind is NoticeKind.WELL:
            spans.append([])
        else:
            spans[-1].append(kind)
    assert tell(kinds) == [kind for span in spans for kind in dict.fromkeys(span)]


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_is_an_alarm_or_well_unless_somebody_cancelled(outcome):
    kind = notify.kind_of(outcome)
    if outcome is Outcome.CANCELLED:
        assert kind is None
    else:
        is_done = lifecycle.state_of(outcome) in lifecycle.FINAL
        assert (kind is NoticeKind.WELL) == is_done
        assert kind in ALARMS or is_done
