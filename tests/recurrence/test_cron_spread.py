"""`H`: one value for one automation, for ever; spread over all of them."""

from collections import Counter

import pytest

from duly.model.errors import ValidationError
from duly.model.timing import CronRule
from duly.recurrence.cron_spread import resolved
from duly.recurrence.read import read_rule
from duly.recurrence.schedule import compile_rule
from tests.recurrence import places
from tests.recurrence.places import instant


@pytest.mark.parametrize(
    "text", ["H * * * *", "H H * * *", "H(0-29)/10 H(1-5) H * H", "H/15 * * * *"]
)
def test_a_spread_value_is_the_same_for_ever_and_can_be_read(text):
    for number in range(60):
        seed = f"automation-{number}"
        assert resolved(text, seed) == resolved(text, seed)
        compile_rule(CronRule(text=resolved(text, seed)), places.TAIPEI)


def test_automations_are_spread_over_the_hour():
    counts = Counter(resolved("H * * * *", f"a{number}").split()[0] for number in range(6000))
    assert len(counts) == 60 and max(counts.values()) < 150


def test_values_keep_to_their_ranges():
    for number in range(300):
        minute, hour, day, _, _ = resolved("H(10-19) H(22-23) H * *", f"a{number}").split()
        assert 10 <= int(minute) <= 19 and 22 <= int(hour) <= 23 and 1 <= int(day) <= 28


def test_what_is_no_spread_stays_as_it_is():
    assert resolved("*/5 9 L * MON#1", "a") == "*/5 9 L * MON#1"
    assert resolved("H(50-70) * * * *", "a") == "H(50-70) * * * *"


def test_a_rule_is_stored_with_its_values_and_refused_where_there_is_no_automation():
    given = {"cron": "H 9 * * *"}
    at = instant("2026-05-01T00:00")
    rule = read_rule(given, zone=places.TAIPEI, created_at=at, seed="report")
    assert rule == CronRule(text=resolved("H 9 * * *", "report"))
    with pytest.raises(ValidationError, match="each automation's own"):
        read_rule(given, zone=places.TAIPEI, created_at=at)


def test_seconds_in_front_change_no_other_value():
    for number in range(60):
        five, six = (resolved(text, f"a{number}") for text in ("H H H H H", "H H H H H H"))
        assert six.split()[1:] == five.split()


def test_a_rule_with_seconds_first_is_read_and_stored_with_them():
    at = instant("2026-05-01T00:00")
    given = {"cron": "H 0 9 * * *", "seconds_first": True}
    rule = read_rule(given, zone=places.TAIPEI, created_at=at, seed="report")
    assert rule == CronRule(text=resolved("H 0 9 * * *", "report"), seconds_first=True)
    for wrong, message in (
        ({"cron": "0 9 * * *", "seconds_first": "yes"}, "true or false"),
        ({"once": "2026-12-25 08:00", "seconds_first": True}, "with cron only"),
        ({"cron": "0 9 * * *", "seconds_first": True}, "there are 5 fields"),
        ({"cron": "H  9 * * 8"}, "column 10: 8 is outside"),
    ):
        with pytest.raises(ValidationError, match=message):
            read_rule(wrong, zone=places.TAIPEI, created_at=at, seed="report")
