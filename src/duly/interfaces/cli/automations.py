"""`duly automation …`: look at automations, change their state."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import click

from duly.interfaces.cli.command import command
from duly.interfaces.cli.front import Front
from duly.interfaces.cli.printing import (
    data,
    document,
    fields,
    minute,
    one_line,
    say,
    second,
    table,
)
from duly.service.names import short, window

COLUMNS: Final = (
    ("key", "job_key"),
    ("next", "next_run"),
    ("last", "last_run"),
    ("status", "last_status"),
    ("why", "why"),
)
_SLOT_COLUMNS: Final = (
    ("day", "day"),
    ("slot", "local"),
    ("due (UTC)", "due_at"),
    ("note", "note"),
)
_RUN_COLUMNS: Final = (
    ("run", "run"),
    ("key", "job_key"),
    ("window", "window_key"),
    ("status", "status"),
    ("since", "since"),
    ("why", "words"),
)
_OCCURRENCE_COLUMNS: Final = (
    ("at", "at"),
    ("asked by", "asked_by"),
    ("answer", "disposition"),
    ("why", "why"),
)
_REVISION_COLUMNS: Final = (("revision", "number"), ("at", "created_at"), ("by", "actor"))
_UNDO: Final = {"pause": "resume", "resume": "pause", "delete": "restore", "restore": "delete"}


@command("list", "duly automation list --json")
@click.option("--deleted", is_flag=True, help="deleted ones too")
def list_all(front: Front, as_json: bool, deleted: bool) -> None:
    """List automations. Looking answers no slot and changes nothing."""
    found = every_automation(front, deleted=deleted)
    if as_json:
        document({"automations": found})
        return
    rows = [
        {
            **one,
            "next_run": minute(one["next_run"]),
            "last_run": _without_offset(minute(one["last_run"])),
        }
        for one in found
    ]
    table(rows, COLUMNS)
    if not found:
        say("none yet; `duly add` and `duly init` make one")


def _without_offset(moment: str | None) -> str | None:
    """Leave out what the cell beside it says: both are in the automation's zone."""
    return None if moment is None else moment[:16]


def every_automation(front: Front, *, deleted: bool) -> list[dict[str, Any]]:
    """Return all automations, page by page."""
    found: list[dict[str, Any]] = []
    after: str | None = ""
    while after is not None:
        page = front.ask("automation.list", {"after": after, "deleted": deleted})
        found.extend(page["automations"])
        after = page["next_after"]
    return found


@command("show", "duly automation show report")
@click.argument("key")
def show(front: Front, as_json: bool, key: str) -> None:
    """Show one automation."""
    answer = front.ask("automation.show", {"job_key": key})
    if as_json:
        document(answer)
        return
    view = answer["automation"]
    names = "job_key name state schedule timezone next_run last_run last_status why revision"
    plain = [(name, view[name]) for name in names.split()]
    times = [(name, second(view[name])) for name in ("created_at", "updated_at")]
    fields([*plain, *times])
    data("\nnext slots")
    slot_table(answer["next_slots"])
    data("\nruns")
    run_table(answer["runs"])
    _part("answered lately", _occurrence_rows(answer["occurrences"]), _OCCURRENCE_COLUMNS)
    revisions = [{**one, "created_at": second(one["created_at"])} for one in answer["revisions"]]
    _part("revisions", revisions, _REVISION_COLUMNS)


def _part(title: str, rows: list[dict[str, Any]], columns: tuple[tuple[str, str], ...]) -> None:
    data(f"\n{title}")
    if rows:
        table(rows, columns)
    else:
        data("none")


def run_table(runs: list[dict[str, Any]]) -> None:
    """Print runs: the beginning of an id is enough for every command."""
    rows = [
        {
            **one,
            "run": short(one["id"]),
            "window_key": window(one["window_key"]),
            "since": minute(one["settled_at"] or one["created_at"]),
        }
        for one in runs
    ]
    if rows:
        table(rows, _RUN_COLUMNS)
    else:
        data("none")


def _occurrence_rows(occurrences: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return answers with who asked: a slot, or a person; the key that only tells requests apart stays away."""
    return [{**one, "at": second(one["at"]), "asked_by": _asked_by(one)} for one in occurrences]


def _asked_by(occurrence: Mapping[str, Any]) -> str:
    if occurrence["slot_count"] > 1:
        first, last = minute(occurrence["due_at"]), minute(occurrence["last_due_at"])
        return f"{occurrence['slot_count']} slots, {first} to {last}"
    if occurrence["due_at"] is not None:
        return f"slot {minute(occurrence['due_at'])}"
    return str(occurrence["actor"])


@command("next", "duly automation next report --count 5")
@click.argument("key")
@click.option("--count", type=click.IntRange(1, 1000), default=10, show_default=True)
def coming(front: Front, as_json: bool, key: str, count: int) -> None:
    """Name the coming slots, in the automation's zone."""
    answer = front.ask("automation.next", {"job_key": key, "count": count})
    if as_json:
        document(answer)
        return
    slot_table(answer["slots"])
    end = "; there are no more" if answer["is_complete"] else ""
    say(f"zone {answer['timezone']}{end}")


def slot_table(slots: list[dict[str, Any]]) -> None:
    """Print slots with their weekday, and what is odd about them in words, where something is."""
    rows = [{**one, "day": _day(one["local"]), "note": _note(one["marks"])} for one in slots]
    is_odd = any(one["marks"] for one in slots)
    if rows:
        table(rows, _SLOT_COLUMNS if is_odd else _SLOT_COLUMNS[:-1])
    else:
        data("none")


_NOTES: Final = {
    "repeated_hour": "happens twice: the first",
    "repeated_hour_again": "happens twice: the second",
    "moved_by_gap": "the rule's own time does not exist that day",
}


def _note(marks: list[str]) -> str:
    return ", ".join(_NOTES.get(mark, mark) for mark in marks)


def _day(local: str) -> str:
    return datetime.fromisoformat(local).strftime("%a")


def _changing(verb: str, words: str) -> click.Command:
    @command(verb, f"duly automation {verb} report")
    @click.argument("key")
    @click.option("--reason", help="written into the audit")
    def change(front: Front, as_json: bool, key: str, reason: str | None) -> None:
        answer = front.ask(f"automation.{verb}", {"job_key": key, "reason": reason})
        if as_json:
            document(answer)
            return
        data(_standing(answer["automation"]))
        say(f"undo: duly automation {_UNDO[verb]} {key}")

    change.help = words
    return change


def _standing(view: Mapping[str, Any]) -> str:
    coming_up = f"next {view['next_run']}" if view["next_run"] else "nothing comes next"
    return f"{one_line(view['job_key'])}: {view['state']}, {coming_up}"


pause = _changing("pause", "Stop future slots; what runs goes on.")
resume = _changing("resume", "Let slots fire again, from now on.")
delete = _changing("delete", "Hide an automation. Nothing is lost; `restore` brings it back.")
restore = _changing("restore", "Bring a deleted automation back.")
