"""No rule stalls its reader: each is refused with faults, or every question about it is bounded."""

from contextlib import suppress

import pytest

from duly.model.errors import ValidationError
from duly.recurrence.default_period import default_period
from duly.recurrence.read import read_rule
from duly.recurrence.schedule import Schedule, compile_rule
from duly.recurrence.work import WorkBudgetExceededError
from tests.recurrence import hostile, places
from tests.recurrence.places import instant

CREATED = instant("2026-06-03T14:37:22")


def test_there_are_two_hundred_hostile_rules() -> None:
    assert len(set(hostile.texts())) >= 200


@pytest.mark.parametrize("kind", ["rrule", "cron", "once"])
def test_hostile_rules_are_refused_or_bounded(kind: str) -> None:
    for written, text in hostile.texts():
        if written == kind:
            _ask(kind, text)


def _ask(kind: str, text: str) -> None:
    schedule = _compiled(kind, text)
    if schedule is None:
        return
    schedule.next(CREATED)
    schedule.prev(CREATED)
    default_period(schedule)
    with suppress(WorkBudgetExceededError):
        assert len(schedule.between(CREATED, instant("9000-01-01T00:00"), 200).slots) <= 200
        assert schedule.count(CREATED, instant("2040-01-01T00:00")) >= 0


def _compiled(kind: str, text: str) -> Schedule | None:
    try:
        rule = read_rule({kind: text}, zone=places.NEW_YORK, created_at=CREATED)
    except ValidationError:
        return None
    return compile_rule(rule, places.NEW_YORK)
