"""Verbs about workspaces, automations, revisions, path owners and occurrences."""

from dataclasses import replace

from duly.ledger.verbs import Verbs
from duly.model.states import AutomationState, Disposition, Outcome, RunState, Trigger
from duly.model.timing import AnchorClass
from tests.ledger.verbs import samples
from tests.ledger.verbs.samples import A, R, after, mark
from tests.ledger.verbs.stores import Store


def test_a_workspace_is_read_back(store: Store):
    store.write(lambda tx: tx.add_workspace(samples.workspace()))
    assert store.read(lambda tx: tx.workspace("default")) == samples.workspace()
    assert store.read(lambda tx: tx.workspace("other")) is None


def test_an_automation_is_found_by_id_and_by_name(store: Store):
    written = samples.automation(job_key="digest", mark=mark(3, anchor=AnchorClass.ELAPSED))
    store.write(lambda tx: tx.add_automation(written))
    assert store.read(lambda tx: tx.automation(A)) == written
    assert store.read(lambda tx: tx.automation_named("default", "digest")) == written
    assert store.read(lambda tx: tx.automation_named("other", "digest")) is None
    assert store.read(lambda tx: tx.automation("a_none")) is None


def test_a_name_is_taken_in_its_workspace_only(store: Store):
    def add(tx, **given):
        return tx.add_automation(samples.automation(job_key="digest", **given))

    assert store.write(lambda tx: add(tx, automation_id="a_1"))
    assert not store.write(lambda tx: add(tx, automation_id="a_2"))
    assert store.write(lambda tx: add(tx, automation_id="a_2", workspace_id="other"))


def test_automations_are_paged_by_name_deleted_ones_too(store: Store):
    def add(tx):
        for name in ("c", "a", "b"):
            tx.add_automation(samples.automation(automation_id=f"a_{name}", job_key=name))
        tx.add_automation(
            samples.automation(automation_id="a_x", job_key="x", workspace_id="other")
        )
        gone = {"state": AutomationState.DELETED, "next_due": None}
        tx.record_automation(replace(tx.automation("a_b"), **gone))

    store.write(add)

    def page(after_job_key: str, limit: int) -> list[str]:
        found = store.read(lambda tx: tx.automations("default", after_job_key, limit))
        return [automation.job_key for automation in found]

    assert page("", 2) == ["a", "b"]
    assert page("b", 2) == ["c"]
    assert page("c", 2) == []


def test_recording_an_automation_keeps_what_is_fixed(store: Store):
    changed = samples.automation(
        job_key="other",
        created_with="x",
        created_at=after(9),
        state=AutomationState.SUSPENDED,
        state_reason="login",
        state_since=after(1),
        revision=2,
        next_due=None,
        mark=mark(9),
        told="suspended",
        fault_kind="login",
        fault_count=5,
        updated_at=after(1),
    )
    store.write(lambda tx: tx.add_automation(samples.automation()))
    assert store.write(lambda tx: tx.record_automation(changed))
    fixed = samples.automation()
    assert store.read(lambda tx: tx.automation(A)) == replace(
        changed,
        version=2,
        job_key=fixed.job_key,
        created_with=fixed.created_with,
        created_at=fixed.created_at,
    )


def test_automations_are_due_from_their_instant_on_the_longest_due_first(store: Store):
    def add(tx):
        for name, seconds in (("b", 10), ("a", 10), ("c", 5), ("d", 11)):
            next_due = after(seconds)
            tx.add_automation(samples.automation(automation_id=name, next_due=next_due))
            tx.add_revision(samples.revision(automation_id=name, timing=f'"{name}"'))

    store.write(add)
    assert store.read(lambda tx: tx.next_due()) == after(5)
    store.at = after(10) - 1
    assert [d.automation_id for d in store.read(lambda tx: tx.due_automations(9))] == ["c"]
    store.at = after(10)
    found = store.read(lambda tx: tx.due_automations(9))
    assert [d.automation_id for d in found] == ["c", "a", "b"]
    assert found[0] == samples.due(samples.automation(automation_id="c"), timing='"c"')
    assert len(store.read(lambda tx: tx.due_automations(2))) == 2


def test_automations_by_wall_time_are_told_from_those_by_elapsed_time(store: Store):
    def add(tx):
        for name, anchor, seconds in (("a", "W", 5), ("b", "E", 7), ("c", "W", 9)):
            mark = replace(samples.automation().mark, anchor=AnchorClass(anchor))
            one = samples.automation(automation_id=name, mark=mark, next_due=after(seconds))
            tx.add_automation(one)
            tx.add_revision(samples.revision(automation_id=name))
        halted = {"state": AutomationState.SUSPENDED, "next_due": None}
        for name, reason in (("d", "zone_unknown"), ("e", "admission_failed")):
            tx.add_automation(samples.automation(automation_id=name, state_reason=reason, **halted))
            tx.add_revision(samples.revision(automation_id=name))

    store.write(add)
    store.at = after(10)
    found = store.read(lambda tx: tx.due_automations(9, only_elapsed=True))
    assert [one.automation_id for one in found] == ["b"]
    assert store.read(lambda tx: tx.next_due(only_elapsed=True)) == after(7)
    walls = store.read(lambda tx: tx.wall_automations("", "zone_unknown", 9))
    assert [(one.automation_id, one.is_active) for one in walls] == [
        ("a", True),
        ("c", True),
        ("d", False),
    ]
    (third,) = store.read(lambda tx: tx.wall_automations("c", "zone_unknown", 9))
    assert third.automation_id == "d"


