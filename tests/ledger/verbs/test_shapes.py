"""Records and rows agree: the same columns in the schema, in every statement, and back again."""

import re
from dataclasses import replace
from enum import Enum
from typing import Any

import pytest

from duly.ledger.verbs import claims, definitions, evidence, occurrences, runs, service
from duly.ledger.verbs.shapes import Shape
from duly.model.states import ErrorClass, Grade, Outcome, RunState
from tests.ledger.verbs import samples, statements_of
from tests.ledger.verbs.stores import Store

TABLES: dict[str, Shape[Any]] = {
    "workspace": definitions.WORKSPACE,
    "automation": definitions.AUTOMATION,
    "revision": definitions.REVISION,
    "occurrence": occurrences.OCCURRENCE,
    "rerun_verdict": occurrences.RERUN_VERDICT,
    "run": runs.RUN,
    "run_pin": runs.RUN_PIN,
    "attempt": claims.ATTEMPT,
    "snapshot": evidence.SNAPSHOT,
    "execution": evidence.EXECUTION,
    "effect": evidence.EFFECT,
    "effect_call": evidence.EFFECT_CALL,
    "artifact": evidence.ARTIFACT,
    "publication": evidence.PUBLICATION,
    "late_report": evidence.LATE_REPORT,
    "notice": service.NOTICE,
    "node": service.NODE,
    "operation": service.OPERATION,
    "audit": service.AUDIT,
}
# Tables without a record of their own.
PLAIN = {"schema_meta", "setting", "path_owner", "open_join"}
# Statements that read or write some of a row.
PARTIAL = {
    "add_attempt",
    "add_late_report",
    "audit_head",
    "path_owners_between",
    "revisions_recorded",
    "schema_meta_read",
    "wall_automations",
}
_SELECT = re.compile(r"\Aselect\s+(.*?)\s+from\s+\(?\s*(\w+)", re.DOTALL)
_INSERT = re.compile(
    r"\Ainsert\s+into\s+(\w+)\((.*?)\)\s*(?:values\s*\(|select\s+)(.*?)(?:\)|\s+(?:from|where)\s)",
    re.DOTALL,
)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.split(".")[-1].removeprefix(":") for name in re.split(r",\s*", text.strip()))


@pytest.mark.parametrize("table", TABLES)
def test_a_record_has_the_columns_of_its_table_in_their_order(store: Store, table: str):
    assert list(TABLES[table].columns) == store.tables()[table]


def test_every_table_has_a_record_or_needs_none(store: Store):
    assert set(TABLES) | PLAIN == set(store.tables())


def test_statements_name_all_columns_in_the_order_of_the_record():
    for name, text in statements_of.everyday().items():
        if name in PARTIAL:
            continue
        if (found := _INSERT.match(text.strip())) and found[1] in TABLES:
            expected = TABLES[found[1]].columns
            if name == "audit_add":
                expected = tuple("at" if column == "at_us" else column for column in expected)
            assert _names(found[3]) == expected, name
            assert _names(found[2]) == TABLES[found[1]].columns, name
        elif (found := _SELECT.match(text.strip())) and "(" not in found[1]:
            names = _names(found[1])
            known = [
                shape.columns for shape in (*TABLES.values(), definitions.DUE, definitions.COMING)
            ]
            assert len(names) == 1 or names in known, name


def test_every_fact_of_a_run_survives_the_ledger(store: Store):
    full = samples.run(
        state=RunState.COMPLETED,
        claimable_at=None,
        is_caught_up=True,
        priority=-3,
        behind_run_id="r_0",
        fence=4,
        attempts=3,
        cancel_actor="me",
        wait_reason="no_directory",
        wait_since=samples.after(1),
        start_by=samples.after(2),
        outcome=Outcome.COMPLETED,
        grade=Grade.VERIFY,
        reason="größe 🦆 'quoted'",
        error_class=ErrorClass.TRANSIENT,
        may_live=True,
        settled_at=samples.after(3),
    )
    pin = samples.run_pin(is_caught_up=True, redo_reason="r", amends_run_id="r_0")
    assert store.write(lambda tx: tx.add_run(pin, full))
    assert store.read(lambda tx: (tx.run(full.run_id), tx.run_pin(full.run_id))) == (full, pin)


def test_a_shape_gives_back_every_record():
    claim = samples.claim()
    for record in (
        samples.automation(),
        samples.occurrence(),
        samples.snapshot(claim),
        samples.execution(claim, is_empty=True),
        samples.effect(claim),
        samples.notice(),
        replace(samples.run(), outcome=Outcome.NEEDS_REVIEW),
    ):
        shape: Shape[Any] = Shape(type(record))
        params = shape.params(record)
        assert not any(isinstance(value, Enum | bool | tuple) for value in params.values())
        assert shape.record(tuple(params.values())) == record


def test_a_word_that_no_enum_knows_is_a_fault_of_the_ledger():
    shape: Shape[Any] = Shape(type(samples.run()))
    params = shape.params(samples.run()) | {"state": "running"}
    with pytest.raises(KeyError):
        shape.record(tuple(params.values()))
