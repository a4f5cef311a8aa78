"""SIGKILL at every named point from claim to settlement: after the restart a run is settled once, or flagged."""

import pytest

from duly.ledger.sqlite import check
from duly.testkit.workbench import Options, Workbench
from tests.node.jobs import report, starts

BEFORE_THE_PROGRAM = (
    "after:claim_from_now",
    "before:Observe",
    "done:Observe",
    "after:freeze_snapshot",
    "after:enter_phase:1",
    "before:Prepare",
    "done:Prepare",
    "after:begin_execution",
)
"""Nothing was started yet, and the ledger proves it."""

WHILE_IT_MAY_RUN = (
    "after:dispatch_execution",
    "after:attach_execution",
    "before:KeepLog",
    "done:KeepLog",
)
"""A program was started, and nobody recorded how it ended."""

BEHIND_IT = (
    "after:end_execution",
    "after:enter_phase:2",
    "before:Examine",
    "done:Examine",
    "after:enter_phase:3",
    "after:begin_publications",
    "before:PublishFiles",
    "done:PublishFiles",
    "after:settle_publications",
    "after:settle",
)
"""The program's end is recorded: the next attempt goes on behind it."""


@pytest.fixture
def killed_and_restarted(home, root, nodes):
    """Admit a run, let a node die at a point, let another one finish, and return the run."""

    def do(point, restart):
        with Workbench(home, Options(is_working=False)) as bench:
            bench.apply(report(restart), root)
            run_id = bench.start("report", idempotency_key="k")
        nodes.dies_at(home, point)
        with Workbench(home) as bench:
            bench.settle()
            found = bench.show(run_id)
        assert check.check(home / "ledger.db").faults == ()
        return found

    return do


@pytest.mark.parametrize("point", BEFORE_THE_PROGRAM)
def test_killed_before_the_program_the_run_is_done_once(point, killed_and_restarted, root):
    found = killed_and_restarted(point, "proven")
    assert found.run.outcome == "completed"
    assert starts(root) == 1


@pytest.mark.parametrize("point", WHILE_IT_MAY_RUN)
def test_case_a22_killed_while_the_program_may_have_written_a_person_looks(
    point, killed_and_restarted, root
):
    found = killed_and_restarted(point, "proven")
    assert (found.run.outcome, found.run.reason) == ("needs-review", "may_have_written")
    assert starts(root) <= 1
    assert not (root / "reports").exists()


@pytest.mark.parametrize("point", WHILE_IT_MAY_RUN)
def test_killed_while_a_program_runs_that_is_vouched_for_it_is_done_again(
    point, killed_and_restarted, root
):
    found = killed_and_restarted(point, "safe")
    assert found.run.outcome == "completed"
    assert 1 <= starts(root) <= 2


@pytest.mark.parametrize("point", BEHIND_IT)
def test_killed_behind_the_program_it_is_not_started_again(point, killed_and_restarted, root):
    found = killed_and_restarted(point, "proven")
    assert found.run.outcome == "completed"
    assert starts(root) == 1
    assert [effect.state for effect in found.effects] == ["succeeded"]
    assert len(list((root / "reports").iterdir())) == 1
