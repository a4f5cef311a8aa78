"""Publication: one owner for a path, one last publisher, and no false alarm for earlier windows."""

import pytest

from duly.model.ids import AutomationId
from duly.policy import publication
from duly.policy.publication import LastPublished, Ownership, PublishedFacts, Turn
from duly.policy.rerun import ArtifactFact

MINE = AutomationId("a_mine")
OTHER = AutomationId("a_other")


@pytest.mark.parametrize(
    ("owner", "is_shared", "verdict"),
    [
        (None, False, Ownership.FREE),
        (MINE, False, Ownership.MINE),
        (MINE, True, Ownership.MINE),
        (OTHER, True, Ownership.SHARED),
        (OTHER, False, Ownership.OWNED_BY_OTHER),
    ],
)
def test_case_a24_a_path_belongs_to_one_automation_unless_it_is_shared(owner, is_shared, verdict):
    assert publication.decide(owner, MINE, is_shared=is_shared) is verdict


@pytest.mark.parametrize(
    ("is_replaced", "found", "fact"),
    [
        (False, "mine", ArtifactFact.INTACT),
        (False, "other", ArtifactFact.ALTERED),
        (False, None, ArtifactFact.MISSING),
        (True, "later", ArtifactFact.SUPERSEDED),
        (True, "mine", ArtifactFact.SUPERSEDED),
        (True, None, ArtifactFact.SUPERSEDED),
    ],
)
def test_case_a25_what_a_later_window_replaced_on_record_stands(is_replaced, found, fact):
    facts = PublishedFacts(recorded="mine", is_replaced=is_replaced, found=found)
    assert publication.decide_standing(facts) is fact


def test_a_run_without_an_artifact_has_none_to_lose():
    assert publication.decide_standing(None) is ArtifactFact.NONE_DECLARED


@pytest.mark.parametrize(
    ("is_later", "before", "is_result", "is_update", "turn"),
    [
        (True, "last", True, True, Turn.SUPERSEDED),
        (True, "last", True, False, Turn.SUPERSEDED),
        (True, "by hand", True, True, Turn.SUPERSEDED),
        (True, "last", False, True, Turn.MINE),
        (True, "by hand", False, True, Turn.ALTERED),
        (False, "last", True, True, Turn.MINE),
        (False, "by hand", True, True, Turn.ALTERED),
        (False, None, True, True, Turn.ALTERED),
        (False, "by hand", True, False, Turn.MINE),
    ],
)
def test_a_result_never_replaces_a_later_windows_and_nothing_replaces_what_somebody_changed(
    is_later, before, is_result, is_update, turn
):
    last = LastPublished(sha256="last", is_of_later_window=is_later)
    found = publication.decide_turn(last, before, is_result=is_result, is_update=is_update)
    assert found is turn


@pytest.mark.parametrize("is_update", [True, False])
def test_a_path_that_was_never_published_is_anybodys(is_update):
    found = publication.decide_turn(None, "x", is_result=True, is_update=is_update)
    assert found is Turn.MINE


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("/r/{window}.md", "/r/{window}.md", True),
        ("/r/{window}.md", "/r/2026-09-16.md", True),
        ("/r/{window}.md", "/r/weekly.md", False),
        ("/r/{window}.md", "/r/security-{window}.md", False),
        ("/r/{window}.md", "/r/{window}-security.md", False),
        ("/r/{window}.md", "/r/{window}-16.md", True),
        ("/r/{window}/a.md", "/r/2026-W38/a.md", True),
        ("/r/{window}/a.md", "/r/{window}/b.md", False),
        ("/r/a-{input_version}.md", "/r/a-2.md", True),
        ("/r/latest.md", "/r/latest.md", True),
        ("/r/latest.md", "/r/Latest.md", False),
    ],
)
def test_patterns_collide_where_windows_make_them_one_path(one, other, may):
    assert publication.may_collide(one, other) is may
    assert publication.may_collide(other, one) is may
