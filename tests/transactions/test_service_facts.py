"""Notices, nodes, workspaces and commands under an Idempotency-Key."""

import pytest

from duly.model.errors import ConflictError, IdempotencyConflictError
from duly.model.instant import MINUTE_US
from duly.model.reasons import Reason
from duly.model.records import Node
from duly.model.states import NoticeState, Outcome
from duly.transactions import nodes, notices, operations
from duly.transactions.nodes import ClockStep, InitWorkspace, Seen
from duly.transactions.notices import Told
from duly.transactions.operations import Once


@pytest.fixture
def notice(world):
    world.create()
    world.at("2026-09-16T09:00").scan()
    world.settle(world.claim_one(), Outcome.FAILED_BEFORE_WRITE, Reason.EXIT_UNEXPECTED)
    (found,) = world.ledger.read(notices.due_notices, 10).notices
    return found


def tell(world, notice, **changes):
    command = Told(
        notice_id=notice.notice_id,
        tries=notice.tries,
        is_sent=changes.get("is_sent", False),
        detail="no answer",
        next_try=changes.get("next_try"),
    )
    world.write(notices.told, command)
    return world.read("notices", 10)[0]


def test_a_notice_is_tried_again_until_it_is_sent(world, notice):
    again = tell(world, notice, next_try=world.now + MINUTE_US)
    assert (again.state, again.tries) == (NoticeState.PENDING, 1)
    due = world.ledger.read(notices.due_notices, 10)
    assert (due.notices, due.next_notice_at) == ((), world.now + MINUTE_US)
    world.after(MINUTE_US)
    assert tell(world, notice, is_sent=True) == again
    sent = tell(world, again, is_sent=True)
    assert (sent.state, sent.tries, sent.ended_at) == (NoticeState.SENT, 2, world.now)
    assert tell(world, again) == tell(world, sent) == sent


def test_a_notice_without_another_try_has_failed(world, notice):
    failed = tell(world, notice)
    assert (failed.state, failed.next_try) == (NoticeState.FAILED, None)
    assert world.audit_kinds(f"run:{notice.run_id}")[-1] == "notice.told"


def test_a_notice_says_what_it_is_about(notice):
    assert notice.kind == "failed"
    assert '"job_key":"report"' in notice.body
    assert '"reason":"exit_unexpected"' in notice.body


def test_a_node_comes_lives_and_goes(world):
    node = Node(
        owner="node-1",
        host="here",
        pid=7,
        boot_id="boot",
        started_at=world.now,
        seen_at=world.now,
        scanned_at=None,
        stopped_at=None,
        tzdata="2026a",
    )
    world.write(nodes.register, node)
    world.write(nodes.register, node)
    world.after(MINUTE_US)
    world.write(nodes.seen, Seen(owner="node-1", scanned_at=world.now))
    world.write(nodes.seen, Seen(owner="node-1"))
    world.write(nodes.stopped, "node-1")
    (found,) = world.read("nodes", 10)
    assert (found.scanned_at, found.stopped_at) == (world.now, world.now)
    step = ClockStep(owner="node-1", wall_us=-3_600_000_000, elapsed_us=1_000_000, kind="step")
    world.write(nodes.note_clock_step, step)
    assert world.audit_kinds("node") == ["node.started", "node.stopped", "clock.step"]


def test_a_workspace_keeps_the_zone_that_it_was_made_with(world):
    first = InitWorkspace(workspace_id="default", zone="Asia/Taipei", actor="ann")
    made = world.write(nodes.init_workspace, first)
    again = InitWorkspace(workspace_id="default", zone="UTC", actor="ann")
    assert world.write(nodes.init_workspace, again) == made
    assert world.read("workspace", "default").zone == "Asia/Taipei"
    assert world.audit_kinds("workspace:default") == ["workspace.created"]


def once(**changes):
    return Once(
        workspace_id="default",
        name="automation.pause",
        key=changes.get("key", "k1"),
        request=changes.get("request", {"job_key": "report"}),
        actor="ann",
    )


def test_a_command_under_a_key_is_carried_out_once(world):
    calls = []

    def carry_out(tx, command):
        return operations.once_only(tx, command, lambda: calls.append(tx.at) or {"done": True})

    first = world.write(carry_out, once())
    again = world.write(carry_out, once())
    assert (first.is_replay, again.is_replay) == (False, True)
    assert first.result == again.result == {"done": True}
    assert len(calls) == 1
    with pytest.raises(IdempotencyConflictError):
        world.write(carry_out, once(request={"job_key": "other"}))
    world.write(carry_out, once(key="k2"))
    assert len(calls) == 2


def test_a_command_that_failed_leaves_its_key_free(world):
    def fail(tx, command):
        def refuse():
            raise ConflictError("not now")

        return operations.once_only(tx, command, refuse)

    with pytest.raises(ConflictError):
        world.write(fail, once())
    answer = world.write(lambda tx, command: operations.once_only(tx, command, dict), once())
    assert not answer.is_replay
