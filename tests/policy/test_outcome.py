"""Outcome: the table row by row, and what no combination of facts may ever come to."""

from dataclasses import replace
from itertools import product

import pytest

from duly.model.plan import Isolation, Restart
from duly.model.reasons import Reason
from duly.model.states import ErrorClass, Grade, Outcome
from duly.policy import outcome, rows
from duly.policy.ending import (
    NOT_STARTED,
    ArtifactCheck,
    Cancelled,
    Declined,
    EndFacts,
    Exited,
    LaunchLost,
    NotStarted,
    Publication,
    Signalled,
    TimedOut,
    Timeout,
    VerifyResult,
)

STAGED, IN_PLACE = Isolation.STAGED, Isolation.IN_PLACE
SAFE = {"restart": Restart.SAFE}
ARTIFACT = {"artifact": ArtifactCheck.PRESENT, "in_scope_changes": True}
VERIFIED = {"verify": VerifyResult.PASSED}
CHANGED = {"isolation": IN_PLACE, "in_scope_changes": True}
PUBLISHED = {"published": True}
EXIT_0 = Exited(code=0)
EXIT_7 = Exited(code=7)
SILENT = TimedOut(kind=Timeout.SILENCE)
LOST = LaunchLost()
STARTED = Cancelled(was_started=True)
UNSTARTED = Cancelled(was_started=False)
NO_PROGRAM = NotStarted(reason=Reason.PROGRAM_MISSING)
NO_SNAPSHOT = NotStarted(reason=Reason.SNAPSHOT_UNAVAILABLE)

PLAIN = EndFacts(
    exit=EXIT_0,
    exit_codes=(),
    artifact=ArtifactCheck.NOT_DECLARED,
    verify=VerifyResult.NOT_DECLARED,
    in_scope_changes=False,
    out_of_scope=(),
    tree_changed=False,
    published=False,
    restart=Restart.PROVEN,
    isolation=STAGED,
)
COMPLETED, NO_CHANGE = Outcome.COMPLETED, Outcome.NO_CHANGE
BEFORE, AFTER, REVIEW = (
    Outcome.FAILED_BEFORE_WRITE,
    Outcome.FAILED_AFTER_WRITE,
    Outcome.NEEDS_REVIEW,
)
CANCELLED = Outcome.CANCELLED

