"""No edit re-arms or back-dates a slot: the watermark over all revisions."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.model.instant import HOUR_US, MINUTE_US, SECOND_US, Instant
from duly.model.timing import AnchorClass, Watermark
from duly.model.zone import Zone
from duly.recurrence import watermark
from duly.recurrence.schedule import Schedule
from duly.recurrence.slot import Slot
from tests.recurrence import places
from tests.recurrence.places import cron, first, instant, rrule


def raised(at: str, schedule: Schedule, mark: Watermark | None = None) -> Watermark:
    return watermark.raise_to(instant(at), schedule.anchor, schedule.zone, mark)


def test_case_a14_an_edit_of_the_prompt_after_the_slot_fires_nothing_before_the_next() -> None:
    schedule = cron("0 9 * * *", places.TAIPEI)
    answered = first(schedule.next(instant("2026-05-01T00:00+08:00")))
    mark = watermark.of_slot(answered, "Asia/Taipei")
    mark = raised("2026-05-01T09:01+08:00", schedule, mark)
    assert watermark.uncovered(schedule, mark, instant("2026-05-01T23:00+08:00"), 9).slots == ()
    following = first(watermark.next_uncovered(schedule, mark))
    assert following.local == "2026-05-02T09:00:00+08:00"


def test_case_a15_a_monthly_rule_moved_to_the_11th_on_the_12th_waits_for_next_month() -> None:
    before = rrule("FREQ=MONTHLY;BYMONTHDAY=10;BYHOUR=9", "2026-01-01T00:00:00", places.NEW_YORK)
    after = rrule("FREQ=MONTHLY;BYMONTHDAY=11;BYHOUR=9", "2026-01-01T00:00:00", places.NEW_YORK)
    slot = first(before.next(instant("2026-05-01T00:00")))
    mark = raised("2026-05-12T10:00", after, watermark.of_slot(slot, "America/New_York"))
    assert first(watermark.next_uncovered(after, mark)).local == "2026-06-11T09:00:00-04:00"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (cron("0 9 * * *", places.NEW_YORK), cron("0 14 * * *", places.LONDON)),
        (cron("0 14 * * *", places.LONDON), cron("0 9 * * *", places.NEW_YORK)),
        (cron("*/30 * * * *", places.NEW_YORK), cron("*/30 * * * *", places.KOLKATA)),
    ],
)
def test_case_a16_an_edit_of_the_zone_alone_runs_no_instant_twice(
    before: Schedule, after: Schedule
) -> None:
    slot = first(before.next(instant("2026-05-01T12:59:59")))
    mark = watermark.of_slot(slot, before.zone.name)
    mark = watermark.raise_to(Instant(slot.due_at + MINUTE_US), after.anchor, after.zone, mark)
    following = first(watermark.next_uncovered(after, mark))
    assert following.due_at > slot.due_at
    assert following.due_at - slot.due_at in (30 * MINUTE_US, 24 * HOUR_US)


@pytest.mark.parametrize(
    ("edited_at", "following"),
    [
        # First pass of the hour: 1:30 is still to come.
        ("2026-11-01T01:10-04:00", "2026-11-01T01:30:00-04:00"),
        # Second pass: 1:30 was an hour ago.
        ("2026-11-01T01:10-05:00", "2026-11-02T01:30:00-05:00"),
        ("2026-11-01T01:59:59-05:00", "2026-11-02T01:30:00-05:00"),
    ],
)
def test_case_d11_an_edit_in_the_repeated_hour_back_dates_nothing(
    edited_at: str, following: str
) -> None:
    old = cron("10 1 * * *", places.NEW_YORK)
    new = cron("30 1 * * *", places.NEW_YORK)
    answered = first(old.next(instant("2026-11-01T00:00-04:00")))
    mark = raised(edited_at, new, watermark.of_slot(answered, "America/New_York"))
    assert first(watermark.next_uncovered(new, mark)).local == following
    missed = cron("45 1 * * *", places.NEW_YORK).next(instant("2026-11-01T00:00-04:00"))
    is_over = edited_at.endswith("-05:00")
    assert watermark.covers(mark, first(missed), places.NEW_YORK) is is_over


def test_a_clock_that_steps_back_lowers_no_watermark() -> None:
    schedule = cron("0 * * * *", places.NEW_YORK)
    mark = raised("2026-05-01T12:30", schedule)
    for other in (schedule, cron("0 9 * * *", places.NEW_YORK), cron("0 9 * * *", places.LONDON)):
        again = raised("2026-05-01T10:00", other, mark)
        assert again.due_at == mark.due_at
        slot = first(watermark.next_uncovered(other, again))
        assert slot.due_at > instant("2026-05-01T12:30")


def test_a_key_above_the_clock_is_kept_when_the_same_class_and_zone_is_raised() -> None:
    schedule = cron("0 9 * * *", places.TAIPEI)
    slot = first(schedule.next(instant("2026-05-01T00:00")))
    mark = watermark.of_slot(slot, "Asia/Taipei")
    assert (
        watermark.raise_to(Instant(slot.due_at - 1), schedule.anchor, places.TAIPEI, mark) == mark
    )


def test_new_zone_data_that_moves_an_answered_slot_does_not_fire_it_again() -> None:
    # The same zone by name, whose clock was found to be an hour behind what was thought.
    moved = Zone(name="Asia/Taipei", info=places.SHANGHAI.info, version="next")
    later = Zone(name="Asia/Taipei", info=places.KOLKATA.info, version="next")
    answered = first(cron("0 9 * * *", places.TAIPEI).next(instant("2026-05-01T00:00")))
    mark = watermark.of_slot(answered, "Asia/Taipei")
    for zone in (moved, later):
        following = first(watermark.next_uncovered(cron("0 9 * * *", zone), mark))
        assert following.key == "2026-05-02T09:00:00[Asia/Taipei]"


def test_a_zone_renamed_to_another_of_its_names_fires_no_slot_again() -> None:
    names = frozenset(("Asia/Kolkata", "Asia/Calcutta"))
    old, new = (
        Zone(name=name, info=places.KOLKATA.info, version="one", names=names)
        for name in ("Asia/Calcutta", "Asia/Kolkata")
    )
    answered = first(cron("0 9 * * *", old).next(instant("2026-05-01T00:00")))
    mark = watermark.of_slot(answered, "Asia/Calcutta")
    same = first(cron("0 9 * * *", new).next(instant("2026-05-01T00:00")))
    assert watermark.covers(mark, same, new)
    following = first(watermark.next_uncovered(cron("0 9 * * *", new), mark))
    assert following.key == "2026-05-02T09:00:00[Asia/Kolkata]"


RULES = (
    "0 9 * * *",
    "30 1 * * *",
    "30 2 * * *",
    "0,30 1-3 * * *",
    "*/30 * * * *",
    "15 * * * *",
    "45 0,1,23 * * 6,0",
)
CHANGES = ("2026-03-07T00:00", "2026-10-24T12:00", "2026-10-31T00:00", "2026-09-05T00:00")

STEPS = st.lists(
    st.tuples(
        st.sampled_from(RULES),
        st.sampled_from(tuple(places.ZONE.values())),
        st.integers(-90 * 60, 20 * 3_600),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@given(st.sampled_from(CHANGES), STEPS)
@settings(max_examples=200)
def test_no_instant_fires_twice_over_any_sequence_of_edits(
    began: str, steps: Sequence[tuple[str, Zone, int, bool]]
) -> None:
    now = instant(began)
    schedule = cron("0 9 * * *")
    mark = watermark.raise_to(now, schedule.anchor, schedule.zone)
    fired: list[Slot] = []
    for text, zone, seconds, is_edit in steps:
        now = Instant(now + seconds * SECOND_US + 1)
        # An editing transaction first answers the old revision's due slots.
        due = watermark.uncovered(schedule, mark, now, 1_000).slots
        fired.extend(due)
        for slot in due:
            mark = watermark.of_slot(slot, schedule.zone.name)
        if is_edit:
            schedule = cron(text, zone)
            mark = watermark.raise_to(now, schedule.anchor, zone, mark)
            following = first(watermark.next_uncovered(schedule, mark))
            assert following.due_at > now
            assert not watermark.covers(mark, following, zone)
    dues = [slot.due_at for slot in fired]
    assert dues == sorted(set(dues))


@given(
    st.sampled_from(tuple(places.ZONE.values())),
    st.sampled_from(RULES),
    st.sampled_from(CHANGES),
    st.integers(0, 48 * 3_600),
    st.booleans(),
)
@settings(max_examples=200)
def test_a_raised_watermark_covers_exactly_what_is_not_later(
    zone: Zone, text: str, began: str, seconds: int, as_wall: bool
) -> None:
    at = Instant(instant(began) + seconds * SECOND_US)
    schedule = cron(text, zone)
    anchor = AnchorClass.WALL if as_wall else AnchorClass.ELAPSED
    mark = watermark.raise_to(at, anchor, zone)
    around = schedule.between(Instant(at - 30 * HOUR_US), Instant(at + 30 * HOUR_US), 200).slots
    for slot in around:
        assert watermark.covers(mark, slot, zone) == (slot.due_at <= at)
    later = tuple(slot for slot in around if slot.due_at > at)
    assert watermark.uncovered(schedule, mark, Instant(at + 30 * HOUR_US), 200).slots == later


def test_the_backlog_of_a_watermark_has_count_first_and_newest() -> None:
    schedule = cron("0 * * * *", places.NEW_YORK)
    mark = raised("2026-05-01T08:00", schedule)
    found = watermark.backlog(schedule, mark, instant("2026-05-01T20:00"), 2)
    assert found.count == 12
    assert found.first is not None
    assert found.first.key == "2026-05-01T09:00:00Z"
    assert [slot.key for slot in found.newest] == ["2026-05-01T19:00:00Z", "2026-05-01T20:00:00Z"]
