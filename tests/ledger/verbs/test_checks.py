"""The database itself refuses what no verb should ever write."""

import re
from enum import Enum
from typing import Any

import pytest

from duly.ledger import statements
from duly.model import states
from duly.model.states import RunState
from duly.model.timing import AnchorClass
from tests.ledger.verbs import samples, statements_of
from tests.ledger.verbs.stores import Store

HELD = {"claim_id": "c", "lease_owner": "me", "lease_until_us": 5, "claimable_at_us": None}

WRONG_RUNS: dict[str, dict[str, Any]] = {
    "completed without an outcome": {"state": "completed", "claimable_at_us": None},
    "completed without a grade": {
        "state": "completed",
        "outcome": "completed",
        "claimable_at_us": None,
    },
    "completed without a grade for a reason": {
        "state": "completed",
        "outcome": "completed",
        "reason": "verified",
        "claimable_at_us": None,
    },
    "completed by a failure": {"state": "completed", "outcome": "failed-before-write"},
    "a completion that is not final": {"outcome": "completed", "grade": "verify"},
    "no change that is not final": {"outcome": "no-change"},
    "failed after a write": {
        "state": "failed",
        "outcome": "failed-after-write",
        "claimable_at_us": None,
    },
    "failed before a write but blocked": {
        "state": "blocked",
        "outcome": "failed-before-write",
        "claimable_at_us": None,
    },
    "cancelled but blocked": {"state": "blocked", "outcome": "cancelled", "claimable_at_us": None},
    "review that is not blocked": {"outcome": "needs-review"},
    "final with a claim": HELD | {"state": "completed", "outcome": "no-change"},
    "final and claimable": {"state": "cancelled", "outcome": "cancelled"},
    "held and claimable": HELD | {"state": "collecting", "claimable_at_us": 1},
    "held in a state of rest": HELD | {"state": "blocked"},
    "held but queued": HELD | {"state": "queued"},
    "a claim without a lease": {"state": "collecting", "claimable_at_us": None, "claim_id": "c"},
    "a lease without a claim": {"state": "blocked", "claimable_at_us": None, "lease_until_us": 5},
    "an owner without a claim": {"state": "blocked", "claimable_at_us": None, "lease_owner": "me"},
    "claimable while blocked": {"state": "blocked"},
    "claimable while created": {"state": "created"},
    "an unknown state": {"state": "running"},
    "an unknown outcome": {"outcome": "done"},
    "an unknown grade": {"grade": "gut feeling"},
    "a flag that is no flag": {"may_live": 2},
    "another flag that is no flag": {"is_caught_up": -1},
    "text where an integer belongs": {"fence": "one"},
    "no state": {"state": None},
}


@pytest.mark.parametrize("wrong", WRONG_RUNS)
def test_a_wrong_run_is_refused(store: Store, wrong: str):
    store.write(lambda tx: tx.add_run(samples.run_pin(), samples.run()))
    changes = WRONG_RUNS[wrong]
    assignments = ", ".join(f"{column} = :{column}" for column in changes)
    with pytest.raises(store.Refused):
        store.raw(f"update run set {assignments}", **changes)


RIGHT_RUNS: dict[str, dict[str, Any]] = {
    "held": HELD | {"state": "executing"},
    "completed": {
        "state": "completed",
        "outcome": "completed",
        "grade": "exit",
        "claimable_at_us": None,
    },
    "completed by a person": {
        "state": "completed",
        "outcome": "completed",
        "reason": "resolved",
        "claimable_at_us": None,
    },
    "declined": {"state": "completed", "outcome": "no-change", "claimable_at_us": None},
    "failed": {"state": "failed", "outcome": "failed-before-write", "claimable_at_us": None},
    "for a person": {"state": "blocked", "outcome": "needs-review", "claimable_at_us": None},
    "cancelled after a write": {
        "state": "cancelled",
        "outcome": "failed-after-write",
        "claimable_at_us": None,
    },
}


@pytest.mark.parametrize("right", RIGHT_RUNS)
def test_a_right_run_is_accepted(store: Store, right: str):
    store.write(lambda tx: tx.add_run(samples.run_pin(), samples.run()))
    changes = RIGHT_RUNS[right]
    assignments = ", ".join(f"{column} = :{column}" for column in changes)
    store.raw(f"update run set {assignments}", **changes)


