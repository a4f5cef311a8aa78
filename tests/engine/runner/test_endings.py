"""An execution's end is written so that a later attempt reads the same."""

from dataclasses import replace

import pytest

from duly.engine.runner import endings
from duly.model.instant import Instant
from duly.model.run import Execution
from duly.model.states import ExecutionState
from duly.policy.ending import Cancelled, Exited, LaunchLost, Signalled, TimedOut, Timeout

EXECUTION = Execution(
    run_id="r_1",
    fence=1,
    part="agent",
    claim_id="c",
    state=ExecutionState.SETTLED,
    token="t",
    argv="[]",
    prompt_sha256=None,
    boot_id=None,
    launcher_pid=None,
    launcher_ticks=None,
    pid=None,
    start_ticks=None,
    ending=None,
    exit_code=None,
    log_sha256=None,
    log_bytes=None,
    is_empty=True,
    started_at=Instant(0),
    ended_at=Instant(1),
)
EXITS = [
    *(Exited(code=code) for code in (0, 1, 77, 255)),
    Signalled(number=9),
    *(TimedOut(kind=kind) for kind in Timeout),
    Cancelled(was_started=True),
    LaunchLost(),
]


@pytest.mark.parametrize("exit_", EXITS, ids=repr)
def test_what_is_written_is_read_back(exit_):
    ending, code = endings.write(exit_)
    assert endings.read(replace(EXECUTION, ending=ending, exit_code=code)) == exit_


@pytest.mark.parametrize("ending", [None, endings.DEAD, endings.NOT_STARTED])
def test_where_nobody_saw_the_end_there_is_none(ending):
    assert endings.read(replace(EXECUTION, ending=ending)) is None
