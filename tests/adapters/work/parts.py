"""A workshop in a fresh directory, and parts of attempts to try its performers with."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from duly.adapters.clock import wall
from duly.adapters.files.bytes_store import BytesStore
from duly.adapters.launch.launch import Launchers
from duly.adapters.launch.log import LogLimits
from duly.adapters.work import logs, observe, prepare
from duly.adapters.work import requests as r
from duly.adapters.work.layout import Workshop
from duly.model.instant import HOUR_US, MINUTE_US, Instant
from duly.model.plan import (
    Agent,
    Expect,
    Home,
    Inputs,
    Isolation,
    Overwrite,
    RemoteWrite,
    Restart,
    Retry,
    Timeouts,
    Work,
)
from duly.model.run import RunPin, Snapshot
from duly.model.states import Trigger
from duly.policy import scope

PIN = RunPin(
    run_id="r_1",
    automation_id="a_1",
    workspace_id="default",
    window_key="2026-09-01",
    input_version="0",
    revision=1,
    cause=Trigger.MANUAL,
    slot_key=None,
    due_at=None,
    span_start=Instant(0),
    span_end=Instant(86_400_000_000),
    is_caught_up=False,
    amends_run_id=None,
    redo_reason=None,
    redo_effects=None,
    created_at=Instant(0),
)


def workshop(home: Path, **environ: str) -> Workshop:
    """Return a workshop of a data directory."""
    return Workshop(
        home=home,
        bytes=BytesStore(home / "bytes"),
        launchers=Launchers(),
        clock=wall,
        environ={"PATH": os.environ["PATH"], "HOME": "/nowhere", **environ},
        log_limits=LogLimits(),
        matches=scope.matches,
        umask=0o022,
    )


def work(root: Path, **fields: Any) -> Work:
    """Return work in a directory: any program, one artifact."""
    agent = Agent(
        driver="command",
        argv=("true",),
        path=os.environ["PATH"],
        home=Home.PRIVATE,
        restart=Restart.PROVEN,
        variables=(),
        secrets=(),
        timeouts=Timeouts(start_us=MINUTE_US, silence_us=None, wall_us=HOUR_US),
    )
    made = Work(
        job_key="report",
        root=str(root),
        cwds=(str(root),),
        isolation=Isolation.STAGED,
        prompt="",
        prompt_params=(),
        skills=(),
        agent=replace(agent, **fields.pop("agent", {})),
        inputs=Inputs(sources=("**",), repo=None),
        precheck=None,
        expect=Expect(artifact="report.md", verify=None, exit_codes=()),
        write_scope=("*.md",),
        remote_write=RemoteWrite.DENIED,
        overwrite=Overwrite.ALLOWED,
        result_artifact="report.md",
        retry=Retry(attempts_max=1, delay_us=0, delay_us_max=0),
        notify=(),
    )
    return replace(made, **fields)


def frozen(shop: Workshop, wanted: Work, fence: int = 1, pin: RunPin = PIN) -> r.Part:
    """Freeze what the work reads, and return the agent's part of an attempt."""
    seen = observe.observe(shop, r.Observe(pin=pin, work=wanted))
    snapshot = Snapshot(
        run_id=pin.run_id,
        fence=fence,
        claim_id="c",
        source_set=seen.source_set,
        base_commit=seen.base_commit,
        base_tree=seen.base_tree,
        observed_at=seen.observed_at,
        content=seen.content,
        at=seen.observed_at,
    )
    return r.Part(
        pin=pin,
        work=wanted,
        snapshot=snapshot,
        name="agent",
        argv=wanted.agent.argv,
        fence=fence,
        attempt=1,
        token=f"token-{fence}",
    )


def prepared(shop: Workshop, part: r.Part) -> r.Prepared:
    """Make an attempt ready; its log is finished at once, for nothing will run."""
    found = prepare.prepare(shop, r.Prepare(part=part))
    logs.keep_log(shop, r.KeepLog(log=found.log))
    return found


def copy_of(shop: Workshop, part: r.Part) -> Path:
    """Return the working copy of an attempt, made ready."""
    prepared(shop, part)
    return shop.stage(part.pin.run_id).copy(part.fence)
