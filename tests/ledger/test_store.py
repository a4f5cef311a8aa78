"""Group commit: each member on its own, whatever happens to the others."""

import apsw
import pytest

from duly.ledger.api.core import DURABLE, RELAXED, Durability
from duly.ledger.session import TransactionLostError
from duly.ledger.sqlite.store import Member
from duly.model.errors import DeadlineExceededError, UnavailableError
from tests.ledger.sqlite_parts import (
    START,
    Clock,
    Disk,
    Timer,
    commit,
    fail_after_put,
    names,
    open_store,
    put,
    raw,
)

LONG_READ = (
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 900000000)"
    " select count(*) from n"
)
LONG_WRITE = (
    "insert into setting(name, value, at_us)"
    " with recursive n(i) as (select 1 union all select i + 1 from n where i < 900000000)"
    " select 'x' || i, 'x', 1 from n"
)
LOSES_THE_TRANSACTION = "insert or rollback into setting(name, value, at_us) values ('x', null, 1)"
SHORT = Durability(deadline_us=20_000)


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "ledger.db")
    yield opened
    opened.close()


def test_members_of_a_group_are_answered_in_order(store):
    assert commit(store, (put, "a"), (put, "b"), (names, None)) == ["a", "b", ["a", "b"]]


def test_a_members_failure_undoes_that_member_alone(store):
    answers = commit(store, (put, "a"), (fail_after_put, "b"), (put, "c"))
    assert isinstance(answers[1], LookupError)
    assert store.read(names, None) == ["a", "c"]


def test_a_failed_member_wakes_nobody(store):
    answers = store.commit(
        [Member(fn=fn, command=name) for fn, name in ((put, "a"), (fail_after_put, "b"))]
    )
    assert [answer.wakes for answer in answers] == [{"a"}, set()]


def test_members_run_again_one_by_one_when_sqlite_ends_the_transaction(store):
    calls = []

    def count(tx, name):
        calls.append(name)
        return put(tx, name)

    answers = commit(store, (count, "a"), (raw, LOSES_THE_TRANSACTION), (count, "b"))
    assert answers[0] == "a"
    assert isinstance(answers[1], apsw.ConstraintError)
    # The third had not begun; it belongs to the next group.
    assert len(answers) == 2
    assert calls == ["a", "a"]
    assert store.read(names, None) == ["a"]


def test_a_member_that_swallows_a_lost_transaction_writes_nothing_by_itself(store):
    def swallow(tx, _):
        put(tx, "before")
        with pytest.raises(apsw.ConstraintError):
            raw(tx, LOSES_THE_TRANSACTION)
        with pytest.raises(TransactionLostError):
            put(tx, "after")

    assert isinstance(commit(store, (swallow, None))[0], TransactionLostError)
    assert commit(store, (put, "next")) == ["next"]
    assert store.read(names, None) == ["next"]


@pytest.mark.parametrize("statement", [LONG_READ, LONG_WRITE], ids=["read", "write"])
def test_a_member_over_its_deadline_is_stopped_and_never_run_again(store, statement):
    calls = []

    def slow(tx, _):
        calls.append(1)
        put(tx, "slow")
        raw(tx, statement)

    answers = store.commit(
        [
            Member(fn=put, command="a"),
            Member(fn=slow, command=None, durability=SHORT),
        ]
    )
    assert answers[0].result == "a"
    assert isinstance(answers[1].error, DeadlineExceededError)
    assert calls == [1]
    assert store.read(names, None) == ["a"]


def test_a_member_cannot_swallow_its_deadline(store):
    def swallow(tx, _):
        failures = []
        with pytest.raises(apsw.InterruptError), tx.part(failures):
            raw(tx, LONG_READ)
        with pytest.raises(DeadlineExceededError):
            put(tx, "late")
        return failures

    answer = store.commit([Member(fn=swallow, command=None, durability=SHORT)])[0]
    assert isinstance(answer.error, DeadlineExceededError)
    assert store.read(names, None) == []


def test_many_short_statements_have_the_same_deadline(tmp_path):
    store = open_store(tmp_path / "ledger.db", timer=Timer(step=1_000_000), deadline_us=50_000)

    def many(tx, _):
        for number in range(1000):
            put(tx, str(number))

    assert isinstance(commit(store, (many, None))[0], DeadlineExceededError)
    assert commit(store, (names, None)) == [[]]
    store.close()


