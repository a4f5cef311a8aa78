"""Records to write in tests: one valid sample of each kind; what matters to a test is given by name."""

from typing import Any

from duly.model import canonical
from duly.model.automation import Automation, DueAutomation, Revision, Workspace
from duly.model.claims import Claim
from duly.model.effect import Effect, EffectCall, Publication
from duly.model.ids import AutomationId, ClaimId, EffectId, RunId
from duly.model.instant import SECOND_US, Instant
from duly.model.occurrence import Occurrence, RerunVerdict
from duly.model.records import Node, Notice, OperationRecord
from duly.model.run import Artifact, Execution, Run, RunPin, Snapshot
from duly.model.states import (
    AutomationState,
    Disposition,
    EffectState,
    ExecutionState,
    NoticeState,
    RunState,
    Trigger,
    Verdict,
)
from duly.model.timing import AnchorClass, Watermark

START = Instant(1_700_000_000_000_000)
A = AutomationId("a_1")
R = RunId("r_1")
E = EffectId("e_1")


def after(seconds: float) -> Instant:
    return Instant(START + int(seconds * SECOND_US))


def workspace(**given: Any) -> Workspace:
    return Workspace(
        **{"workspace_id": "default", "zone": "Europe/Berlin", "created_at": START} | given
    )


def mark(seconds: float = 0, **given: Any) -> Watermark:
    facts = {"due_at": after(seconds), "slot_key": "k", "anchor": AnchorClass.WALL, "zone": "UTC"}
    return Watermark(**facts | given)


def automation(**given: Any) -> Automation:
    name = given.get("automation_id", A)
    facts = {
        "automation_id": A,
        "workspace_id": "default",
        "job_key": f"key-of-{name}",
        "state": AutomationState.ACTIVE,
        "state_reason": None,
        "state_since": START,
        "revision": 1,
        "next_due": after(60),
        "mark": mark(),
        "version": 1,
        "told": None,
        "fault_kind": None,
        "fault_count": 0,
        "created_with": "digest",
        "created_at": START,
        "updated_at": START,
    }
    return Automation(**facts | given)


def revision(**given: Any) -> Revision:
    facts = {
        "automation_id": A,
        "number": 1,
        "definition": "{}",
        "digest": "d",
        "schema_version": 1,
        "timing": '{"type":"Timing"}',
        "work": "{}",
        "tzdata": "2025b",
        "actor": "cli",
        "created_at": START,
    }
    return Revision(**facts | given)


def due(of: Automation, timing: str = '{"type":"Timing"}') -> DueAutomation:
    return DueAutomation(
        automation_id=of.automation_id,
        workspace_id=of.workspace_id,
        revision=of.revision,
        mark=of.mark,
        version=of.version,
        has_open_runs=False,
        timing=timing,
    )


def occurrence(**given: Any) -> Occurrence:
    facts = {
        "automation_id": A,
        "occurrence_key": "slot:1",
        "cause": Trigger.TIMER,
        "disposition": Disposition.STARTED,
        "reason": None,
        "revision": 1,
        "run_id": R,
        "window_key": "2026-09-16",
        "due_at": START,
        "last_due_at": None,
        "last_slot_key": None,
        "slot_count": 1,
        "actor": "scanner",
        "at": START,
    }
    return Occurrence(**facts | given)


def joined(**given: Any) -> Occurrence:
    facts = {
        "occurrence_key": "manual:1",
        "cause": Trigger.MANUAL,
        "disposition": Disposition.JOINED,
    }
    return occurrence(**facts | {"due_at": None} | given)


def rerun_verdict(**given: Any) -> RerunVerdict:
    facts = {
        "automation_id": A,
        "occurrence_key": "manual:1",
        "run_id": R,
        "verdict": Verdict.REUSE,
        "reason": None,
        "at": after(5),
    }
    return RerunVerdict(**facts | given)


def run_pin(**given: Any) -> RunPin:
    facts = {
        "run_id": R,
        "automation_id": A,
        "workspace_id": "default",
        "window_key": f"window-of-{given.get('run_id', R)}",
        "input_version": "0",
        "revision": 7,
        "cause": Trigger.TIMER,
        "slot_key": "2026-09-16T09:00:00[Europe/Berlin]",
        "due_at": START,
        "span_start": after(-3600),
        "span_end": START,
        "is_caught_up": False,
        "amends_run_id": None,
        "redo_reason": None,
        "redo_effects": None,
        "created_at": START,
    }
    return RunPin(**facts | given)


