"""The decision tables as a page: made from the code that decides, by asking it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from itertools import product
from typing import Final, TypeVar, assert_never

from duly.model.instant import DAY_US, MINUTE_US, Instant
from duly.model.plan import (
    CatchUp,
    CatchUpBounded,
    CatchUpLatest,
    CatchUpNone,
    Overlap,
    OverlapAllow,
    OverlapQueueOne,
    OverlapSkip,
    Retry,
    Timing,
)
from duly.model.states import Disposition, EffectState, ErrorClass, Outcome
from duly.model.timing import AnchorClass, Covers, CronRule, Period, WindowRule
from duly.policy import (
    admission,
    effects,
    explain,
    lifecycle,
    outcome,
    overlap,
    rerun,
    retry,
    suspend,
    words,
)
from duly.policy.admission import Answer, DueSlots, MissedRange, SlotAnswer
from duly.policy.catch_up import LateSlot
from duly.policy.ending import EndFacts
from duly.policy.outcome import Result
from duly.policy.overlap import OverlapFacts, Queue, Refuse, Skip, Start
from duly.policy.retry import Block, Fail, Failure, Reconcile, RetryAt, Wrote
from duly.policy.rows import Row

Down = TypeVar("Down")
Across = TypeVar("Across")

OVERLAPS: Final[Mapping[str, Overlap]] = {
    "skip": OverlapSkip(),
    "queue_one": OverlapQueueOne(),
    "allow(2)": OverlapAllow(count=2),
}
CATCH_UPS: Final[Mapping[str, CatchUp]] = {
    "none": CatchUpNone(),
    "latest": CatchUpLatest(age_us_max=None),
    "latest, 8 min": CatchUpLatest(age_us_max=8 * MINUTE_US),
    "bounded(3), 1 day": CatchUpBounded(count=3, age_us_max=DAY_US),
    "bounded(3), 25 min": CatchUpBounded(count=3, age_us_max=25 * MINUTE_US),
}

_INTRODUCTION: Final = """# Policy tables

