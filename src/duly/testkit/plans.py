"""Plain plans to start tests from: change what a test is about with `dataclasses.replace`."""

from typing import Final

from duly.model.instant import MINUTE_US, SECOND_US
from duly.model.plan import (
    Agent,
    CatchUpNone,
    Expect,
    Home,
    Inputs,
    Isolation,
    OverlapSkip,
    Overwrite,
    RemoteWrite,
    Restart,
    Retry,
    Timeouts,
    Timing,
    Work,
)
from duly.model.timing import AnchorClass, Covers, CronRule, Period, WindowRule

PLAIN_TIMING: Final = Timing(
    rule=CronRule(text="*/5 * * * *"),
    zone="UTC",
    anchor=AnchorClass.ELAPSED,
    window=WindowRule(period=Period.SLOT, covers=Covers.CURRENT),
    overlap=OverlapSkip(),
    catch_up=CatchUpNone(),
    valid_from=None,
    valid_until=None,
    late_us_max=5 * MINUTE_US,
    start_us_max=10 * MINUTE_US,
    queue_us_max=None,
    priority=0,
    input_version="0",
)
"""Every five minutes, each slot a window of its own, with the careful defaults."""

PLAIN_WORK: Final = Work(
    job_key="sample",
    root="/nowhere",
    cwds=("/nowhere",),
    isolation=Isolation.STAGED,
    prompt="",
    prompt_params=(),
    skills=(),
    agent=Agent(
        driver="command",
        argv=("true",),
        path="/usr/bin:/bin",
        home=Home.PRIVATE,
        restart=Restart.PROVEN,
        variables=(),
        secrets=(),
        timeouts=Timeouts(start_us=MINUTE_US, silence_us=None, wall_us=MINUTE_US),
    ),
    inputs=Inputs(sources=(), repo=None),
    precheck=None,
    expect=Expect(artifact=None, verify=None, exit_codes=(0,)),
    write_scope=(),
    remote_write=RemoteWrite.DENIED,
    overwrite=Overwrite.ALLOWED,
    result_artifact=None,
    retry=Retry(attempts_max=3, delay_us=SECOND_US, delay_us_max=MINUTE_US),
    notify=(),
)
"""The program `true` in a directory that does not exist; its exit completes it."""