def run(**given: Any) -> Run:
    facts = {
        "run_id": R,
        "automation_id": A,
        "state": RunState.QUEUED,
        "version": 1,
        "state_since": START,
        "claimable_at": START,
        "is_caught_up": False,
        "priority": 0,
        "behind_run_id": None,
        "lease_owner": None,
        "lease_until": None,
        "claim_id": None,
        "fence": 0,
        "attempts": 0,
        "cancel_actor": None,
        "wait_reason": None,
        "wait_since": None,
        "start_by": None,
        "outcome": None,
        "grade": None,
        "reason": None,
        "error_class": None,
        "may_live": False,
        "settled_at": None,
        "created_at": START,
    }
    return Run(**facts | given)


def claim(fence: int = 1, claim_id: str = "c_1", run_id: RunId = R) -> Claim:
    return Claim(run_id=run_id, fence=fence, claim_id=ClaimId(claim_id))


def snapshot(by: Claim, **given: Any) -> Snapshot:
    facts = {
        "run_id": by.run_id,
        "fence": by.fence,
        "claim_id": by.claim_id,
        "source_set": ("repo", "größe"),
        "base_commit": "c0ffee",
        "base_tree": None,
        "observed_at": START,
        "content": "{}",
        "at": START,
    }
    return Snapshot(**facts | given)


def execution(by: Claim, **given: Any) -> Execution:
    facts = {
        "run_id": by.run_id,
        "fence": by.fence,
        "part": "agent",
        "claim_id": by.claim_id,
        "state": ExecutionState.INTENT,
        "token": "t",
        "argv": '["true"]',
        "prompt_sha256": None,
        "boot_id": None,
        "launcher_pid": None,
        "launcher_ticks": None,
        "pid": None,
        "start_ticks": None,
        "ending": None,
        "exit_code": None,
        "log_sha256": None,
        "log_bytes": None,
        "is_empty": False,
        "started_at": START,
        "ended_at": None,
    }
    return Execution(**facts | given)


def effect(by: Claim, **given: Any) -> Effect:
    facts = {
        "effect_id": E,
        "automation_id": A,
        "window_key": "w",
        "action": "publish",
        "identity": canonical.to_json({"path": "reports/1.md"}),
        "state": EffectState.PENDING,
        "payload_sha256": "p1",
        "payload": "{}",
        "update_number": 1,
        "external_id": None,
        "result": None,
        "run_id": by.run_id,
        "fence": by.fence,
        "since": START,
        "created_at": START,
    }
    return Effect(**facts | given)


def effect_call(by: Claim, **given: Any) -> EffectCall:
    facts = {
        "effect_id": E,
        "update_number": 1,
        "run_id": by.run_id,
        "fence": by.fence,
        "claim_id": by.claim_id,
        "payload_sha256": "p1",
        "not_after": after(60),
        "at": START,
    }
    return EffectCall(**facts | given)


def artifact(by: Claim, **given: Any) -> Artifact:
    facts = {
        "run_id": by.run_id,
        "fence": by.fence,
        "path": "reports/1.md",
        "sha256": "s",
        "bytes": 12,
        "difference_sha256": None,
        "at": START,
    }
    return Artifact(**facts | given)


def publication(by: Claim, **given: Any) -> Publication:
    facts = {
        "workspace_id": "default",
        "path": "/srv/reports/1.md",
        "number": 1,
        "automation_id": A,
        "window_key": "w",
        "run_id": by.run_id,
        "effect_id": E,
        "sha256": "s",
        "previous_sha256": None,
        "at": START,
    }
    return Publication(**facts | given)


def notice(**given: Any) -> Notice:
    facts = {
        "notice_id": "n_1",
        "kind": "missed",
        "automation_id": A,
        "run_id": None,
        "body": "{}",
        "state": NoticeState.PENDING,
        "tries": 0,
        "next_try": START,
        "detail": None,
        "created_at": START,
        "ended_at": None,
    }
    return Notice(**facts | given)


def node(**given: Any) -> Node:
    facts = {
        "owner": "node-1",
        "host": "here",
        "pid": 4,
        "boot_id": "b",
        "started_at": START,
        "seen_at": START,
        "scanned_at": None,
        "stopped_at": None,
        "tzdata": "2025b",
    }
    return Node(**facts | given)


def operation(**given: Any) -> OperationRecord:
    facts = {
        "operation_id": "o_1",
        "name": "run",
        "request_sha256": "q",
        "result": "{}",
        "actor": "cli",
        "at": START,
    }
    return OperationRecord(**facts | given)
