"""Ids are made from natural keys: the same everywhere, and never the same for two keys."""

from hypothesis import given
from hypothesis import strategies as st

from duly.model import ids

TEXTS = st.text(max_size=40)


@given(TEXTS, TEXTS, TEXTS)
def test_an_id_depends_on_nothing_but_its_key(automation, window, version):
    assert ids.run_id(automation, window, version) == ids.run_id(automation, window, version)


@given(st.lists(TEXTS, min_size=3, max_size=3), st.lists(TEXTS, min_size=3, max_size=3))
def test_two_keys_never_share_an_id_however_their_parts_are_cut(one, other):
    assert (ids.run_id(*one) == ids.run_id(*other)) == (one == other)


def test_an_id_says_what_it_is_of_and_can_be_read_aloud():
    found = ids.automation_id("default", "digest")
    assert found.startswith("a_") and len(found) == 34
    assert set(found[2:]) <= set("0123456789abcdef")


def test_kinds_do_not_meet():
    named = {
        ids.automation_id("a", "b")[2:],
        ids.operation_id("a", "b", "")[2:],
        ids.notice_id("a", "b", "")[2:],
        ids.run_id("a", "b", "")[2:],
    }
    assert len(named) == 4


def test_the_dedupe_key_is_for_reading():
    assert ids.dedupe_key("digest", "2026-09-16", "0") == "digest:2026-09-16:0"