ROWS = [
    # publications
    (EXIT_0, ARTIFACT | {"publication": Publication.UNKNOWN}, REVIEW, Reason.EFFECT_UNKNOWN),
    (STARTED, {"publication": Publication.UNKNOWN}, REVIEW, Reason.EFFECT_UNKNOWN),
    (EXIT_0, ARTIFACT | {"publication": Publication.REFUSED}, REVIEW, Reason.PUBLICATION_REFUSED),
    (
        EXIT_0,
        ARTIFACT | PUBLISHED | {"publication": Publication.REFUSED},
        AFTER,
        Reason.PUBLICATION_REFUSED,
    ),
    (
        EXIT_0,
        ARTIFACT | PUBLISHED | {"publication": Publication.DONE},
        COMPLETED,
        Reason.ARTIFACT_PRESENT,
    ),
    # cancelled
    (UNSTARTED, {}, CANCELLED, Reason.CANCELLED_BEFORE_WRITE),
    (STARTED, {}, CANCELLED, Reason.CANCELLED_MAY_HAVE_WRITTEN),
    (STARTED, SAFE, CANCELLED, Reason.CANCELLED_BEFORE_WRITE),
    (STARTED, SAFE | CHANGED, CANCELLED, Reason.CANCELLED_AFTER_WRITE),
    (STARTED, PUBLISHED, CANCELLED, Reason.CANCELLED_AFTER_WRITE),
    # lost, out of scope
    (LOST, {}, REVIEW, Reason.LAUNCH_LOST),
    (LOST, SAFE, REVIEW, Reason.LAUNCH_LOST),
    (EXIT_0, ARTIFACT | VERIFIED | {"out_of_scope": ("etc/passwd",)}, REVIEW, Reason.OUT_OF_SCOPE),
    # not started, nothing to do
    (NO_PROGRAM, {}, BEFORE, Reason.PROGRAM_MISSING),
    (NO_PROGRAM, PUBLISHED, AFTER, Reason.PROGRAM_MISSING),
    (NO_SNAPSHOT, {}, REVIEW, Reason.SNAPSHOT_UNAVAILABLE),
    (Declined(), {}, NO_CHANGE, Reason.PRECHECK_DECLINED),
    (Declined(), PUBLISHED, REVIEW, Reason.PRECHECK_DECLINED),
    # proofs
    (EXIT_0, ARTIFACT, COMPLETED, Reason.ARTIFACT_PRESENT),
    (EXIT_0, ARTIFACT | VERIFIED, COMPLETED, Reason.VERIFY_PASSED),
    (EXIT_0, VERIFIED, COMPLETED, Reason.VERIFY_PASSED),
    (EXIT_7, VERIFIED, COMPLETED, Reason.VERIFY_PASSED),
    (EXIT_0, {"exit_codes": (0,)}, COMPLETED, Reason.EXIT_DECLARED),
    (EXIT_7, {"exit_codes": (0, 7)}, COMPLETED, Reason.EXIT_DECLARED),
    (EXIT_7, {"exit_codes": (7,)} | ARTIFACT, COMPLETED, Reason.ARTIFACT_PRESENT),
    (EXIT_0, {}, REVIEW, Reason.NO_PROOF),
    # proofs that are wanting
    (EXIT_0, {"artifact": ArtifactCheck.ABSENT}, REVIEW, Reason.ARTIFACT_ABSENT),
    (EXIT_0, {"artifact": ArtifactCheck.EMPTY}, REVIEW, Reason.ARTIFACT_EMPTY),
    (EXIT_0, VERIFIED | {"artifact": ArtifactCheck.ABSENT}, REVIEW, Reason.ARTIFACT_ABSENT),
    (EXIT_0, ARTIFACT | {"verify": VerifyResult.FAILED}, REVIEW, Reason.VERIFY_FAILED),
    (EXIT_0, ARTIFACT | SAFE | {"verify": VerifyResult.FAILED}, BEFORE, Reason.VERIFY_FAILED),
    (EXIT_0, CHANGED | SAFE | {"verify": VerifyResult.FAILED}, REVIEW, Reason.VERIFY_FAILED),
    (EXIT_0, {"verify": VerifyResult.COULD_NOT_RUN}, REVIEW, Reason.VERIFY_COULD_NOT_RUN),
    (EXIT_0, SAFE | {"verify": VerifyResult.COULD_NOT_RUN}, BEFORE, Reason.VERIFY_COULD_NOT_RUN),
    # bad ends
    (EXIT_7, {}, REVIEW, Reason.EXIT_UNEXPECTED),
    (EXIT_7, SAFE, BEFORE, Reason.EXIT_UNEXPECTED),
    (EXIT_7, SAFE | ARTIFACT, BEFORE, Reason.EXIT_UNEXPECTED),
    (EXIT_7, SAFE | CHANGED, AFTER, Reason.EXIT_UNEXPECTED),
    (EXIT_7, SAFE | {"tree_changed": True}, REVIEW, Reason.EXIT_UNEXPECTED),
    (EXIT_7, SAFE | PUBLISHED, AFTER, Reason.EXIT_UNEXPECTED),
    (EXIT_7, VERIFIED | {"exit_codes": (0,)}, REVIEW, Reason.EXIT_UNEXPECTED),
    (EXIT_0, {"exit_codes": (7,)}, REVIEW, Reason.EXIT_UNEXPECTED),
    (Signalled(number=11), VERIFIED, REVIEW, Reason.SIGNALLED),
    (SILENT, {}, REVIEW, Reason.SILENCE_TIMEOUT),
    (SILENT, SAFE, BEFORE, Reason.SILENCE_TIMEOUT),
    (TimedOut(kind=Timeout.WALL), CHANGED, AFTER, Reason.WALL_TIMEOUT),
    (TimedOut(kind=Timeout.START), SAFE, BEFORE, Reason.START_TIMEOUT),
]


@pytest.mark.parametrize(("exit_", "changes", "ending", "reason"), ROWS)
def test_an_execution_ends_as_its_row_says(exit_, changes, ending, reason):
    verdict = outcome.decide(replace(PLAIN, exit=exit_, **changes))
    assert (verdict.outcome, verdict.reason) == (ending, reason)


def test_every_row_of_the_table_is_needed():
    used = {
        rows.first(outcome.ROWS, replace(PLAIN, exit=exit_, **changes)).found
        for exit_, changes, *_ in ROWS
    }
    assert used == {row.found for row in outcome.ROWS}


EXITS = (
    *(EXIT_0, EXIT_7, Signalled(number=9), SILENT, NO_PROGRAM, NO_SNAPSHOT, Declined()),
    *(STARTED, UNSTARTED, LOST),
)


def every_fact(exits=EXITS):
    bools = (False, True)
    for (
        end,
        codes,
        artifact,
        verify,
        scoped,
        out,
        tree,
        published,
        restart,
        isolation,
        publication,
    ) in product(
        exits,
        ((), (0,)),
        ArtifactCheck,
        VerifyResult,
        bools,
        ((), ("x",)),
        bools,
        bools,
        Restart,
        Isolation,
        (Publication.NOT_TRIED, Publication.REFUSED, Publication.UNKNOWN),
    ):
        yield EndFacts(
            exit=end,
            exit_codes=codes,
            artifact=artifact,
            verify=verify,
            in_scope_changes=scoped,
            out_of_scope=out,
            tree_changed=tree,
            published=published,
            restart=restart,
            isolation=isolation,
            publication=publication,
        )