Written by `make docs` from `src/duly/policy`; do not edit. What is not in a table does not happen.
"""
_ADMISSION: Final = """A rule fires every 10 minutes; late is what is older than 5. The node was away for slots 1 to 10
and comes back just as slot 11 is due. Each cell lists the answers: `1-7 missed` is one range, a slot behind `↳` waits
for the run of the caught-up slot before it."""


def render() -> str:
    """Return the whole page as Markdown."""
    parts = [
        _INTRODUCTION,
        "## Overlap\n",
        "A timer slot is due while `live` runs count and `waiting` ones are in `created`.\n",
        _grid("live, waiting", _LINES, OVERLAPS, _overlap_cell),
        "## Overlap and catch-up\n",
        _ADMISSION + "\n",
        "Nothing runs when the node comes back:\n",
        _grid("catch-up", CATCH_UPS, OVERLAPS, _admission_cell(0)),
        "One run of slot 0 is still live:\n",
        _grid("catch-up", CATCH_UPS, OVERLAPS, _admission_cell(1)),
        "## Rerun\n",
        "A run is met again; the first row that holds answers.\n",
        _table(("found", "verdict"), ((row.found, _code(row.answer)) for row in rerun.ROWS)),
        "## Outcome\n",
        "An execution has ended; the first row that holds answers. *Its own*: the reason of the exit itself.\n",
        _table(("found", "outcome", "reason", "in words"), map(_outcome_line, outcome.ROWS)),
        "## Errors and retry\n",
        "Of at most 3 attempts, this one failed.\n",
        _grid("error, attempt", _FAILURES, _WROTE, _retry_cell),
        f"The same {_list(suspend.FaultKind)} fault {suspend.FAULTS_MAX} times in a row suspends the automation.\n",
        "## Effects\n",
        "An effect with the same identity is on the ledger already.\n",
        _grid("recorded as", _EFFECTS, _REQUESTS, _effect_cell),
        *_lifecycles(),
        "## Reasons\n",
        _table(("code", "means", "next step"), map(_reason_line, explain.SENTENCES.items())),
    ]
    return "\n".join(parts)


def timing_of(overlap_rule: Overlap, catch_up_rule: CatchUp) -> Timing:
    """Return the timing of the examples: every 10 minutes, late after 5."""
    return Timing(
        rule=CronRule(text="*/10 * * * *"),
        zone="UTC",
        anchor=AnchorClass.ELAPSED,
        window=WindowRule(period=Period.SLOT, covers=Covers.CURRENT),
        overlap=overlap_rule,
        catch_up=catch_up_rule,
        valid_from=None,
        valid_until=None,
        late_us_max=5 * MINUTE_US,
        start_us_max=10 * MINUTE_US,
        queue_us_max=None,
        priority=0,
        input_version="0",
    )


_LINES: Final = {
    f"{live}, {waiting}": OverlapFacts(live=live, waiting=waiting)
    for live, waiting in product(range(3), range(3))
}
_FAILURES: Final = {
    f"{error_class.value}, {attempts}": (error_class, attempts)
    for error_class, attempts in product(ErrorClass, (1, 3))
}
_WROTE: Final = {f"wrote {wrote.value}": wrote for wrote in Wrote}
_EFFECTS: Final = {state.value: state for state in EffectState}
_REQUESTS: Final = {
    "same payload": (True, effects.OnChange.RECORDED, False),
    "changed, `recorded`": (False, effects.OnChange.RECORDED, False),
    "changed, `update`": (False, effects.OnChange.UPDATE, False),
    "changed, `review`": (False, effects.OnChange.REVIEW, False),
    "changed, newly approved": (False, effects.OnChange.UPDATE, True),
}
_SLOTS: Final = tuple(
    LateSlot(key=str(number), due_at=Instant(number * 10 * MINUTE_US)) for number in range(1, 12)
)


def _overlap_cell(facts: OverlapFacts, rule: Overlap) -> str:
    verdict = overlap.decide(rule, facts)
    match verdict:
        case Start():
            return "start"
        case Queue(reason=reason):
            return f"queue ({_code(reason)})"
        case Skip(reason=reason):
            return f"skip ({_code(reason)})"
        case Refuse(reason=reason):
            return f"refuse ({_code(reason)})"
        case _:
            assert_never(verdict)


def _admission_cell(live: int) -> Callable[[CatchUp, Overlap], str]:
    due = DueSlots(count=len(_SLOTS), newest=_SLOTS, first=_SLOTS[0])
    facts = OverlapFacts(live=live, waiting=0)

    def cell(catch_up_rule: CatchUp, overlap_rule: Overlap) -> str:
        timing = timing_of(overlap_rule, catch_up_rule)
        answers = admission.plan_slots(timing, due, facts, _SLOTS[-1].due_at)
        return ", ".join(map(_answer_text, answers))

    return cell


def _answer_text(answer: Answer) -> str:
    match answer:
        case MissedRange():
            return f"{answer.first.key}-{answer.last.key} missed ({_code(answer.reason)})"
        case SlotAnswer(disposition=Disposition.STARTED):
            return f"{answer.slot.key} started"
        case SlotAnswer(chained=True):
            return f"↳ {answer.slot.key} queued"
        case SlotAnswer():
            return f"{answer.slot.key} {answer.disposition.value} ({_code(answer.reason)})"
        case _:
            assert_never(answer)


def _outcome_line(row: Row[EndFacts, Result]) -> Sequence[str]:
    result = row.answer
    is_vouched = " (declared)" if result.is_vouched else ""
    return (
        row.found,
        _code(result.outcome) + is_vouched,
        _code(result.reason) if result.reason else "*its own*",
        words.words(result.outcome, result.grade, result.reason),
    )


def _retry_cell(failed: tuple[ErrorClass, int], wrote: Wrote) -> str:
    failure = Failure(error_class=failed[0], attempts=failed[1], wrote=wrote)
    rule = Retry(attempts_max=3, delay_us=MINUTE_US, delay_us_max=MINUTE_US)
    verdict = retry.decide(failure, rule, "")
    match verdict:
        case RetryAt():
            return "retry"
        case Fail(reason=reason):
            return f"fail ({_code(reason)})"
        case Block(reason=reason):
            return f"block ({_code(reason)})"
        case Reconcile():
            return "reconcile"
        case _:
            assert_never(verdict)


def _effect_cell(state: EffectState, request: tuple[bool, effects.OnChange, bool]) -> str:
    same, on_change, approved = request
    verdict = effects.decide_existing(
        state, same_payload=same, on_change=on_change, approved=approved
    )
    return verdict.value


def _lifecycles() -> Iterable[str]:
    yield "## Lifecycles\n"
    yield "An event that a state's row does not name is refused.\n"
    for name, table in lifecycle.TABLES.items():
        yield f"### {name}\n"
        yield _lifecycle(table)
    yield "A run with an outcome rests in this state:\n"
    pairs = ((_code(out), _code(lifecycle.state_of(out))) for out in Outcome)
    yield _table(("outcome", "state"), pairs)


def _lifecycle(table: Mapping[tuple[Enum, Enum], Enum]) -> str:
    lines: dict[Enum, list[str]] = {state: [] for state in type(next(iter(table))[0])}
    for (state, event), then in table.items():
        lines[state].append(f"{event.value} → {_code(then)}")
    return _table(
        ("state", "leaves by"),
        ((_code(state), ", ".join(moves) or "*final*") for state, moves in lines.items()),
    )


def _reason_line(entry: tuple[Enum, explain.Explanation]) -> Sequence[str]:
    return _code(entry[0]), entry[1].phrase, entry[1].next_step


def _grid(
    corner: str,
    down: Mapping[str, Down],
    across: Mapping[str, Across],
    cell: Callable[[Down, Across], str],
) -> str:
    return _table(
        (corner, *across),
        (
            (label, *(cell(line, column) for column in across.values()))
            for label, line in down.items()
        ),
    )


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return (
        "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines)) + "\n"
    )


def _code(member: Enum) -> str:
    return f"`{member.value}`"


def _list(kinds: Iterable[Enum]) -> str:
    *most, last = (str(kind.value) for kind in kinds)
    return ", ".join(most) + " or " + last
