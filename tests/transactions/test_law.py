"""The law of admission: whatever people, clocks and workers do, every slot has exactly one answer."""

from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from duly.ledger import audit_chain
from duly.ledger.audit_chain import Intact, Row
from duly.model.errors import ConflictError, ValidationError
from duly.model.instant import DAY_US, HOUR_US, MINUTE_US
from duly.model.plan import (
    CatchUpBounded,
    CatchUpLatest,
    CatchUpNone,
    OverlapAllow,
    OverlapQueueOne,
    OverlapSkip,
)
from duly.model.states import AutomationState, Outcome
from duly.model.timing import Covers, CronRule, Period, RruleRule, WindowRule
from duly.transactions.plans import schedule_of, timing_of
from tests.transactions.world import ZONES, World, timing

RULES = st.sampled_from(
    [
        (CronRule(text="30 1 * * *"), "America/New_York"),
        (CronRule(text="0 9,18 * * *"), "UTC"),
        (CronRule(text="*/30 * * * *"), "America/New_York"),
        (CronRule(text="15 */7 * * *"), "Asia/Taipei"),
        (RruleRule(text="FREQ=HOURLY;INTERVAL=5", dtstart="2026-10-01T00:10:00"), "UTC"),
        (RruleRule(text="FREQ=DAILY;BYHOUR=2", dtstart="2026-10-01T02:00:00"), "Europe/London"),
    ]
)
OVERLAPS = st.sampled_from([OverlapSkip(), OverlapQueueOne(), OverlapAllow(count=2)])
CATCH_UPS = st.sampled_from(
    [
        CatchUpNone(),
        CatchUpLatest(age_us_max=DAY_US),
        CatchUpBounded(count=3, age_us_max=2 * DAY_US),
    ]
)
PERIODS = st.sampled_from([Period.SLOT, Period.DAY])
EDITS = st.tuples(st.just("edit"), st.tuples(RULES, OVERLAPS, CATCH_UPS, PERIODS))
WAITS = st.sampled_from([0, 0, MINUTE_US, 20 * MINUTE_US, HOUR_US, 7 * HOUR_US, DAY_US])
STEPS = st.one_of(
    st.tuples(st.just("scan"), st.none()),
    st.tuples(st.just("scan"), st.none()),
    EDITS,
    st.tuples(st.sampled_from(["pause", "resume", "delete", "restore"]), st.none()),
    st.tuples(st.just("run_now"), st.integers(0, 5)),
    st.tuples(st.sampled_from(["claim", "settle"]), st.sampled_from(list(Outcome))),
)
SCRIPTS = st.lists(st.tuples(WAITS, STEPS), min_size=5, max_size=25)


class Script:
    """A world in which a script is played; it notes which rule was in force when."""

    def __init__(self, path: Path, first: tuple) -> None:
        self.world = World(path, "2026-10-31T12:07")
        self.given = _timing(first)
        self.automation = self.world.create(self.given)
        self.since = self.world.now
        self.expected: list[int] = []
        self.held: list = []
        self.number = 0
        self.marks = [self.mark()]

    def mark(self) -> int:
        return self.world.automation(self.automation).mark.due_at

    def close(self) -> None:
        """Note the slots that the rule in force had until now."""
        schedule = schedule_of(self.given, ZONES.known)
        found = schedule.between(self.since, self.world.now, 100_000)
        self.expected.extend(slot.due_at for slot in found.slots)
        self.since = self.world.now

    def play(self, wait: int, step: tuple) -> None:
        name, value = step
        self.world.after(wait + 1)
        with suppress(ConflictError, ValidationError):
            getattr(self, f"do_{name}")(value)
        self.marks.append(self.mark())

    def do_scan(self, _: None) -> None:
        assert self.world.scan().failed == 0

    def do_edit(self, value: tuple) -> None:
        self.number += 1
        given = _timing(value)
        self.world.edit(self.automation, given, text=str(self.number))
        self.close()
        self.given = given

    def do_pause(self, _: None) -> None:
        self.world.change("pause", self.automation)

    def do_resume(self, _: None) -> None:
        self.world.change("resume", self.automation)

    def do_delete(self, _: None) -> None:
        self.world.change("delete", self.automation)

    def do_restore(self, _: None) -> None:
        self.world.change("restore", self.automation)

    def do_run_now(self, number: int) -> None:
        self.world.run_now(self.automation, f"key {number}")

    def do_claim(self, _: Outcome) -> None:
        self.held.extend(self.world.claim(limit=1))

    def do_settle(self, outcome: Outcome) -> None:
        if self.held:
            self.world.settle(self.held.pop(), outcome)

    def finish(self) -> None:
        """Bring everything up to now."""
        for verb in ("restore", "resume"):
            self.play(0, (verb, None))
        assert self.world.automation(self.automation).state is AutomationState.ACTIVE
        self.play(0, ("scan", None))
        self.close()


def _timing(chosen: tuple):
    (rule, zone), overlap, catch_up, period = chosen
    return timing(
        rule,
        zone,
        overlap=overlap,
        catch_up=catch_up,
        window=WindowRule(period=period, covers=Covers.CURRENT),
    )


def answered(script: Script) -> list[int]:
    """Return the due instant of every slot that has an answer, as often as it has one."""
    found: list[int] = []
    for item in script.world.occurrences(script.automation):
        if item.due_at is None or item.slot_count == 0:
            continue
        if item.slot_count == 1 and item.due_at == item.last_due_at:
            found.append(item.due_at)
            continue
        revision = script.world.read("revision", script.automation, item.revision)
        schedule = schedule_of(_decoded(revision.timing), ZONES.known)
        slots = schedule.between(item.due_at - 1, item.last_due_at, 100_000).slots
        assert len(slots) == item.slot_count
        found.extend(slot.due_at for slot in slots)
    return sorted(found)


def _decoded(text: str):
    return timing_of(text)


def chain(world: World, scopes: list[str]) -> object:
    rows = [
        Row(event.scope, event.seq, event.at, event.actor, event.kind, event.body, event.hash)
        for scope in sorted(scopes)
        for event in world.read("audit_events", scope, 0, 100_000)
    ]
    return audit_chain.verify(rows)


@settings(max_examples=40)
@given(first=st.tuples(RULES, OVERLAPS, CATCH_UPS, PERIODS), steps=SCRIPTS)
def test_every_slot_has_exactly_one_answer(tmp_path_factory, first, steps):
    script = Script(tmp_path_factory.mktemp("law") / "ledger.db", first)
    try:
        for step in steps:
            script.play(*step)
        script.finish()
        assert answered(script) == sorted(script.expected)
        assert script.marks == sorted(script.marks)
        keys = [item.occurrence_key for item in script.world.occurrences(script.automation)]
        assert len(keys) == len(set(keys))
        runs = {item.run_id for item in script.world.occurrences(script.automation)} - {None}
        scopes = [f"automation:{script.automation}", *(f"run:{run}" for run in runs)]
        assert isinstance(chain(script.world, scopes), Intact)
    finally:
        script.world.ledger.close()