def test_a_group_takes_what_fits_in_ten_milliseconds(tmp_path):
    store = open_store(tmp_path / "ledger.db", timer=Timer(step=1_000_000))
    answers = commit(store, *[(put, str(number)) for number in range(50)])
    assert 1 <= len(answers) < 10
    store.close()


def test_one_member_runs_however_slow_the_machine_is(tmp_path):
    store = open_store(tmp_path / "ledger.db", timer=Timer(step=100_000_000))
    assert commit(store, (put, "a"), (put, "b")) == ["a"]
    store.close()


def test_a_batch_learns_when_its_time_is_up(tmp_path):
    store = open_store(tmp_path / "ledger.db", timer=Timer(step=1_000_000))

    def batch(tx, _):
        done = 0
        while tx.has_time():
            done += 1
        return done

    assert 0 < commit(store, (batch, None))[0] <= 12
    store.close()


def test_a_group_has_one_instant_and_instants_never_go_back(tmp_path):
    clock = Clock()
    store = open_store(tmp_path / "ledger.db", clock)

    def at(tx, _):
        return tx.at

    assert commit(store, (at, None), (at, None)) == [START, START]
    clock.at = START + 60
    assert commit(store, (at, None)) == [START + 60]
    clock.at = START - 3_600_000_000
    assert commit(store, (at, None)) == [START + 60]
    assert store.read(at, None) == START + 60
    store.close()


def test_a_failed_part_is_kept_apart_and_its_member_goes_on(store):
    def parts(tx, _):
        failures = []
        put(tx, "first")
        with tx.part(failures):
            fail_after_put(tx, "second")
        with tx.part(failures):
            put(tx, "third")
        return failures

    answer = store.commit([Member(fn=parts, command=None)])[0]
    assert [repr(failure) for failure in answer.result] == ["LookupError('second')"]
    assert answer.wakes == {"first", "third"}
    assert store.read(names, None) == ["first", "third"]


def test_a_part_that_loses_the_transaction_ends_its_member(store):
    def parts(tx, _):
        with tx.part([]):
            raw(tx, LOSES_THE_TRANSACTION)
        put(tx, "outside")

    assert isinstance(commit(store, (parts, None))[0], apsw.ConstraintError)
    assert store.read(names, None) == []


@pytest.mark.parametrize("failure", [apsw.FullError, apsw.IOError])
def test_a_part_is_not_blamed_for_the_disk(store, failure):
    blamed = []

    def parts(tx, _):
        with tx.part(blamed):
            put(tx, "a")
            raise failure("the disk's fault")

    assert isinstance(commit(store, (parts, None))[0], UnavailableError)
    assert blamed == []
    assert store.read(names, None) == []


class Syncs(Disk):
    """Counts how often the log is synced."""

    count = 0

    def before_sync(self, file):
        self.count += file.name.endswith("-wal")


@pytest.mark.parametrize(
    ("durabilities", "syncs"),
    [([DURABLE], 1), ([RELAXED], 0), ([RELAXED, DURABLE], 1), ([RELAXED, RELAXED], 0)],
    ids=["durable", "relaxed", "relaxed rides along", "all relaxed"],
)
def test_a_durable_member_makes_its_group_wait_for_the_disk(tmp_path, durabilities, syncs):
    disk = Syncs()
    store = open_store(tmp_path / "ledger.db", vfs=disk.vfs)
    commit(store, (put, "first"))
    disk.count = 0
    for _ in range(2):
        store.commit([Member(fn=put, command="x", durability=each) for each in durabilities])
    assert disk.count == 2 * syncs
    store.commit([Member(fn=put, command="x")])
    assert disk.count == 2 * syncs + 1
    store.close()


def test_another_writer_makes_the_ledger_unavailable_and_nothing_more(store, tmp_path):
    other = apsw.Connection(str(tmp_path / "ledger.db"))
    other.execute("begin immediate")
    store._db.set_busy_timeout(0)
    assert [type(answer) for answer in commit(store, (put, "a"), (put, "b"))] == (
        [UnavailableError] * 2
    )
    other.execute("rollback")
    other.close()
    assert commit(store, (put, "c")) == ["c"]


def test_the_log_is_copied_when_it_has_grown_and_nothing_waits(store, tmp_path):
    commit(store, *[(put, str(number) + "x" * 3000) for number in range(200)])
    store._log_pages_copied = store._log_pages - 2_001
    store.tidy(is_idle=False)
    assert store._log_pages_copied == store._log_pages - 2_001
    store.tidy(is_idle=True)
    assert store._log_pages_copied == store._log_pages
