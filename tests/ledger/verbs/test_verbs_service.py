"""Verbs about the service itself, and those that every transaction has."""

from collections.abc import Set as AbstractSet
from dataclasses import replace

import pytest

from duly.ledger import statements
from duly.model.states import NoticeState
from tests.ledger.verbs import samples
from tests.ledger.verbs.samples import after
from tests.ledger.verbs.stores import Store


def test_the_schema_that_the_ledger_has_is_told(store: Store):
    newest = statements.sqlite_migrations()[-1].version
    assert store.read(lambda tx: tx.schema_version()) == newest


def test_a_setting_is_set_and_set_again(store: Store):
    assert store.read(lambda tx: tx.setting("tzdata")) is None
    for value in ("2025a", "2025b"):
        store.write(lambda tx, value=value: tx.record_setting("tzdata", value))
    assert store.read(lambda tx: tx.setting("tzdata")) == "2025b"


def test_a_node_is_seen_scans_and_stops(store: Store):
    store.write(lambda tx: tx.add_node(samples.node()))
    store.write(lambda tx: tx.add_node(samples.node(owner="node-2", started_at=after(1))))
    store.at = after(5)
    store.write(lambda tx: tx.record_node_seen("node-1", after(4)))
    store.at = after(6)
    store.write(lambda tx: tx.record_node_seen("node-1", None))
    newest, first = store.read(lambda tx: tx.nodes(9))
    assert newest.owner == "node-2"
    assert first == samples.node(seen_at=after(6), scanned_at=after(4))
    store.at = after(7)
    store.write(lambda tx: tx.record_node_stopped("node-1"))
    stopped = store.read(lambda tx: tx.nodes(9))[1]
    assert (stopped.seen_at, stopped.stopped_at) == (after(7), after(7))
    assert len(store.read(lambda tx: tx.nodes(1))) == 1


def test_notices_are_due_until_they_are_sent(store: Store):
    def add(tx):
        tx.add_notice(
            samples.notice(
                notice_id="n_2", automation_id="a_2", next_try=after(20), created_at=after(2)
            )
        )
        tx.add_notice(samples.notice(notice_id="n_1", next_try=after(10), created_at=after(1)))

    store.write(add)
    assert store.read(lambda tx: tx.next_notice_at()) == after(10)
    assert store.read(lambda tx: tx.due_notices(9)) == []
    store.at = after(10)
    assert store.read(lambda tx: tx.next_notice_after()) == after(20)
    store.at = after(20)
    assert store.read(lambda tx: tx.next_notice_after()) is None
    first, second = store.read(lambda tx: tx.due_notices(9))
    assert (first.notice_id, second.notice_id) == ("n_1", "n_2")
    assert len(store.read(lambda tx: tx.due_notices(1))) == 1
    sent = replace(
        first, state=NoticeState.SENT, tries=1, next_try=None, detail="exit 0", ended_at=after(20)
    )
    store.write(lambda tx: tx.record_notice(replace(sent, kind="other", created_at=after(9))))
    assert store.read(lambda tx: tx.notices(9)) == [second, sent]
    assert len(store.read(lambda tx: tx.notices(1))) == 1
    assert store.read(lambda tx: tx.next_notice_at()) == after(20)


def test_notices_that_were_tried_least_come_first_and_one_of_each_automation(store: Store):
    def add(tx):
        for number in range(4):
            tx.add_notice(
                samples.notice(
                    notice_id=f"n_{number}", automation_id="a_busy", tries=1, next_try=after(number)
                )
            )
        tx.add_notice(samples.notice(notice_id="n_new", automation_id="a_busy", next_try=after(9)))
        tx.add_notice(samples.notice(notice_id="n_other", automation_id="a_2", next_try=after(10)))

    store.write(add)
    store.at = after(20)
    due = store.read(lambda tx: tx.due_notices(9))
    assert [notice.notice_id for notice in due] == ["n_new", "n_other"]
    assert store.read(lambda tx: tx.notice("n_other")) == due[1]
    assert store.read(lambda tx: tx.notice("n_nobody")) is None


def test_a_person_is_told_once_of_one_thing(store: Store):
    assert store.write(lambda tx: tx.add_notice(samples.notice()))
    assert not store.write(lambda tx: tx.add_notice(samples.notice(body='{"again":true}')))


def test_an_operation_is_answered_from_the_ledger(store: Store):
    store.write(lambda tx: tx.add_operation(samples.operation()))
    assert store.read(lambda tx: tx.operation("o_1")) == samples.operation()
    assert store.read(lambda tx: tx.operation("o_2")) is None


def test_audit_events_are_paged_in_order(store: Store):
    def note(tx):
        for number in range(3):
            tx.audit("run:r_1", "claimed", {"number": number}, "worker")
        tx.audit("node", "started", {}, "node-1")

    store.write(note)
    found = store.read(lambda tx: tx.audit_events("run:r_1", 0, 2))
    assert [(e.seq, e.body, e.actor, e.kind) for e in found] == [
        (1, '{"number":0}', "worker", "claimed"),
        (2, '{"number":1}', "worker", "claimed"),
    ]
    assert found[0].at == store.at
    assert [e.seq for e in store.read(lambda tx: tx.audit_events("run:r_1", 2, 9))] == [3]
    assert store.read(lambda tx: tx.audit_events("run:r_2", 0, 9)) == []


def test_a_transaction_has_one_instant(store: Store):
    store.at = after(3)
    assert store.write(lambda tx: tx.at) == after(3)
    assert store.write(lambda tx: tx.has_time())


def test_wake_keys_are_posted_after_the_commit(store: Store):
    posted: list[AbstractSet[str]] = []
    store.ledger.on_wake = posted.append
    store.write(lambda tx: (tx.wake("ready"), tx.wake("due")))
    store.write(lambda tx: tx.setting("x"))
    store.ledger.close()
    assert posted == [{"ready", "due"}]


def test_a_part_that_fails_takes_only_its_own_writes_back(store: Store):
    failures: list[Exception] = []

    def three(tx):
        for name in ("a", "b", "c"):
            with tx.part(failures):
                tx.record_setting(name, "1")
                if name == "b":
                    raise LookupError(name)

    store.write(three)
    assert [type(failure) for failure in failures] == [LookupError]
    assert store.read(lambda tx: [tx.setting(name) for name in "abc"]) == ["1", None, "1"]


def test_a_reader_cannot_write(store: Store):
    with pytest.raises(Exception, match=r"readonly|read-only"):
        store.read(lambda tx: tx.record_setting("a", "1"))
