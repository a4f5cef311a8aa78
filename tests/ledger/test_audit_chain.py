"""The audit chain as a law: whatever is done to its rows is found."""

import json

from hypothesis import given
from hypothesis import strategies as st

from duly.ledger.audit_chain import START, Broken, Head, Intact, link, text_of, verify
from duly.model import canonical

PLAIN = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    PLAIN | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
WORDS = st.text(alphabet="ab|\n", max_size=3)
EVENTS = st.lists(st.tuples(st.sampled_from("pqr"), WORDS, WORDS, WORDS), min_size=1, max_size=12)


def chained(events):
    """Return the rows of (scope, actor, kind, body) events, ordered by scope and seq."""
    heads, rows = {}, []
    for number, (scope, actor, kind, body) in enumerate(events):
        row = link(heads.get(scope, Head(0, START)), scope, number, actor, kind, body)
        heads[scope] = Head(row.seq, row.hash)
        rows.append(row)
    return sorted(rows)


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=5))
def test_an_audit_body_is_canonical_json(body):
    assert text_of(body) == canonical.to_json(body)


@given(st.dictionaries(st.text("abz_", max_size=4), PLAIN, max_size=6))
def test_a_plain_audit_body_is_canonical_json_too(body):
    assert text_of(body) == canonical.to_json(body)
    assert list(json.loads(text_of(body))) == sorted(body)


@given(EVENTS)
def test_an_untouched_chain_is_intact_and_its_heads_hold(events):
    rows = chained(events)
    found = verify(rows)
    assert isinstance(found, Intact)
    assert set(found.heads) == {event[0] for event in events}
    assert verify(rows, found.heads) == found


@given(EVENTS, st.data())
def test_a_changed_row_is_found(events, data):
    rows = chained(events)
    index = data.draw(st.integers(0, len(rows) - 1))
    field = data.draw(st.sampled_from(["at", "actor", "kind", "body", "hash"]))
    old = getattr(rows[index], field)
    new = data.draw(st.integers() if field == "at" else WORDS)
    if new != old:
        rows[index] = rows[index]._replace(**{field: new})
        assert verify(rows) == Broken(rows[index].scope, rows[index].seq, "edited")


@given(EVENTS, st.data())
def test_a_row_that_was_taken_out_is_found_by_its_successor_or_an_anchor(events, data):
    rows = chained(events)
    anchors = verify(rows).heads
    taken = rows.pop(data.draw(st.integers(0, len(rows) - 1)))
    found = verify(rows, anchors)
    assert isinstance(found, Broken)
    assert found.scope == taken.scope


@given(EVENTS, EVENTS)
def test_a_chain_that_was_written_anew_is_found_by_an_anchor(events, others):
    anchors = verify(chained(events)).heads
    if chained(events) != chained(others):
        found = verify(chained(others), anchors)
        extends = isinstance(found, Intact)
        assert extends == all(
            any(Head(row.seq, row.hash) == head and row.scope == scope for row in chained(others))
            for scope, head in anchors.items()
        )


def test_words_cannot_move_between_the_fields_of_a_row():
    head = Head(0, START)
    rows = [
        link(head, "s", 1, *words)
        for words in (("a", "b", "c"), ("ab", "", "c"), ('a","b', "", "c"))
    ]
    assert len({row.hash for row in rows}) == 3
