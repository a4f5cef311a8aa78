"""Starting alike: a pattern writes for each automation what a start of its own would, behind the same guards."""

from dataclasses import replace
from typing import Any

import pytest

from duly.ledger.api.starts import Start
from duly.model.ids import RunId
from tests.ledger.verbs import samples
from tests.ledger.verbs.samples import after, mark
from tests.ledger.verbs.stores import Store

FIRST, SECOND = ("a_1", "r_first"), ("a_2", "r_second")
WINDOW = "2026-09-16"


def start(own: tuple[str, str] = FIRST) -> Start:
    automation_id, run_id = own
    return Start(
        pin=samples.run_pin(run_id=run_id, automation_id=automation_id, window_key=WINDOW),
        run=samples.run(run_id=run_id, automation_id=automation_id),
        occurrence=samples.occurrence(automation_id=automation_id, run_id=run_id),
        mark=mark(5),
        next_due=after(90),
        created={"window": WINDOW},
        answered={"answers": [{"run": run_id}], "from": "y", "to": "x"},
    )


def prepare(store: Store) -> None:
    def add(tx: Any) -> None:
        for automation_id, _ in (FIRST, SECOND):
            key = f"key-{automation_id}"
            tx.add_automation(samples.automation(automation_id=automation_id, job_key=key))
            tx.audit(f"automation:{automation_id}", "automation.created", {}, "cli")

    store.write(add)


def begin(store: Store, own: tuple[str, str], **changes: Any) -> bool:
    """Start the slot of an automation after the pattern of the first."""

    def alike(tx: Any) -> bool:
        due = samples.due(tx.automation(own[0]))
        return tx.start_like(tx.pattern(start()), replace(due, **changes), RunId(own[1]))

    return store.write(alike)


def test_a_start_after_a_pattern_is_a_start_of_its_own(store: Store):
    prepare(store)
    assert begin(store, SECOND)
    own = start(SECOND)
    found = store.read(
        lambda tx: (
            tx.run("r_second"),
            tx.run_pin("r_second"),
            tx.occurrence("a_2", own.occurrence.occurrence_key),
        )
    )
    assert found == (own.run, own.pin, own.occurrence)
    automation = store.read(lambda tx: tx.automation("a_2"))
    assert (automation.mark, automation.next_due, automation.version) == (mark(5), after(90), 2)
    events = store.read(lambda tx: tx.audit_events("automation:a_2", 0, 9))
    assert [(e.seq, e.kind, e.body) for e in events] == [
        (1, "automation.created", "{}"),
        (
            2,
            "slots.answered",
            '{"answers":[{"run":"r_second"}],"from":"k","to":"x"}',
        ),
    ]
    (created,) = store.read(lambda tx: tx.audit_events("run:r_second", 0, 9))
    assert (created.seq, created.kind, created.body) == (
        1,
        "run.created",
        f'{{"window":"{WINDOW}"}}',
    )
    assert store.read(lambda tx: tx.automation("a_1")).version == 1


def test_a_window_that_has_a_run_of_any_input_version_starts_no_other(store: Store):
    prepare(store)
    store.write(
        lambda tx: tx.add_run(
            samples.run_pin(automation_id="a_2", window_key=WINDOW, input_version="9"),
            samples.run(automation_id="a_2"),
        )
    )
    assert begin(store, SECOND) is False


@pytest.mark.parametrize(
    "changes", [{"version": 2}, {"mark": mark(-1)}, {"mark": mark(0, zone="Asia/Tokyo")}]
)
def test_an_automation_that_has_changed_starts_nothing(store: Store, changes: dict[str, Any]):
    prepare(store)
    assert begin(store, SECOND, **changes) is False


def test_a_slot_starts_once(store: Store):
    prepare(store)
    assert begin(store, FIRST)
    assert begin(store, FIRST) is False


def test_a_chain_goes_on_where_it_was_once_a_part_has_failed(store: Store):
    def parts(tx: Any) -> None:
        failures: list[Exception] = []
        tx.audit("automation:a_2", "before", {}, "x")
        with tx.part(failures):
            tx.audit("automation:a_2", "lost", {}, "x")
            raise LookupError
        tx.audit("automation:a_2", "after", {}, "x")

    prepare(store)
    store.write(parts)
    events = store.read(lambda tx: tx.audit_events("automation:a_2", 0, 9))
    assert [(e.seq, e.kind) for e in events] == [
        (1, "automation.created"),
        (2, "before"),
        (3, "after"),
    ]
