"""Every state, event and code that is stored; transitions live in `duly.policy.lifecycle`."""

from enum import Enum


class AutomationState(Enum):
    """Whether an automation's slots may fire."""

    ACTIVE = "active"
    PAUSED = "paused"
    SUSPENDED = "suspended"
    DELETED = "deleted"


class Trigger(Enum):
    """Why something should happen."""

    TIMER = "timer"
    MANUAL = "manual"
    EVENT = "event"
    EXTERNAL = "external"


class Disposition(Enum):
    """How an occurrence was answered; never changes."""

    STARTED = "started"
    JOINED = "joined"
    QUEUED = "queued"
    SKIPPED = "skipped"
    MISSED = "missed"
    REFUSED = "refused"


class RunState(Enum):
    """Where a run stands."""

    CREATED = "created"
    QUEUED = "queued"
    COLLECTING = "collecting"
    ANALYZING = "analyzing"
    REVIEWING = "reviewing"
    AWAITING_APPROVAL = "awaiting_approval"
    EXECUTING = "executing"
    RETRYING = "retrying"
    BLOCKED = "blocked"
    FAILED = "failed"
    CANCELLED = "cancelled"
    COMPLETED = "completed"


class RunEvent(Enum):
    """What may happen to a run."""

    PROMOTE = "promote"  # its predecessor or the overlap rule lets it go
    CLAIM = "claim"  # a worker took it
    ANALYZE = "analyze"
    REVIEW = "review"
    ASK = "ask"  # parks for an approval
    APPROVED = "approved"  # the claim after an approval
    EXECUTE = "execute"
    COMPLETE = "complete"
    RETRY = "retry"  # this attempt is over, another follows
    REQUEUE = "requeue"
    BLOCK = "block"
    FAIL = "fail"
    CANCEL = "cancel"
    RESUME = "resume"  # a person, or complete reconciliation
    RESTART = "restart"  # the rerun verdict


class Outcome(Enum):
    """How a run ended, from the ledger and its proofs; the contract's `status` once settled."""

    COMPLETED = "completed"
    NO_CHANGE = "no-change"
    FAILED_BEFORE_WRITE = "failed-before-write"
    FAILED_AFTER_WRITE = "failed-after-write"
    NEEDS_REVIEW = "needs-review"
    CANCELLED = "cancelled"


class Grade(Enum):
    """What an ending rests on, strongest first; `declared`: a failure that the definition vouches changed nothing."""

    VERIFY = "verify"
    ARTIFACT = "artifact"
    FINISH = "finish"
    EXIT = "exit"
    DECLARED = "declared"


class ErrorClass(Enum):
    """What a failure means for the next try."""

    TRANSIENT = "transient"
    PERMANENT = "permanent"
    POLICY = "policy"
    UNKNOWN_OUTCOME = "unknown_outcome"


class ExecutionState(Enum):
    """What is known about one dispatch of an agent."""

    INTENT = "intent"
    DISPATCH_STARTED = "dispatch_started"
    ATTACHED = "attached"
    SETTLED = "settled"
    NOT_STARTED_PROVEN = "not_started_proven"
    OUTCOME_UNKNOWN = "outcome_unknown"
    CORRUPT = "corrupt"


class ExecutionEvent(Enum):
    """What may become known about one dispatch."""

    DISPATCH = "dispatch"
    ATTACH = "attach"
    SETTLE = "settle"
    PROVE_NOT_STARTED = "prove_not_started"
    LOSE = "lose"
    FIND_CORRUPT = "find_corrupt"
    PROVE_DEAD = "prove_dead"  # evidence: the whole tree is gone


class EffectState(Enum):
    """What is known about one intended change of the outside world."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"


class EffectEvent(Enum):
    """What may become known about an effect."""

    APPLY = "apply"
    REFUSE = "refuse"
    LOSE = "lose"
    SEND_AGAIN = "send_again"


class ApprovalState(Enum):
    """A person's answer."""

    ASKED = "asked"
    GRANTED = "granted"
    REJECTED = "rejected"
    EXPIRED = "expired"
    VOID = "void"
    SPENT = "spent"


class ApprovalEvent(Enum):
    """What may happen to an approval."""

    GRANT = "grant"
    REJECT = "reject"
    EXPIRE = "expire"
    VOID = "void"
    SPEND = "spend"


class DeliveryState(Enum):
    """Where a delivery stands."""

    PLANNED = "planned"
    SENDING = "sending"
    DELIVERED = "delivered"
    PARTIAL = "partial"
    UNKNOWN = "unknown"
    REJECTED = "rejected"


class DeliveryEvent(Enum):
    """What may happen to a delivery."""

    SEND = "send"
    DELIVER = "deliver"
    DELIVER_PART = "deliver_part"
    LOSE = "lose"
    NOT_SENT = "not_sent"
    REJECT = "reject"
    MARK_DELIVERED = "mark_delivered"


class NoticeState(Enum):
    """Whether somebody was told."""

    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"


class Verdict(Enum):
    """What to do with a run that is met again."""

    REUSE = "reuse"
    REVIEW_ARTIFACT = "review_artifact"
    STOPPED = "stopped"
    JOINED = "joined"
    BUSY = "busy"
    PROVE_DEAD = "prove_dead"
    HOST_UNREACHABLE = "host_unreachable"
    RECONCILE = "reconcile"
    REVIEW = "review"
    RESUME = "resume"
    RESTART = "restart"
    AMEND = "amend"