def test_automations_to_come_are_paged_in_the_order_in_which_they_will_be_due(store: Store):
    def add(tx):
        for name, seconds in (("b", 10), ("a", 10), ("c", 5), ("d", 11)):
            next_due = after(seconds)
            tx.add_automation(samples.automation(automation_id=name, next_due=next_due))
            tx.add_revision(samples.revision(automation_id=name, timing=f'"{name}"'))

    store.write(add)
    first, second = store.read(lambda tx: tx.coming_automations(after(10), (after(0), ""), 2))
    assert [first.automation_id, second.automation_id] == ["c", "a"]
    assert (first.next_due, first.timing) == (after(5), '"c"')
    place = (second.next_due, second.automation_id)
    (third,) = store.read(lambda tx: tx.coming_automations(after(10), place, 2))
    assert third.automation_id == "b"


def test_a_due_automation_says_whether_runs_of_it_are_open(store: Store):
    ended = {"state": RunState.CANCELLED, "claimable_at": None, "outcome": Outcome.CANCELLED}

    def add(tx):
        for name in "abc":
            tx.add_automation(samples.automation(automation_id=name, next_due=samples.START))
            tx.add_revision(samples.revision(automation_id=name))
        for name, facts in (("b", ended), ("c", {})):
            run = samples.run(run_id=f"r_{name}", automation_id=name, **facts)
            tx.add_run(samples.run_pin(run_id=f"r_{name}", automation_id=name), run)

    store.write(add)
    found = store.read(lambda tx: tx.due_automations(9))
    assert [one.has_open_runs for one in found] == [False, False, True]


def test_a_due_automation_comes_with_the_timing_of_its_current_revision(store: Store):
    def add(tx):
        tx.add_automation(samples.automation(revision=2, next_due=samples.START))
        tx.add_revision(samples.revision(number=1, timing='"old"'))
        tx.add_revision(samples.revision(number=2, timing='"new"'))

    store.write(add)
    (found,) = store.read(lambda tx: tx.due_automations(9))
    assert (found.revision, found.timing) == (2, '"new"')


def test_nothing_is_due_in_an_empty_ledger(store: Store):
    assert store.read(lambda tx: tx.next_due()) is None
    assert store.read(lambda tx: tx.due_automations(9)) == []


def test_a_raised_watermark_moves_the_due_instant(store: Store):
    store.write(lambda tx: tx.add_automation(samples.automation()))
    due, raised = samples.due(samples.automation()), mark(60, slot_key="next", zone="Asia/Tokyo")
    assert store.write(lambda tx: tx.record_mark(due, raised, after(120)))
    found = store.read(lambda tx: tx.automation(A))
    assert found == samples.automation(mark=raised, next_due=after(120), version=2)
    assert store.read(lambda tx: tx.next_due()) == after(120)
    assert not store.write(lambda tx: tx.record_mark(due, raised, after(180)))


def test_revisions_are_read_one_by_one_and_together(store: Store):
    for number in (2, 1):
        revision = samples.revision(number=number)
        store.write(lambda tx, given=revision: tx.add_revision(given))
    assert store.read(lambda tx: tx.revision(A, 2)) == samples.revision(number=2)
    assert store.read(lambda tx: tx.revision(A, 3)) is None
    assert [r.number for r in store.read(lambda tx: tx.revisions(A))] == [1, 2]


def test_a_changed_revision_is_not_taken(store: Store):
    store.write(lambda tx: tx.add_revision(samples.revision()))
    assert not store.write(lambda tx: tx.add_revision(samples.revision(definition='{"a":1}')))
    assert store.read(lambda tx: tx.revision(A, 1)).definition == "{}"


def test_zones_in_use_are_those_of_workspaces_and_watermarks(store: Store):
    def add(tx):
        tx.add_workspace(samples.workspace())
        for name, zone in (("a", "Asia/Tokyo"), ("b", "UTC"), ("c", "Asia/Tokyo")):
            tx.add_automation(samples.automation(automation_id=name, mark=mark(zone=zone)))

    store.write(add)
    assert store.read(lambda tx: tx.zones_in_use()) == ["Asia/Tokyo", "Europe/Berlin", "UTC"]


def test_a_path_has_one_owner_until_it_is_released(store: Store):
    def own(path: str, automation_id: str) -> bool:
        return store.write(lambda tx: tx.add_path_owner("default", path, automation_id))

    assert [own("/x", "a_1"), own("/w", "a_1"), own("/x", "a_2"), own("/x", "a_1")] == [
        True,
        True,
        False,
        False,
    ]
    assert store.read(lambda tx: tx.path_owner("default", "/x")) == "a_1"
    assert store.read(lambda tx: tx.path_owner("other", "/x")) is None
    assert store.read(lambda tx: tx.paths_of("a_1")) == ["/w", "/x"]
    store.write(lambda tx: tx.release_paths("a_1"))
    assert store.read(lambda tx: tx.paths_of("a_1")) == []
    assert own("/x", "a_2")


