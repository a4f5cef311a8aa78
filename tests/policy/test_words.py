"""Words: every code has a sentence, every outcome a line, and the page of tables shows them all."""

import pytest

from duly.model.reasons import Reason
from duly.model.states import Grade, Outcome, Verdict
from duly.policy import explain, outcome, rerun, tables, words


def test_every_reason_and_every_verdict_is_explained():
    assert set(explain.SENTENCES) == set(Reason)
    assert set(explain.VERDICTS) == set(Verdict)


def test_a_plain_failure_needs_no_resolving():
    reason = Reason.EXIT_UNEXPECTED
    assert "duly run KEY" in explain.next_step(reason, Outcome.FAILED_BEFORE_WRITE)
    assert "resolve" not in explain.next_step(reason, Outcome.FAILED_BEFORE_WRITE)
    assert "duly runs resolve RUN" in explain.next_step(reason, Outcome.NEEDS_REVIEW)
    assert explain.next_step(Reason.ON_TIME, None) == ""


@pytest.mark.parametrize("reason", Reason)
def test_an_explanation_completes_a_sentence_and_its_next_step_is_one(reason):
    told = explain.explain(reason)
    assert told.phrase == told.phrase.strip()
    assert told.phrase[-1] not in ".!"
    assert not told.phrase[0].isupper()
    assert not told.next_step or told.next_step[-1] in ".`"


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_is_explained_to_people(verdict):
    assert explain.explain_verdict(verdict).phrase


@pytest.mark.parametrize("reason", Reason)
def test_a_code_is_short_and_stable(reason):
    assert reason.value == reason.name.lower()


@pytest.mark.parametrize(
    ("ending", "grade", "reason", "line"),
    [
        (Outcome.COMPLETED, Grade.VERIFY, Reason.VERIFY_PASSED, "Done, checked by verify"),
        (Outcome.COMPLETED, Grade.ARTIFACT, Reason.ARTIFACT_PRESENT, "Done, artifact made"),
        (Outcome.COMPLETED, Grade.FINISH, None, "Done, reported finished"),
        (Outcome.COMPLETED, Grade.EXIT, Reason.EXIT_DECLARED, "Exited 0, not verified"),
        (Outcome.COMPLETED, None, Reason.RESOLVED, "Done, settled by a person"),
        (Outcome.NO_CHANGE, None, Reason.PRECHECK_DECLINED, "Nothing to do"),
        (Outcome.FAILED_BEFORE_WRITE, None, None, "Failed, nothing changed"),
        (
            Outcome.FAILED_BEFORE_WRITE,
            None,
            Reason.SIGNALLED,
            "Failed, nothing changed: a signal ended it",
        ),
        (
            Outcome.FAILED_BEFORE_WRITE,
            Grade.DECLARED,
            Reason.SIGNALLED,
            "Failed, declared safe to run again: a signal ended it",
        ),
        (
            Outcome.FAILED_AFTER_WRITE,
            None,
            Reason.SIGNALLED,
            "Needs you: failed after writing: a signal ended it",
        ),
        (Outcome.NEEDS_REVIEW, None, None, "Needs you"),
        (
            Outcome.NEEDS_REVIEW,
            None,
            Reason.ARTIFACT_ABSENT,
            "Needs you: the declared artifact was not made",
        ),
        (Outcome.CANCELLED, None, None, "Cancelled"),
        (Outcome.CANCELLED, None, Reason.CANCELLED_AFTER_WRITE, "Cancelled after writing"),
    ],
)
def test_an_outcome_reads_as_people_speak(ending, grade, reason, line):
    assert words.words(ending, grade, reason) == line


def test_case_e04_a_completion_by_exit_says_that_nothing_was_verified():
    line = words.words(Outcome.COMPLETED, Grade.EXIT, Reason.EXIT_DECLARED, exit_code=3)
    assert line == "Exited 3, not verified"


def test_the_page_shows_every_row_and_every_code():
    page = tables.render()
    for row in (*rerun.ROWS, *outcome.ROWS):
        assert f"| {row.found} |" in page
    for reason in Reason:
        assert f"| `{reason.value}` |" in page


def test_every_line_of_a_table_has_as_many_cells_as_its_head():
    tables_of_page = [part for part in tables.render().split("\n\n") if part.startswith("| ")]
    assert tables_of_page
    for table in tables_of_page:
        widths = {line.count("|") for line in table.strip().splitlines()}
        assert len(widths) == 1, table
