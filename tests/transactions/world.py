"""A small world for transactions: a real ledger, a clock that is set by hand, definitions from a few words."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from duly.adapters.zones import Zones
from duly.ledger.api.core import RELAXED
from duly.ledger.api.runs import ClaimBatch
from duly.ledger.api.tx import Tx
from duly.ledger.sqlite.ledger import SqliteLedger
from duly.ledger.sqlite.space import SpaceLimits
from duly.ledger.sqlite.store import StoreOptions
from duly.ledger.verbs import tx as verbs
from duly.model import canonical
from duly.model.automation import Automation
from duly.model.claims import Claim
from duly.model.ids import AutomationId, ClaimId, RunId
from duly.model.instant import MINUTE_US, Instant, from_datetime
from duly.model.occurrence import Occurrence
from duly.model.plan import Timing, Work
from duly.model.reasons import Reason
from duly.model.run import Artifact, ClaimedRun, Run, RunPin
from duly.model.states import Grade, Outcome, Verdict
from duly.model.timing import Covers, CronRule, Period, RuleSpec, WindowRule
from duly.model.zone import Zone
from duly.policy.rerun import ArtifactFact
from duly.recurrence.schedule import compile_rule
from duly.testkit.plans import PLAIN_TIMING, PLAIN_WORK
from duly.transactions import (
    admit,
    admit_manual,
    answer,
    change_state,
    claim,
    define,
    promote,
    settle,
)
from duly.transactions.admit import AdmitDue, Admitted
from duly.transactions.admit_manual import RunAnswer, RunNow
from duly.transactions.answer import AnswerJoin
from duly.transactions.change_state import ChangeState
from duly.transactions.define import Create, Defined, Definition, Edit
from duly.transactions.promote import Promote
from duly.transactions.settle import Settle

Result = TypeVar("Result")

UTC: Final = "UTC"
DAILY_AT_NINE: Final = CronRule(text="0 9 * * *")
LEASE_US: Final = 2 * MINUTE_US
LONG_US: Final = 10**15


def moment(text: str, zone: str = UTC) -> Instant:
    """Return the instant of a local time such as `2026-09-16T09:00`; `fold` as Python reads it."""
    local = datetime.fromisoformat(text)
    return from_datetime(local if local.tzinfo else local.replace(tzinfo=ZoneInfo(zone)))


def timing(rule: RuleSpec | None = DAILY_AT_NINE, zone: str = UTC, **changes: Any) -> Timing:
    """Return a timing with the careful defaults, a day's window, and `changes`."""
    anchor = None
    if rule is not None:
        anchor = compile_rule(rule, ZONES.known[zone]).anchor
    base = replace(
        PLAIN_TIMING,
        rule=rule,
        zone=zone,
        anchor=anchor,
        window=WindowRule(period=Period.DAY, covers=Covers.CURRENT),
    )
    return replace(base, **changes)


def work(job_key: str = "report", **changes: Any) -> Work:
    """Return the work of a plain command."""
    root = "/srv/reports"
    base = replace(PLAIN_WORK, job_key=job_key, root=root, cwds=(root,), write_scope=("**",))
    return replace(base, **changes)


ZONES: Final = Zones()
for _name in ("UTC", "America/New_York", "Europe/London", "Asia/Shanghai", "Asia/Taipei"):
    ZONES.load(_name)


def settle_command(
    claimed: ClaimedRun,
    outcome: Outcome = Outcome.COMPLETED,
    reason: Reason | None = None,
    artifacts: tuple[Artifact, ...] = (),
) -> Settle:
    """Return how an attempt ends."""
    is_done = outcome is Outcome.COMPLETED
    return Settle(
        claim=claimed.claim,
        outcome=outcome,
        grade=Grade.EXIT if is_done else None,
        reason=reason or (Reason.EXIT_DECLARED if is_done else Reason.EXIT_UNEXPECTED),
        error_class=None,
        artifacts=artifacts,
    )


