"""Publication: one owner for a path, one last publisher, and no false alarm for earlier windows."""

import pytest

from duly.model.ids import AutomationId
from duly.policy import publication
from duly.policy.publication import Ownership, PublishedFacts
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
