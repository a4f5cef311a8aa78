"""`duly automation …`: look at automations, change their state."""

from collections.abc import Mapping
from typing import Any, Final

import click

from duly.interfaces.cli.command import command
from duly.interfaces.cli.front import Front
from duly.interfaces.cli.printing import data, document, fields, one_line, say, table

COLUMNS: Final = (
    ("key", "job_key"),
    ("next", "next_run"),
    ("last", "last_run"),
    ("status", "last_status"),
    ("why", "why"),
)
SLOT_COLUMNS: Final = (("slot", "local"), ("due (UTC)", "due_at"), ("note", "note"))
RUN_COLUMNS: Final = (
    ("run", "id"),
    ("key", "job_key"),
    ("window", "window_key"),
    ("status", "status"),
    ("why", "words"),
)
_OCCURRENCE_COLUMNS: Final = (
    ("occurrence", "occurrence_key"),
    ("answer", "disposition"),
    ("why", "why"),
)
_REVISION_COLUMNS: Final = (("revision", "number"), ("at", "created_at"), ("by", "actor"))
_UNDO: Final = {"pause": "resume", "resume": "pause", "delete": "restore", "restore": "delete"}


@command("list")
@click.option("--deleted", is_flag=True, help="deleted ones too")
def list_all(front: Front, as_json: bool, deleted: bool) -> None:
    """List automations. Looking answers no slot and changes nothing."""
    found = every_automation(front, deleted=deleted)
    if as_json:
        document({"automations": found})
        return
    table(found, COLUMNS)
    if not found:
        say("none yet; `duly add` and `duly init` make one")


def every_automation(front: Front, *, deleted: bool) -> list[dict[str, Any]]:
    """Return all automations, page by page."""
    found: list[dict[str, Any]] = []
    after: str | None = ""
    while after is not None:
        page = front.ask("automation.list", {"after": after, "deleted": deleted})
        found.extend(page["automations"])
        after = page["next_after"]
    return found


@command("show")
@click.argument("key")
def show(front: Front, as_json: bool, key: str) -> None:
    """Show one automation."""
    answer = front.ask("automation.show", {"job_key": key})
    if as_json:
        document(answer)
        return
    view = answer["automation"]
    names = "job_key name state schedule timezone next_run last_run last_status why revision"
    fields((name, view[name]) for name in f"{names} created_at updated_at".split())
    _part("next slots", slot_rows(answer["next_slots"]), SLOT_COLUMNS)
    _part("runs", answer["runs"], RUN_COLUMNS)
    _part("answered lately", answer["occurrences"], _OCCURRENCE_COLUMNS)
    _part("revisions", answer["revisions"], _REVISION_COLUMNS)


def _part(title: str, rows: list[dict[str, Any]], columns: tuple[tuple[str, str], ...]) -> None:
    data(f"\n{title}")
    if rows:
        table(rows, columns)
    else:
        data("none")


@command("next")
@click.argument("key")
@click.option("--count", type=click.IntRange(1, 1000), default=10, show_default=True)
def coming(front: Front, as_json: bool, key: str, count: int) -> None:
    """Name the coming slots, in the automation's zone."""
    answer = front.ask("automation.next", {"job_key": key, "count": count})
    if as_json:
        document(answer)
        return
    table(slot_rows(answer["slots"]), SLOT_COLUMNS)
    end = "; there are no more" if answer["is_complete"] else ""
    say(f"zone {answer['timezone']}{end}")


def slot_rows(slots: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return slots with what is odd about them in words."""
    return [{**slot, "note": ", ".join(slot["marks"])} for slot in slots]


def _changing(verb: str, words: str) -> click.Command:
    @command(verb)
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
