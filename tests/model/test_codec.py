"""Records survive the way to JSON and back, whole, and the text is canonical."""

import json
from dataclasses import fields, is_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model import canonical, codec
from duly.model.instant import Instant
from duly.model.plan import (
    CatchUpBounded,
    CatchUpLatest,
    CatchUpNone,
    OverlapAllow,
    OverlapQueueOne,
    OverlapSkip,
    Timing,
)
from duly.model.timing import (
    AnchorClass,
    Covers,
    CronRule,
    OnceInstant,
    OnceLocal,
    Period,
    RruleRule,
    StrftimePeriod,
    WindowRule,
)

TIMES = st.integers(-(2**62), 2**62).map(Instant)
COUNTS = st.integers(1, 100)
RULES = st.one_of(
    st.none(),
    st.builds(RruleRule, text=st.text(), dtstart=st.text()),
    st.builds(CronRule, text=st.text()),
    st.builds(OnceLocal, local=st.text()),
    st.builds(OnceInstant, due_at=TIMES),
)
TIMINGS = st.builds(
    Timing,
    rule=RULES,
    zone=st.text(),
    anchor=st.sampled_from([None, *AnchorClass]),
    window=st.builds(
        WindowRule,
        period=st.one_of(st.sampled_from(Period), st.builds(StrftimePeriod, pattern=st.text())),
        covers=st.sampled_from(Covers),
    ),
    overlap=st.one_of(
        st.just(OverlapSkip()), st.just(OverlapQueueOne()), st.builds(OverlapAllow, count=COUNTS)
    ),
    catch_up=st.one_of(
        st.just(CatchUpNone()),
        st.builds(CatchUpLatest, age_us_max=st.one_of(st.none(), TIMES)),
        st.builds(CatchUpBounded, count=COUNTS, age_us_max=TIMES),
    ),
    valid_from=st.one_of(st.none(), TIMES),
    valid_until=st.one_of(st.none(), TIMES),
    late_us_max=TIMES,
    start_us_max=TIMES,
    queue_us_max=st.one_of(st.none(), TIMES),
    priority=st.integers(-100, 100),
    input_version=st.text(),
)


@given(TIMINGS)
def test_a_timing_reads_back_as_it_was(timing):
    assert codec.load(Timing, codec.dump(timing)) == timing


@given(TIMINGS)
def test_the_text_is_canonical(timing):
    text = codec.dump(timing)
    assert canonical.to_json(json.loads(text)) == text


def test_integers_beyond_what_json_carries_keep_every_digit():
    big = 2**62 + 1
    rule = OnceInstant(due_at=Instant(big))
    assert codec.load(OnceInstant, codec.dump(rule)).due_at == big


def test_a_text_of_another_record_is_refused():
    with pytest.raises(KeyError):
        codec.load(Timing, codec.dump(CronRule(text="* * * * *")))


def test_every_record_of_a_plan_is_frozen_and_named_by_its_class():
    rule = RruleRule(text="FREQ=DAILY", dtstart="2026-01-01T00:00:00")
    assert is_dataclass(rule)
    assert codec.to_plain(rule)["type"] == "RruleRule"
    assert {one.name for one in fields(rule)} == {"text", "dtstart"}
