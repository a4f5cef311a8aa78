"""`duly when`: what a rule means, without a data directory, a server or an automation."""

import pytest


def test_a_rule_is_named_with_its_zone_and_what_clock_changes_do_to_it(duly):
    asked = ("when", "30 2 * * *", "--zone", "America/New_York", "--from", "2027-03-13", "-n", "3")
    answer = duly(*asked, "--json").json
    assert [slot["slot_key"] for slot in answer["slots"]] == [
        "2027-03-13T02:30:00[America/New_York]",
        "2027-03-14T03:30:00[America/New_York]",
        "2027-03-15T02:30:00[America/New_York]",
    ]
    assert answer["slots"][1]["marks"] == ["moved_by_gap"]
    assert answer["slots"][1]["due_at"] == "2027-03-14T07:30:00Z"
    assert (answer["anchor"], answer["timezone"], answer["is_complete"]) == (
        "W",
        "America/New_York",
        False,
    )
    shown = duly(*asked).out
    assert "does not exist that day" in shown and "near the next two clock changes" in shown
    assert not duly.home.exists()


def test_without_a_zone_the_hosts_is_taken_and_shown(duly):
    answer = duly("when", "FREQ=DAILY;BYHOUR=9", "-n", "1", "--json").json
    assert (answer["timezone"], answer["kind"]) == ("Asia/Taipei", "rrule")
    assert answer["slots"][0]["local"].endswith("T09:00:00+08:00")


def test_the_workspaces_zone_counts_before_the_hosts(duly, monkeypatch):
    assert duly("add", "hello", "--cron", "0 9 * * *", "--", "true").code == 0
    monkeypatch.setenv("TZ", "Europe/London")
    assert duly("when", "0 9 * * *", "--json").json["timezone"] == "Asia/Taipei"


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        ("61 * * * *", "61 is outside 0 to 59"),
        ("FREQ=DAILY;BYMOOTH=3", "BYMOOTH"),
        ("2026-13-01", "is no local time"),
        ("every day", "5 fields"),
        ("\x1b[2J", "5 fields"),
    ],
)
def test_a_rule_that_means_nothing_is_refused_with_its_fault(duly, rule, part):
    refused = duly("when", rule)
    assert refused.code == 2 and part in refused.err and "\x1b" not in refused.err


def test_a_rule_that_ends_says_so(duly):
    ended = duly("when", "FREQ=DAILY;COUNT=2", "-n", "5")
    assert ended.code == 0 and "there are no more slots" in ended.err


def test_adding_warns_of_times_that_a_clock_change_skips(duly):
    zone = ("--zone", "America/New_York")
    added = duly("add", "night", "--cron", "30 2 * * *", *zone, "--", "true")
    assert added.code == 0 and "a clock change skips" in added.err
    calm = duly("add", "day", "--cron", "0 9 * * *", *zone, "--", "true")
    assert "clock change" not in calm.err
