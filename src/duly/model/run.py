"""Runs, and everything that hangs on one: pin, snapshot, attempts, executions, artifacts, late reports."""

from dataclasses import dataclass

from duly.model.claims import Claim
from duly.model.ids import AutomationId, ClaimId, RunId
from duly.model.instant import Instant
from duly.model.states import ErrorClass, ExecutionState, Grade, Outcome, RunState, Trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPin:
    """What a run is for, fixed when it is admitted: work identity, revision, span and query cutoff (`span_end`)."""

    run_id: RunId
    automation_id: AutomationId
    workspace_id: str
    window_key: str
    input_version: str
    revision: int
    cause: Trigger
    slot_key: str | None
    due_at: Instant | None
    span_start: Instant
    span_end: Instant
    is_caught_up: bool
    amends_run_id: RunId | None
    redo_reason: str | None
    redo_effects: str | None
    created_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Where a run stands. Change it with `dataclasses.replace` and record it; `version` is compared and set.

    `claimable_at`: from when a worker may take it; None while parked, held or over. `behind_run_id`: it waits for that
    one. `priority`: the higher is claimed first. `start_by`: when waiting or starting must be over. `may_live`: a child
    of it may still live somewhere.
    """

    run_id: RunId
    automation_id: AutomationId
    state: RunState
    version: int
    state_since: Instant
    claimable_at: Instant | None
    is_caught_up: bool
    priority: int
    behind_run_id: RunId | None
    lease_owner: str | None
    lease_until: Instant | None
    claim_id: ClaimId | None
    fence: int
    attempts: int
    cancel_actor: str | None
    wait_reason: str | None
    wait_since: Instant | None
    start_by: Instant | None
    outcome: Outcome | None
    grade: Grade | None
    reason: str | None
    error_class: ErrorClass | None
    may_live: bool
    settled_at: Instant | None
    created_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRun:
    """A run that a worker has just claimed."""

    claim: Claim
    automation_id: AutomationId
    attempts: int
    lease_until: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What every attempt of a run reads, frozen by the first one.

    `source_set`: the sources as named. `base_commit`: commit of the repository, if one is read. `base_tree`: SHA-256 of
    the manifest of the frozen file copy (bytes store). `content`: JSON, further content hashes by name.
    """

    run_id: RunId
    fence: int
    claim_id: ClaimId
    source_set: tuple[str, ...]
    base_commit: str | None
    base_tree: str | None
    observed_at: Instant
    content: str
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One claim of a run by one worker."""

    run_id: RunId
    fence: int
    claim_id: ClaimId
    owner: str
    revision: int
    claimed_at: Instant
    ended_at: Instant | None
    ending: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One dispatch of a program for an attempt; `part` is `precheck`, `agent` or `verify`.

    `argv` is canonical JSON, redacted. `boot_id`, pids and start ticks name the processes for the proof of death;
    `is_empty`: the launcher said that nothing of the tree lives. `log_sha256` names the redacted log.
    """

    run_id: RunId
    fence: int
    part: str
    claim_id: ClaimId
    state: ExecutionState
    token: str
    argv: str
    prompt_sha256: str | None
    boot_id: str | None
    launcher_pid: int | None
    launcher_ticks: int | None
    pid: int | None
    start_ticks: int | None
    ending: str | None
    exit_code: int | None
    log_sha256: str | None
    log_bytes: int | None
    is_empty: bool
    started_at: Instant
    ended_at: Instant | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A result file, named, hashed, verified; `difference_sha256` names the diff to the publication it amends."""

    run_id: RunId
    fence: int
    path: str
    sha256: str
    bytes: int
    difference_sha256: str | None
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class LateReport:
    """What a holder knew after it had lost its claim; settlement and people read it, it is never the result."""

    run_id: RunId
    fence: int
    claim_id: ClaimId
    number: int
    verb: str
    body: str
    at: Instant