def check_completed(facts, ending):
    assert isinstance(facts.exit, Exited)
    assert not facts.out_of_scope
    assert facts.publication is Publication.NOT_TRIED
    assert facts.verify in (VerifyResult.PASSED, VerifyResult.NOT_DECLARED)
    assert facts.artifact in (ArtifactCheck.PRESENT, ArtifactCheck.NOT_DECLARED)
    assert ending.error_class is None
    proof = {
        Grade.VERIFY: facts.verify is VerifyResult.PASSED,
        Grade.ARTIFACT: facts.artifact is ArtifactCheck.PRESENT,
        Grade.EXIT: facts.exit.code in facts.exit_codes,
    }
    assert proof[ending.grade]


def check_failed_before_write(facts, ending):
    assert not facts.published
    assert not (facts.isolation is IN_PLACE and (facts.in_scope_changes or facts.tree_changed))
    assert ending.error_class in (ErrorClass.TRANSIENT, ErrorClass.PERMANENT)
    assert ending.is_vouched != isinstance(facts.exit, NotStarted)
    assert not ending.is_vouched or facts.restart is Restart.SAFE


def test_nothing_completes_without_proof_and_nothing_that_wrote_failed_before_a_write():
    found = set()
    for facts in every_fact():
        ending = outcome.decide(facts)
        found.add(ending.outcome)
        is_declared = ending.is_vouched and ending.outcome is Outcome.FAILED_BEFORE_WRITE
        assert (ending.grade is Grade.DECLARED) == is_declared
        assert (ending.grade is not None) == (ending.outcome is COMPLETED or is_declared)
        if ending.outcome is COMPLETED:
            check_completed(facts, ending)
        elif ending.outcome is BEFORE:
            check_failed_before_write(facts, ending)
        elif ending.outcome is CANCELLED:
            assert isinstance(facts.exit, Cancelled)
    assert found == set(Outcome)


@pytest.mark.parametrize(
    ("changes", "grade"),
    [
        (ARTIFACT | VERIFIED | {"exit_codes": (0,)}, Grade.VERIFY),
        (ARTIFACT | {"exit_codes": (0,)}, Grade.ARTIFACT),
        ({"exit_codes": (0,)}, Grade.EXIT),
    ],
)
def test_a_completion_gets_the_strongest_grade_that_is_proven(changes, grade):
    assert outcome.decide(replace(PLAIN, **changes)).grade is grade


def test_only_what_says_why_nothing_started_is_a_reason_for_not_starting():
    for reason in Reason:
        if reason in NOT_STARTED:
            assert outcome.own(NotStarted(reason=reason)) == (reason, NOT_STARTED[reason])
        else:
            with pytest.raises(ValueError, match=reason.value):
                NotStarted(reason=reason)


@pytest.mark.parametrize("kind", Timeout)
def test_case_e01_a_timeout_settles_and_is_never_a_completion(kind):
    for facts in every_fact([TimedOut(kind=kind)]):
        assert outcome.decide(facts).outcome in (BEFORE, AFTER, REVIEW)


@pytest.mark.parametrize("published", [False, True])
def test_case_e02_a_cancelled_run_takes_its_words_from_its_effects(published):
    ending = outcome.decide(replace(PLAIN, exit=STARTED, published=published))
    expected = Reason.CANCELLED_AFTER_WRITE if published else Reason.CANCELLED_MAY_HAVE_WRITTEN
    assert (ending.outcome, ending.reason) == (CANCELLED, expected)


def test_case_e03_an_agent_that_never_starts_has_failed_before_a_write():
    ending = outcome.decide(replace(PLAIN, exit=NotStarted(reason=Reason.START_DEADLINE)))
    assert (ending.outcome, ending.is_vouched) == (BEFORE, False)


def test_case_e04_exit_0_completes_only_where_the_definition_says_so():
    assert outcome.decide(PLAIN).outcome is REVIEW
    declared = outcome.decide(replace(PLAIN, exit_codes=(0,)))
    assert (declared.outcome, declared.grade) == (COMPLETED, Grade.EXIT)


def test_case_e07_success_without_the_artifact_needs_review():
    for restart in Restart:
        facts = replace(PLAIN, artifact=ArtifactCheck.ABSENT, restart=restart)
        assert outcome.decide(facts).outcome is REVIEW


def test_case_e08_a_check_that_fails_has_failed_before_a_write_as_declared():
    facts = replace(PLAIN, exit=EXIT_7, exit_codes=(0,), isolation=IN_PLACE, restart=Restart.SAFE)
    ending = outcome.decide(facts)
    assert (ending.outcome, ending.is_vouched) == (BEFORE, True)