WRONG_ROWS = {
    "a run of the same work": (
        "insert into run_pin select 'r_2', automation_id, workspace_id, window_key, input_version, revision, cause,"
        " slot_key, due_at_us, span_start_us, span_end_us, is_caught_up, amends_run_id, redo_reason, redo_effects,"
        " created_at_us from run_pin"
    ),
    "a job_key used again": (
        "insert into automation select 'a_2', workspace_id, job_key, state, state_reason, state_since_us, revision,"
        " next_due_us, mark_due_at_us, mark_slot_key, mark_anchor, mark_zone, version, told, fault_kind, fault_count,"
        " created_with, created_at_us, updated_at_us from automation"
    ),
    "a paused automation that is due": "update automation set state = 'paused'",
    "a deleted automation that is due": "update automation set state = 'deleted'",
    "a started occurrence without a run": "update occurrence set run_id = null",
    "a joined occurrence without a run": "update occurrence set run_id = null, disposition = 'joined'",
    "a range that ends before it begins": "update occurrence set last_due_at_us = due_at_us - 1",
    "a range without a beginning": "update occurrence set due_at_us = null, last_due_at_us = 5",
    "a negative count of slots": "update occurrence set slot_count = -1",
    "an effect that succeeded without an id": "update effect set state = 'succeeded'",
    "an open effect with an id": "update effect set external_id = 'x'",
    "an attempt that ended without an ending": "update attempt set ended_at_us = 5",
    "an ending of an attempt that did not end": "update attempt set ending = 'done'",
    "a notice that waits without an instant": "update notice set next_try_us = null",
    "a sent notice that waits": "update notice set state = 'sent'",
}


@pytest.mark.parametrize("wrong", WRONG_ROWS)
def test_a_wrong_row_is_refused(store: Store, wrong: str):
    def prepare(tx):
        tx.add_automation(samples.automation())
        tx.add_run(samples.run_pin(), samples.run())
        tx.add_occurrence(samples.occurrence())
        tx.add_notice(samples.notice())

    store.write(prepare)
    (claimed,) = store.claim()
    store.write(lambda tx: tx.add_effect(claimed.claim, samples.effect(claimed.claim)))
    before = store.dump()
    with pytest.raises(store.Refused):
        store.raw(WRONG_ROWS[wrong])
    assert store.dump() == before


def _schema() -> str:
    return statements.sqlite_migrations()[0].sql


def _literals(text: str) -> set[str]:
    return set(re.findall(r"'([^']*)'", text))


# A column of text and the condition on its words.
WORDS = re.compile(r"(\w+) text(?: not null)? check \((\1 (?:= '|in \().*?)\)[,;\n]", re.DOTALL)

CHECKED: dict[tuple[str, str], type[Enum]] = {
    ("automation", "state"): states.AutomationState,
    ("automation", "mark_anchor"): AnchorClass,
    ("occurrence", "cause"): states.Trigger,
    ("occurrence", "disposition"): states.Disposition,
    ("run", "state"): states.RunState,
    ("run", "outcome"): states.Outcome,
    ("run", "grade"): states.Grade,
    ("execution", "state"): states.ExecutionState,
    ("effect", "state"): states.EffectState,
    ("notice", "state"): states.NoticeState,
}


@pytest.mark.parametrize(("table", "column"), CHECKED)
def test_the_words_of_a_column_are_those_of_its_enum(table: str, column: str):
    body = re.search(rf"create table {table}\((.*?)\n\)", _schema(), re.DOTALL)[1]
    allowed = [words for name, words in WORDS.findall(body) if name == column]
    assert [_literals(words) for words in allowed] == [
        {member.value for member in CHECKED[table, column]}
    ]


def test_every_list_of_words_in_the_schema_is_held_against_an_enum():
    columns = [name for name, _ in WORDS.findall(_schema()) if name != "application"]
    assert sorted(columns) == sorted(column for _, column in CHECKED)


def test_no_row_is_written_at_the_cost_of_a_table_of_words():
    """For an `in` of more than two words SQLite fills a table anew, for each row."""
    for text in re.findall(r"\bin \(([^)]*)\)", _schema()):
        assert text.count(",") <= 1, text


FINAL = {RunState.COMPLETED.value, RunState.CANCELLED.value, RunState.FAILED.value}


def test_the_literals_of_indexes_and_statements_are_states_that_exist():
    indexes = re.findall(r"^create index .*?;", _schema(), re.DOTALL | re.MULTILINE)
    known = {member.value for kind in CHECKED.values() for member in kind}
    for text in [*indexes, *statements_of.everyday().values()]:
        assert _literals(text) <= known | {"duly"}, text
        if chosen := re.findall(r"state <> '(\w+)'", text):
            assert set(chosen) == FINAL
