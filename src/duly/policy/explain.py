"""Explanations: for every reason code and verdict what it means to a person, and what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from duly.model.reasons import Reason
from duly.model.states import Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """`phrase` completes "because: …"; `next_step` is a sentence, empty where nothing needs doing."""

    phrase: str
    next_step: str = ""


def explain(reason: Reason) -> Explanation:
    """Return what a reason means, and the next step."""
    return SENTENCES[reason]


def phrase(reason: Reason, exit_code: int) -> str:
    """Return what a reason means; one that is an exit code names it where it is known, which 0 says it is not."""
    if reason is Reason.EXIT_UNEXPECTED and exit_code:
        return f"exit {exit_code}"
    return SENTENCES[reason].phrase


def next_step(reason: Reason, outcome: Outcome | None) -> str:
    """Return what to do about a run that ended, or stands, for a reason; a plain failure needs no resolving."""
    step = SENTENCES[reason].next_step
    return _RUN_AGAIN if step == _LOOK and outcome is Outcome.FAILED_BEFORE_WRITE else step


def explain_verdict(verdict: Verdict) -> Explanation:
    """Return what it means that a run was met again, and the next step."""
    return VERDICTS[verdict]


def _means(phrase: str, next_step: str = "") -> Explanation:
    return Explanation(phrase=phrase, next_step=next_step)


_RUN_BY_HAND: Final = "Run the window by hand if it still matters: `duly run KEY --window W`."
# `failed` is what a command that is pasted without a look may say; everything else claims more.
_RESOLVE: Final = '`duly runs resolve RUN --outcome failed --evidence "what you saw"`'
_LOOK: Final = (
    "Look: `duly logs RUN`, `duly runs diff RUN`. "
    f"Then let it go on: `duly runs resume RUN`; or say how it ended: {_RESOLVE}."
)
_RUN_AGAIN: Final = (
    "Read `duly logs RUN` and repair it, then `duly run KEY --window W`, or wait for the next slot. "
    "If you repaired a file in its working copy, which stays as first read: "
    '`duly run KEY --window W --redo "repaired" --effects update`.'
)
_REDO: Final = '`duly run KEY --window W --redo "reason"`'
_REPAIR: Final = "Repair it, then `duly runs resume RUN`, or wait for the next slot."

SENTENCES: Final[Mapping[Reason, Explanation]] = MappingProxyType(
    {
        Reason.ON_TIME: _means("the slot was due and nothing stood in its way"),
        Reason.CAUGHT_UP: _means("the slot was missed, and catch-up let it go late"),
        Reason.CHAINED: _means("it waits for the caught-up slot before it"),
        Reason.ASKED: _means("somebody asked for it"),
        Reason.SAME_WORK: _means("a run for the same window and input exists"),
        Reason.WAITS_FOR_EARLIER: _means("an earlier run has not ended"),
        Reason.OVERLAP: _means(
            "an earlier run was live, and `overlap: skip` prefers it",
            "Use `overlap: queue_one` if no slot may be left out.",
        ),
        Reason.QUEUE_FULL: _means(
            "one run was live and another waited already",
            "Runs take longer than their period: widen the period, or shorten the work.",
        ),
        Reason.COUNT_LIMIT: _means(
            "as many runs as `overlap: allow` permits were live",
            "Raise the count, or widen the period.",
        ),
        Reason.LATE: _means(
            "nobody answered it in time, and `catch_up` is `none`",
            _RUN_BY_HAND + " For the future: `catch_up: latest`.",
        ),
        Reason.CATCH_UP_AGE: _means(
            "it was older than `catch_up` allows",
            _RUN_BY_HAND,
        ),
        Reason.CATCH_UP_COUNT: _means(
            "newer slots were caught up in its place",
            _RUN_BY_HAND,
        ),
        Reason.PAUSED: _means("the automation was paused", "`duly automation resume KEY`"),
        Reason.SUSPENDED: _means(
            "the automation was suspended after the same fault several times in a row",
            "Repair the fault, then `duly automation resume KEY`.",
        ),
        Reason.DELETED: _means("the automation was deleted", "`duly automation restore KEY`"),
        Reason.AUTHENTICATION_FAULT: _means(
            "a credential was missing or refused, several times in a row",
            "Provide it, then `duly automation resume KEY`.",
        ),
        Reason.MODEL_FAULT: _means(
            "the model could not be used, several times in a row",
            "Choose another, or restore access, then `duly automation resume KEY`.",
        ),
        Reason.CONFIGURATION_FAULT: _means(
            "its directory or program was missing, several times in a row",
            "Repair it, then `duly automation resume KEY`.",
        ),
        Reason.ZONE_UNKNOWN: _means(
            "this node's time zone data does not know its zone",
            "Upgrade Duly, or choose another zone, then `duly automation resume KEY`.",
        ),
        Reason.RULE_TOO_COSTLY: _means(
            "its rule fires too seldom to be searched",
            "Write a simpler rule, then `duly automation resume KEY`.",
        ),
        Reason.ADMISSION_FAILED: _means(
            "its slots could not be answered",
            "The audit log names the error; apply the definition again, then `duly automation resume KEY`.",
        ),
        Reason.LEASE_EXPIRED: _means("its worker did not renew the lease in time"),
        Reason.OWNER_DEAD: _means("its worker is proven dead"),
        Reason.RESUMED: _means("a person looked, and let it go on"),
        Reason.CONCURRENCY_LIMIT: _means("as many runs as this node may run are running"),
        Reason.START_RATE: _means("late starts are spread out after an outage"),
        Reason.RETRY_DELAY: _means("the last attempt failed, and the next is not due yet"),
        Reason.DRAINING: _means("the node is shutting down and takes nothing new"),
        Reason.ZONE_DATA_OLDER: _means(
            "this node's time zone data is older than the ledger's",
            "Upgrade Duly on this node.",
        ),
        Reason.WAITS_FOR_REVIEW: _means(
            "an earlier run for the same window needs a person first",
            "`duly runs list KEY --state blocked` names it; settle that one first.",
        ),
        Reason.CWD_MISSING: _means(
            "the working directory does not exist; no other one is used",
            "Restore the directory, or correct `cwds`.",
        ),
        Reason.PROGRAM_MISSING: _means(
            "the program was not found on the recorded PATH",
            "Install it, or apply the definition again to record a new PATH.",
        ),
        Reason.PROGRAM_NOT_EXECUTABLE: _means(
            "the program may not be executed",
            "Correct its permissions, or the command.",
        ),
        Reason.SECRET_MISSING: _means(
            "a secret could not be read",
            "Provide what the reference names; `duly doctor` says which one.",
        ),
        Reason.START_FAILED: _means("the system could not start a process", _REPAIR),
        Reason.START_DEADLINE: _means("it could not start before its start deadline", _REPAIR),
        Reason.QUEUE_DEADLINE: _means(
            "it queued longer than its `deadline` allows",
            _RUN_BY_HAND,
        ),
        Reason.PRECHECK_FAILED: _means(
            "the precheck could not say whether there is work",
            "Run the precheck by hand: `duly logs RUN` shows what it wrote.",
        ),
        Reason.SNAPSHOT_UNAVAILABLE: _means(
            "what the first attempt read is gone; other input is never taken in its place",
            f"Restore it, or {_REDO} with new input.",
        ),
        Reason.STAGING_FAILED: _means("the working copy could not be made", _REPAIR),
        Reason.VERIFY_PASSED: _means("the `verify` command passed"),
        Reason.ARTIFACT_PRESENT: _means("the declared artifact is there"),
        Reason.EXIT_DECLARED: _means("it ended with an exit code that the definition declares"),
        Reason.PRECHECK_DECLINED: _means("the precheck said that the window has no work"),
        Reason.RESOLVED: _means("a person settled it"),
        Reason.NO_PROOF: _means(
            "it ended well, and the definition names no proof",
            "Add `expect` with an artifact, a `verify` command or an exit code; then resolve the run.",
        ),
        Reason.ARTIFACT_ABSENT: _means("the declared artifact was not made", _LOOK),
        Reason.ARTIFACT_EMPTY: _means("the declared artifact is empty", _LOOK),
        Reason.ARTIFACT_MISSING: _means(
            "the published artifact is no longer there",
            f"Put it back, or make it anew: {_REDO}.",
        ),
        Reason.ARTIFACT_ALTERED: _means(
            "somebody changed the published artifact",
            f"Keep the change, or make it anew: {_REDO}.",
        ),
        Reason.VERIFY_FAILED: _means("the `verify` command did not pass", _LOOK),
        Reason.VERIFY_COULD_NOT_RUN: _means(
            "the `verify` command could not run",
            "Correct the command, then `duly runs resume RUN`.",
        ),
        Reason.EXIT_UNEXPECTED: _means("it ended with an exit code that means failure", _LOOK),
        Reason.SIGNALLED: _means("a signal ended it", _LOOK),
        Reason.START_TIMEOUT: _means("it said nothing within its start timeout", _LOOK),
        Reason.SILENCE_TIMEOUT: _means("it was silent for too long", _LOOK),
        Reason.WALL_TIMEOUT: _means("it took longer than its time limit", _LOOK),
        Reason.OUT_OF_SCOPE: _means(
            "it changed files outside its write scope",
            "Look: `duly runs diff RUN`. Widen `write_scope`, or keep caches in $TMPDIR; then `duly runs resume RUN`.",
        ),
        Reason.WORK_UNREADABLE: _means(
            "what it left cannot be compared: its working copy is gone, or too large",
            "Let it keep caches in $TMPDIR and its working copy in place; then `duly runs resume RUN`.",
        ),
        Reason.PUBLICATION_REFUSED: _means(
            "a target file changed meanwhile, or may not be replaced",
            f"Compare both versions, then {_RESOLVE}.",
        ),
        Reason.PATH_OWNED: _means(
            "another automation publishes to that path",
            "Choose another path, or declare it shared in both definitions.",
        ),
        Reason.EFFECT_UNKNOWN: _means(
            "it is not known whether a change outside was made",
            "Look there; `duly runs show RUN` names EFFECT. Then say whether it happened: "
            '`duly runs resolve-effect EFFECT --happened --reason "what you saw"`, or `--did-not-happen`.',
        ),
        Reason.EFFECT_ALTERED: _means(
            "what is there is neither what was before nor what was written",
            f"Look there, then {_RESOLVE}.",
        ),
        Reason.MAY_HAVE_WRITTEN: _means(
            "the agent died and could have written unseen",
            "Check what it may have touched, then resume or cancel; `restart: safe` vouches for the next time.",
        ),
        Reason.LAUNCH_LOST: _means(
            "the launcher was lost, so nobody saw how the agent ended",
            _LOOK,
        ),
        Reason.HOST_UNREACHABLE: _means(
            "a program of it may still live, and could not be proven dead",
            f"Make sure that it is dead, then {_RESOLVE}.",
        ),
        Reason.LATE_REPORT: _means(
            "a worker that had lost its claim reported a result",
            "Compare the report with the run: `duly runs show RUN`.",
        ),
        Reason.POLICY: _means("a rule forbids going on", "`duly runs show RUN` names the rule."),
        Reason.RETRIES_EXHAUSTED: _means("every attempt failed", _REPAIR),
        Reason.PERMANENT: _means("another attempt would fail the same way", _REPAIR),
        Reason.CANCELLED_BEFORE_WRITE: _means("it was cancelled before anything was written"),
        Reason.CANCELLED_AFTER_WRITE: _means(
            "it was cancelled after something had been written",
            "`duly runs show RUN` lists what was written.",
        ),
        Reason.CANCELLED_MAY_HAVE_WRITTEN: _means(
            "it was cancelled at work, and could have written unseen",
            "Check what it may have touched.",
        ),
    }
)

VERDICTS: Final[Mapping[Verdict, Explanation]] = MappingProxyType(
    {
        Verdict.REUSE: _means("the work is done and its result stands; it was used again"),
        Verdict.REVIEW_ARTIFACT: _means(
            "the work is done, but its artifact is missing or was altered",
            f"Put it back or keep the change, or make it anew: {_REDO}.",
        ),
        Verdict.STOPPED: _means(
            "the run rests, and only a person continues it",
            f"Say how it ended: {_RESOLVE}, or {_REDO}.",
        ),
        Verdict.JOINED: _means("the run waits its turn already"),
        Verdict.BUSY: _means("a worker is at it"),
        Verdict.PROVE_DEAD: _means("a program of its last attempt may live; that is settled first"),
        Verdict.HOST_UNREACHABLE: SENTENCES[Reason.HOST_UNREACHABLE],
        Verdict.RECONCILE: _means("a change outside is of unknown fate; that is settled first"),
        Verdict.REVIEW: SENTENCES[Reason.MAY_HAVE_WRITTEN],
        Verdict.RESUME: _means("it goes on from its last checkpoint"),
        Verdict.RESTART: _means("nothing was written; it starts again"),
        Verdict.AMEND: _means("the input changed; a new run amends the result"),
    }
)