def test_an_occurrence_is_read_back_and_never_answered_anew(store: Store):
    first = samples.occurrence(last_due_at=after(9), last_slot_key="9", slot_count=3)
    assert store.write(lambda tx: tx.add_occurrence(first))
    second = samples.occurrence(disposition=Disposition.SKIPPED, run_id=None)
    assert not store.write(lambda tx: tx.add_occurrence(second))
    assert store.read(lambda tx: tx.occurrence(A, "slot:1")) == first
    assert store.read(lambda tx: tx.occurrence(A, "slot:2")) is None


def test_occurrences_are_paged_newest_first(store: Store):
    def add(tx):
        for number in range(4):
            key = f"slot:{number}"
            tx.add_occurrence(samples.occurrence(occurrence_key=key, at=after(number // 2)))

    store.write(add)

    def page(before: float, limit: int) -> list[str]:
        found = store.read(lambda tx: tx.occurrences(A, after(before), limit))
        return [occurrence.occurrence_key for occurrence in found]

    assert page(9, 9) == ["slot:3", "slot:2", "slot:1", "slot:0"]
    assert page(0, 9) == ["slot:1", "slot:0"]
    assert page(9, 3) == ["slot:3", "slot:2", "slot:1"]


def test_occurrences_of_a_run_are_found_oldest_first(store: Store):
    def add(tx):
        tx.add_occurrence(samples.joined(at=after(3)))
        tx.add_occurrence(samples.occurrence())
        tx.add_occurrence(samples.occurrence(occurrence_key="slot:2", run_id="r_2"))

    store.write(add)
    found = store.read(lambda tx: tx.occurrences_of_run(R))
    assert [o.occurrence_key for o in found] == ["slot:1", "manual:1"]


def test_the_occurrence_that_covers_an_instant_is_a_slot_or_a_range(store: Store):
    def add(tx):
        tx.add_occurrence(samples.occurrence(occurrence_key="slot:10", due_at=after(10)))
        tx.add_occurrence(
            samples.occurrence(
                occurrence_key="slot:20",
                disposition=Disposition.MISSED,
                run_id=None,
                due_at=after(20),
                last_due_at=after(50),
                slot_count=4,
            )
        )
        # A slot of a newer rule at the very instant that the range began.
        tx.add_occurrence(samples.occurrence(occurrence_key="slot:20b", due_at=after(20)))
        tx.add_occurrence(
            samples.occurrence(
                occurrence_key="manual:2", cause=Trigger.MANUAL, due_at=after(60), run_id=R
            )
        )

    store.write(add)

    def covering(seconds: float) -> str | None:
        found = store.read(lambda tx: tx.occurrence_covering(A, after(seconds)))
        return found and found.occurrence_key

    assert [covering(s) for s in (9, 10, 11, 20, 35, 50, 51, 60)] == [
        None,
        "slot:10",
        None,
        "slot:20b",
        "slot:20",
        "slot:20",
        None,
        None,
    ]
    assert store.read(lambda tx: tx.occurrence_covering("a_2", after(10))) is None


def test_a_joined_occurrence_waits_until_its_verdict(store: Store):
    def add(tx):
        tx.add_occurrence(samples.joined(occurrence_key="manual:2", at=after(2)))
        tx.add_occurrence(samples.joined(at=after(1)))
        tx.add_occurrence(samples.occurrence())

    store.write(add)

    def waiting() -> list[str]:
        return [o.occurrence_key for o in store.read(lambda tx: tx.unanswered_joins(9))]

    assert waiting() == ["manual:1", "manual:2"]
    assert len(store.read(lambda tx: tx.unanswered_joins(1))) == 1
    assert store.read(lambda tx: tx.rerun_verdict(A, "manual:1")) is None
    assert store.write(lambda tx: tx.add_rerun_verdict(samples.rerun_verdict()))
    assert waiting() == ["manual:2"]
    assert store.read(lambda tx: tx.rerun_verdict(A, "manual:1")) == samples.rerun_verdict()


def test_path_owners_beneath_a_directory_are_found_and_no_others(store: Store):
    paths = ("/srv", "/srv/a.md", "/srv/b/{window}.md", "/srv0", "/srv-old/c.md", "/srw/d.md")

    def own(tx: Verbs) -> None:
        for path in paths:
            tx.add_path_owner("default", path, "a_1")
        tx.add_path_owner("other", "/srv/e.md", "a_2")

    store.write(own)
    found = [("/srv/a.md", "a_1"), ("/srv/b/{window}.md", "a_1")]
    for directory in ("/srv", "/srv/"):
        assert store.read(lambda tx, of=directory: tx.path_owners_beneath("default", of)) == found
    assert len(store.read(lambda tx: tx.path_owners_beneath("default", "/"))) == len(paths)
