"""Every reason code that is stored or shown: short, stable, and with a sentence in `duly.policy.explain`."""

from enum import Enum


class Reason(Enum):
    """Why something is as it is. Codes are public and never change their meaning."""

    # Why a slot or a request was answered so.
    ON_TIME = "on_time"
    CAUGHT_UP = "caught_up"
    CHAINED = "chained"
    ASKED = "asked"
    SAME_WORK = "same_work"
    WAITS_FOR_EARLIER = "waits_for_earlier"
    OVERLAP = "overlap"
    QUEUE_FULL = "queue_full"
    COUNT_LIMIT = "count_limit"
    LATE = "late"
    CATCH_UP_AGE = "catch_up_age"
    CATCH_UP_COUNT = "catch_up_count"
    PAUSED = "paused"
    SUSPENDED = "suspended"
    DELETED = "deleted"

    # Why an automation was suspended.
    AUTHENTICATION_FAULT = "authentication_fault"
    MODEL_FAULT = "model_fault"
    CONFIGURATION_FAULT = "configuration_fault"
    ZONE_UNKNOWN = "zone_unknown"
    RULE_TOO_COSTLY = "rule_too_costly"
    ADMISSION_FAILED = "admission_failed"

    # Why a run went back to the queue.
    LEASE_EXPIRED = "lease_expired"
    OWNER_DEAD = "owner_dead"
    RESUMED = "resumed"

    # Why a run waits though nothing is wrong with it.
    CONCURRENCY_LIMIT = "concurrency_limit"
    START_RATE = "start_rate"
    RETRY_DELAY = "retry_delay"
    DRAINING = "draining"
    ZONE_DATA_OLDER = "zone_data_older"
    WAITS_FOR_REVIEW = "waits_for_review"

    # Why an agent was not started.
    CWD_MISSING = "cwd_missing"
    PROGRAM_MISSING = "program_missing"
    PROGRAM_NOT_EXECUTABLE = "program_not_executable"
    SECRET_MISSING = "secret_missing"
    START_FAILED = "start_failed"
    START_DEADLINE = "start_deadline"
    QUEUE_DEADLINE = "queue_deadline"
    PRECHECK_FAILED = "precheck_failed"
    SNAPSHOT_UNAVAILABLE = "snapshot_unavailable"
    STAGING_FAILED = "staging_failed"

    # What a completion rests on.
    VERIFY_PASSED = "verify_passed"
    ARTIFACT_PRESENT = "artifact_present"
    EXIT_DECLARED = "exit_declared"
    PRECHECK_DECLINED = "precheck_declined"
    RESOLVED = "resolved"

    # What went wrong once it was started.
    NO_PROOF = "no_proof"
    ARTIFACT_ABSENT = "artifact_absent"
    ARTIFACT_EMPTY = "artifact_empty"
    ARTIFACT_MISSING = "artifact_missing"
    ARTIFACT_ALTERED = "artifact_altered"
    VERIFY_FAILED = "verify_failed"
    VERIFY_COULD_NOT_RUN = "verify_could_not_run"
    EXIT_UNEXPECTED = "exit_unexpected"
    SIGNALLED = "signalled"
    START_TIMEOUT = "start_timeout"
    SILENCE_TIMEOUT = "silence_timeout"
    WALL_TIMEOUT = "wall_timeout"
    OUT_OF_SCOPE = "out_of_scope"
    WORK_UNREADABLE = "work_unreadable"
    PUBLICATION_REFUSED = "publication_refused"
    PATH_OWNED = "path_owned"
    EFFECT_UNKNOWN = "effect_unknown"
    EFFECT_ALTERED = "effect_altered"
    MAY_HAVE_WRITTEN = "may_have_written"
    LAUNCH_LOST = "launch_lost"
    HOST_UNREACHABLE = "host_unreachable"
    LATE_REPORT = "late_report"
    POLICY = "policy"
    RETRIES_EXHAUSTED = "retries_exhausted"
    PERMANENT = "permanent"

    # How a cancelled run stood.
    CANCELLED_BEFORE_WRITE = "cancelled_before_write"
    CANCELLED_AFTER_WRITE = "cancelled_after_write"
    CANCELLED_MAY_HAVE_WRITTEN = "cancelled_may_have_written"
