"""Verbs about slots that start alike: values are laid out once, then only ids are put in their places."""

from json.encoder import encode_basestring as _string
from typing import Any, Final

from duly.ledger import audit_chain
from duly.ledger.api.starts import Pattern, Start
from duly.ledger.verbs.base import OnSession
from duly.ledger.verbs.definitions import MARK
from duly.ledger.verbs.occurrences import OCCURRENCE
from duly.ledger.verbs.runs import RUN, RUN_PIN
from duly.model.automation import DueAutomation
from duly.model.ids import RunId

_OWN: Final = ("run_id", "automation_id")
_RUN_ID: Final = OCCURRENCE.columns.index("run_id")
assert RUN.columns[:2] == RUN_PIN.columns[:2] == _OWN
assert OCCURRENCE.columns[0] == "automation_id"


class Starts(OnSession):
    """A burst of starts, each with every guard that it has alone."""

    __slots__ = ()

    def pattern(self, start: Start) -> Pattern:
        """Return the pattern of a start, for automations of the same workspace, revision number, rule and slot."""
        occurrence = OCCURRENCE.values(start.occurrence)
        return Pattern(
            pin=RUN_PIN.values(start.pin)[2:],
            run=RUN.values(start.run)[2:],
            occurrence=(occurrence[1:_RUN_ID], occurrence[_RUN_ID + 1 :]),
            mark=(*MARK.values(start.mark), start.next_due),
            created=audit_chain.text_of(start.created),
            answered=_pieces(start),
            actor=start.occurrence.actor,
        )

    def start_like(self, pattern: Pattern, due: DueAutomation, run_id: RunId) -> bool:
        """Write for an automation what the pattern's start would write for its own; False: it may not be written."""
        put, own = self._session.put, (run_id, due.automation_id)
        answer, slot = pattern.occurrence
        is_written = (
            put("add_first_run_pin", own + pattern.pin)
            and put("add_occurrence", (due.automation_id, *answer, run_id, *slot))
            and put("record_mark", (*pattern.mark, *_read_of(due)))
        )
        if not is_written:
            return False
        put("add_run", own + pattern.run)
        self._chain(pattern, due, run_id)
        return True

    def _chain(self, pattern: Pattern, due: DueAutomation, run_id: RunId) -> None:
        session, scope = self._session, f"run:{run_id}"
        session.begin_chain(scope)
        session.audit_text(scope, "run.created", pattern.created, pattern.actor)
        before, between, after = pattern.answered
        body = f"{before}{run_id}{between}{_string(due.mark.slot_key)}{after}"
        session.audit_text(f"automation:{due.automation_id}", "slots.answered", body, pattern.actor)


def _pieces(start: Start) -> tuple[str, str, str]:
    """Return the text of `answered` around the run's id, and around the old watermark's slot key in its quotes."""
    run_id = start.run.run_id
    text = audit_chain.text_of({**start.answered, "from": f"{run_id}:from"})
    rest, after = text.split(f'"{run_id}:from"')
    before, between = rest.split(run_id)
    return before, between, after


def _read_of(due: DueAutomation) -> tuple[Any, ...]:
    """Return what has to be as it was read, in the order in which `record_mark` names it."""
    mark = due.mark
    return (
        due.automation_id,
        due.version,
        mark.due_at,
        mark.slot_key,
        mark.anchor.value,
        mark.zone,
    )
