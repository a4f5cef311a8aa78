"""What every loop asks again and again is answered by an index, however much the ledger holds."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from duly.ledger import statements
from duly.model.states import Outcome, RunState
from tests.ledger.verbs import samples, statements_of
from tests.ledger.verbs.stores import STORES, Store

# Statement and the index that has to answer it; each is also forbidden to sort or to read a table.
INDEXES = {
    "due_automations": "automation_due",
    "coming_automations": "automation_due",
    "next_due": "automation_due",
    "claim_runs": "run_claimable",
    "next_priority": "run_claimable",
    "next_claimable_at": "run_claimable",
    "expired_runs": "run_leased",
    "next_expiry_at": "run_leased",
    "created_runs": "run_created",
    "overdue_runs": "run_start_by",
    "next_start_by": "run_start_by",
    "open_runs": "run_open",
    "open_runs_by_age": "run_open_by_age",
    "runs_by_age": "run_by_age",
    "runs_of_automation": "run_newest",
    "newest_run": "run_newest",
    "occurrences": "occurrence_newest",
    "next_notice_at": "notice_pending",
    "next_notice_after": "notice_pending",
    "paths_of": "path_owner_automation",
    "automations": "sqlite_autoindex_automation_2",
}
# Bounded by what is open, held or few, not by history: reading a whole index or a small table is right.
BOUNDED = {
    "held_runs": "run_leased",
    "unanswered_joins": "open_join",
    "notices": "notice_newest",
}
# Sorts what is due, which an index finds: those that were tried least come first, one of each automation.
SORTED = {"due_notices": "notice_pending"}
# Asked once for each start, or by people.
RARE = {"zones_in_use", "nodes", "audit_chains", "revisions_recorded"}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A ledger with history in it, and what the planner learns from that."""
    with STORES["sqlite"](tmp_path_factory.mktemp("full")) as store:
        store.write(_fill)
        store.raw("analyze")
        yield store


def _fill(tx: Any) -> None:
    ends = {"state": RunState.CANCELLED, "claimable_at": None, "outcome": Outcome.CANCELLED}
    for number in range(300):
        name = f"a_{number}"
        tx.add_automation(samples.automation(automation_id=name, next_due=samples.after(number)))
        tx.add_revision(samples.revision(automation_id=name))
        for window in range(2):
            id_ = f"r_{number}_{window}"
            ended = ends if window == 0 else {}
            run = samples.run(run_id=id_, automation_id=name, **ended)
            tx.add_run(samples.run_pin(run_id=id_, automation_id=name), run)
            tx.add_occurrence(
                samples.occurrence(automation_id=name, occurrence_key=f"slot:{window}", run_id=id_)
            )
        tx.add_notice(samples.notice(notice_id=f"n_{number}"))


def _plan(store: Store, name: str) -> list[str]:
    text = statements.named()[name]
    return store.plan(text, **dict.fromkeys(re.findall(r":(\w+)", text), 0))


def _scans(plan: list[str], *allowed: str) -> list[str]:
    scanned = (re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", step) for step in plan)
    # `CONSTANT ROW` is a select without a table.
    bounded = {"ready", "nearest", "CONSTANT", *allowed}
    return [s[0] for s in scanned if s and not {s[1], s[2]} & bounded]


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_answers_without_reading_a_table_or_sorting(full: Store, name: str):
    plan = _plan(full, name)
    assert any(re.search(rf"SEARCH \w+ USING .*INDEX {INDEXES[name]}\b", s) for s in plan), plan
    assert _scans(plan) == []
    assert not any("TEMP B-TREE" in step for step in plan), plan


@pytest.mark.parametrize("name", BOUNDED)
def test_what_is_bounded_is_read_in_order(full: Store, name: str):
    plan = _plan(full, name)
    assert _scans(plan, BOUNDED[name]) == []
    assert not any("TEMP B-TREE" in step for step in plan), plan


@pytest.mark.parametrize("name", SORTED)
def test_what_is_sorted_is_found_by_an_index(full: Store, name: str):
    plan = _plan(full, name)
    assert any(re.search(rf"SEARCH \w+ USING INDEX {SORTED[name]}\b", s) for s in plan), plan
    assert _scans(plan) == []


@pytest.mark.parametrize("name", sorted(set(statements_of.everyday()) - set(BOUNDED) - RARE))
def test_no_statement_reads_a_whole_table(full: Store, name: str):
    assert _scans(_plan(full, name)) == []


def test_a_cover_of_an_instant_is_found_by_a_bounded_look(full: Store):
    plan = _plan(full, "occurrence_covering")
    assert any("INDEX occurrence_due" in step for step in plan), plan


def test_a_plan_without_statistics_is_the_same(store: Store):
    for name, index in INDEXES.items():
        plan = _plan(store, name)
        assert any(f"INDEX {index}" in step for step in plan), (name, plan)