class World:
    """A ledger, a clock and the commands of a service, in a few words each."""

    def __init__(self, path: Path, start: str = "2026-09-15T12:00") -> None:
        self.now = moment(start)
        self.path = path
        self.wakes: list[str] = []
        self.ledger = self._open()
        self._claims = 0

    def _open(self) -> SqliteLedger:
        options = StoreOptions(limits=SpaceLimits(ballast_bytes=4096, free_bytes_min=0))
        ledger = SqliteLedger(self.path, lambda: self.now, verbs, options)
        ledger.on_wake = lambda keys: self.wakes.extend(sorted(keys))
        return ledger

    def write(self, fn: Callable[[Tx, Any], Result], command: Any) -> Result:
        """Carry out a transaction; these tests need no disk to have it."""
        return self.ledger.write(fn, command, RELAXED)

    def restart(self) -> None:
        """Close the ledger and open it again, as a new process would."""
        self.ledger.close()
        self.ledger = self._open()

    def at(self, text: str, zone: str = UTC) -> "World":
        """Set the clock."""
        self.now = moment(text, zone)
        return self

    def after(self, microseconds: int) -> "World":
        """Move the clock on."""
        self.now = Instant(self.now + microseconds)
        return self

    def definition(
        self, given: Timing | None = None, job_key: str = "report", **changes: Any
    ) -> Definition:
        """Return a definition; `text` tells one from another."""
        chosen = given or timing()
        text = changes.pop("text", "")
        body = {"job_key": job_key, "text": text, "timing": repr(chosen), **changes}
        definition = canonical.to_json({key: str(value) for key, value in body.items()})
        plain = {name: changes[name] for name in ("paths", "is_enabled") if name in changes}
        rest = {name: value for name, value in changes.items() if name not in plain}
        return Definition(
            workspace_id="default",
            job_key=job_key,
            definition=definition,
            digest=canonical.hash_text(definition),
            schema_version=1,
            timing=chosen,
            work=work(job_key, **rest),
            paths=plain.get("paths", ()),
            is_enabled=plain.get("is_enabled", True),
            tzdata=ZONES.version,
            actor="ann",
            zones=ZONES.known,
        )

    def define(
        self, given: Timing | None = None, key: str | None = None, **changes: Any
    ) -> Defined:
        """Create an automation."""
        definition = self.definition(given, **changes)
        return self.write(define.create, Create(key=key, definition=definition))

    def create(self, given: Timing | None = None, **changes: Any) -> AutomationId:
        """Create an automation, and return its id."""
        return self.define(given, **changes).automation.automation_id

    def edit(
        self, automation: AutomationId, given: Timing | None = None, **changes: Any
    ) -> Defined:
        """Give an automation a new definition."""
        version = changes.pop("expected_version", None)
        command = Edit(
            automation_id=automation,
            expected_version=version,
            definition=self.definition(given, **changes),
        )
        return self.write(define.edit, command)

    def change(
        self, verb: str, automation: AutomationId, paths: tuple[str, ...] = ()
    ) -> Automation:
        """Pause, resume, delete, restore or suspend."""
        command = ChangeState(
            automation_id=automation, actor="ann", reason=None, zones=ZONES.known, paths=paths
        )
        return self.write(getattr(change_state, verb), command)

    def scan(self, limit: int = 200, known: Mapping[str, Zone] = ZONES) -> Admitted:
        """Let waiting runs go, then answer every due slot, as the scanner does; a slow disk makes it more rounds."""
        self.promote()
        done = self.admit(limit, known)
        while done.is_more:
            more = self.admit(limit, known)
            done = replace(
                more,
                automations=done.automations + more.automations,
                runs=done.runs + more.runs,
                failed=done.failed + more.failed,
            )
        return done

    def admit(self, limit: int = 200, known: Mapping[str, Zone] = ZONES) -> Admitted:
        """Answer due slots in one transaction."""
        return self.write(admit.admit_due, AdmitDue(limit=limit, zones=known, tzdata=ZONES.version))

    def promote(self, page: int = 50) -> int:
        """Let waiting runs go; return how many."""
        done = self.write(promote.promote, Promote(limit=page, zones=ZONES.known))
        count = done.count
        while done.is_more:
            command = Promote(limit=page, zones=ZONES.known, after=done.after)
            done = self.write(promote.promote, command)
            count += done.count
        return count

    def run_now(self, automation: AutomationId, key: str, **changes: Any) -> RunAnswer:
        """Ask for a run by hand."""
        return self.write(admit_manual.run_now, self.run_command(automation, key, **changes))

    def run_command(self, automation: AutomationId, key: str, **changes: Any) -> RunNow:
        """Return the command of a person who asks for a run."""
        return RunNow(
            automation_id=automation,
            key=key,
            window_key=changes.get("window"),
            input_version=changes.get("input_version"),
            redo_reason=changes.get("redo"),
            redo_effects=changes.get("effects"),
            actor="ann",
            zones=ZONES.known,
        )

    def claim(self, owner: str = "node-1", limit: int = 10) -> list[ClaimedRun]:
        """Claim every ready run."""
        self._claims += 1
        batch = ClaimBatch(
            owner=owner,
            claim_id=ClaimId(f"claim-{self._claims}"),
            until=Instant(self.now + LEASE_US),
            on_time=limit,
            caught_up=limit,
        )
        return list(self.write(claim.claim_runs, batch).runs)

    def claim_one(self, owner: str = "node-1") -> ClaimedRun:
        """Claim the one run that is ready."""
        (claimed,) = self.claim(owner)
        return claimed

    def settle(
        self,
        claimed: ClaimedRun,
        outcome: Outcome = Outcome.COMPLETED,
        reason: Reason | None = None,
        artifacts: tuple[Artifact, ...] = (),
    ) -> Run:
        """End an attempt."""
        command = settle_command(claimed, outcome, reason, artifacts)
        return self.write(settle.settle, command)

    def settle_if_held(self, run_id: RunId) -> None:
        """Let a holder that was asked to cancel end its attempt."""
        run = self.run(run_id)
        assert run.claim_id is not None
        held = Claim(run_id=run_id, fence=run.fence, claim_id=run.claim_id)
        claimed = ClaimedRun(
            claim=held,
            automation_id=run.automation_id,
            attempts=run.attempts,
            lease_until=self.now,
        )
        self.settle(claimed, Outcome.CANCELLED)

    def verdict(self, occurrence: Occurrence, *found: ArtifactFact) -> Verdict:
        """Answer a joined occurrence, its files found as given."""
        command = AnswerJoin(occurrence=occurrence, found=found)
        return self.write(answer.answer_join, command).verdict

    def work_off(self) -> int:
        """Claim and complete runs until none is ready; return how many."""
        done = 0
        while claimed := self.claim():
            for run in claimed:
                self.settle(run)
                done += 1
            self.promote()
        return done

    def read(self, verb: str, *args: Any) -> Any:
        """Read with one verb of the ledger."""
        return self.ledger.read(lambda tx, _: getattr(tx, verb)(*args), None)

    def automation(self, automation: AutomationId) -> Automation:
        """Return an automation as it stands."""
        found: Automation = self.read("automation", automation)
        return found

    def automation_named(self, job_key: str) -> AutomationId:
        """Return the id of the automation of a name."""
        found: Automation = self.read("automation_named", "default", job_key)
        return found.automation_id

    def run(self, run_id: RunId | None) -> Run:
        """Return a run as it stands."""
        found: Run = self.read("run", run_id)
        return found

    def pin(self, run_id: RunId | None) -> RunPin:
        """Return what a run is for."""
        found: RunPin = self.read("run_pin", run_id)
        return found

    def occurrences(self, automation: AutomationId) -> list[Occurrence]:
        """Return every occurrence, slots in order of their time, then the rest."""
        found = self.read("occurrences", automation, Instant(LONG_US * 10), 10_000)
        return sorted(found, key=lambda item: (item.due_at or LONG_US * 10, item.at))

    def answers(self, automation: AutomationId) -> list[tuple[str, str, int]]:
        """Return (disposition, reason, slots) of each occurrence."""
        return [
            (item.disposition.value, item.reason or "", item.slot_count)
            for item in self.occurrences(automation)
        ]

    def started(self, automation: AutomationId) -> list[str]:
        """Return the window keys of all runs, sorted."""
        return sorted(
            self.pin(item.run_id).window_key
            for item in self.occurrences(automation)
            if item.disposition.value in ("started", "queued")
        )

    def audit_kinds(self, scope: str) -> list[str]:
        """Return the kinds of a scope's audit events."""
        return [event.kind for event in self.read("audit_events", scope, 0, 1000)]
