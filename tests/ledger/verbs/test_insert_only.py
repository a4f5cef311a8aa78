"""Identity, evidence and history are only ever added: no statement can change them, no second `add` does."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from duly.ledger.api.tx import Tx
from duly.ledger.verbs import Verbs
from duly.model.claims import Claim
from tests.ledger.verbs import samples, statements_of
from tests.ledger.verbs.stores import Store

INSERT_ONLY = {
    "artifact",
    "audit",
    "effect_call",
    "late_report",
    "occurrence",
    "operation",
    "publication",
    "rerun_verdict",
    "revision",
    "run_pin",
    "snapshot",
    "workspace",
}

# What never changes of a row that otherwise may.
FIXED = {
    "attempt": {"run_id", "fence", "claim_id", "owner", "revision", "claimed_at_us"},
    "automation": {"automation_id", "workspace_id", "job_key", "created_with", "created_at_us"},
    "effect": {
        "effect_id",
        "automation_id",
        "window_key",
        "action",
        "identity",
        "created_at_us",
    },
    "execution": {
        "run_id",
        "fence",
        "part",
        "claim_id",
        "token",
        "argv",
        "prompt_sha256",
        "started_at_us",
    },
    "node": {"owner", "host", "pid", "boot_id", "started_at_us", "tzdata"},
    "notice": {"notice_id", "kind", "automation_id", "run_id", "body", "created_at_us"},
    "run": {"run_id", "automation_id", "created_at_us"},
    "schema_meta": {"one", "application"},
    "setting": {"name"},
}

# Queues and reservations, not history.
MAY_DELETE = {"open_join", "path_owner"}

ADD: dict[str, Callable[[Verbs, Claim], Any]] = {
    "add_workspace": lambda tx, _claim: tx.add_workspace(samples.workspace()),
    "add_automation": lambda tx, _claim: tx.add_automation(samples.automation()),
    "add_revision": lambda tx, _claim: tx.add_revision(samples.revision()),
    "add_path_owner": lambda tx, _claim: tx.add_path_owner("default", "/srv/x", samples.A),
    "add_occurrence": lambda tx, _claim: tx.add_occurrence(samples.joined()),
    "add_rerun_verdict": lambda tx, _claim: tx.add_rerun_verdict(samples.rerun_verdict()),
    "add_run": lambda tx, _claim: tx.add_run(
        samples.run_pin(run_id="r_new"), samples.run(run_id="r_new")
    ),
    "add_snapshot": lambda tx, claim: tx.add_snapshot(claim, samples.snapshot(claim)),
    "add_execution": lambda tx, claim: tx.add_execution(claim, samples.execution(claim)),
    "add_effect": lambda tx, claim: tx.add_effect(claim, samples.effect(claim)),
    "add_effect_call": lambda tx, claim: (
        tx.add_effect(claim, samples.effect(claim)),
        tx.add_effect_call(claim, samples.effect_call(claim)),
    )[-1],
    "add_artifact": lambda tx, claim: tx.add_artifact(claim, samples.artifact(claim)),
    "add_publication": lambda tx, claim: tx.add_publication(claim, samples.publication(claim)),
    "add_node": lambda tx, _claim: tx.add_node(samples.node()),
    "add_notice": lambda tx, _claim: tx.add_notice(samples.notice()),
    "add_operation": lambda tx, _claim: tx.add_operation(samples.operation()),
}


def test_every_table_is_insert_only_or_says_what_of_it_is_fixed(store: Store):
    assert INSERT_ONLY | set(FIXED) | MAY_DELETE == set(store.tables())
    assert INSERT_ONLY.isdisjoint(FIXED)


def test_no_statement_changes_what_is_only_added():
    changed = {(name, table) for name, table, _ in statements_of.updates()}
    assert {(name, table) for name, table in changed if table not in FIXED} == set()


def test_no_statement_changes_what_is_fixed_of_a_row():
    wrong = {
        (name, column)
        for name, table, columns in statements_of.updates()
        for column in columns & FIXED[table]
    }
    assert wrong == set()


def test_of_an_attempt_only_its_ending_is_written_later():
    of_attempt = {n: columns for n, t, columns in statements_of.updates() if t == "attempt"}
    assert set(of_attempt) == {"end_attempt"}
    assert all(columns == {"ended_at_us", "ending"} for columns in of_attempt.values())


def test_nothing_but_queues_and_reservations_is_deleted():
    assert {table for _, table in statements_of.deletes()} == MAY_DELETE


def test_the_statements_are_understood_by_these_tests():
    """Every statement that is neither a plain select nor a plain insert is seen by the checks above."""
    seen = {name for name, *_ in statements_of.updates()}
    seen |= {name for name, _ in statements_of.deletes()}
    writes = re.compile(r"\b(update|delete|replace|truncate|drop|alter|merge)\b")
    assert {name for name, text in statements_of.texts().items() if writes.search(text)} == seen


def test_every_adding_verb_is_tried():
    adding = {n for n, _ in inspect.getmembers(Tx, inspect.isfunction) if n.startswith("add_")}
    # Each late report is a row of its own.
    assert set(ADD) == adding - {"add_late_report"}


@pytest.mark.parametrize("verb", sorted(ADD))
def test_adding_twice_answers_false_and_changes_nothing(store: Store, verb: str):
    store.write(lambda tx: tx.add_run(samples.run_pin(), samples.run()))
    (claimed,) = store.claim()
    assert store.write(lambda tx: ADD[verb](tx, claimed.claim)) is True
    before = store.dump()
    assert store.write(lambda tx: ADD[verb](tx, claimed.claim)) is False
    assert store.dump() == before
