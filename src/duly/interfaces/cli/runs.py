"""`duly runs …`: look at runs, end them, let them go on."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import click
import yaml

from duly.interfaces.cli.automations import run_table
from duly.interfaces.cli.command import command
from duly.interfaces.cli.front import Front
from duly.interfaces.cli.printing import (
    data,
    document,
    fields,
    one_line,
    say,
    second,
    table,
)
from duly.model.instant import Instant, to_text
from duly.service.names import short

Ask = Callable[[str, Mapping[str, Any]], dict[str, Any]]

_OPEN: Final[tuple[object, ...]] = (None, [], {})
_WELL: Final = frozenset({"running", "waiting", "completed", "no-change"})
_EVENT_COLUMNS: Final = (("at", "at"), ("what", "kind"), ("by", "actor"), ("details", "details"))
_PROGRAM_COLUMNS: Final = (
    ("attempt", "attempt"),
    ("part", "part"),
    ("state", "state"),
    ("exit", "exit_code"),
    ("ended", "ended_at"),
    ("command", "command"),
)
NOBODY_WORKS: Final = "nobody works on it yet: start `duly serve`, or use `duly tick`"
_OUT_OF_SCOPE: Final = "out_of_scope"
_OUTSIDE_MAX: Final = 20
_OUTSIDE_COLUMNS: Final = (("outside its scope", "path"), ("what", "kind"), ("was", "was"))
_EFFECT_COLUMNS: Final = (("effect", "id"), ("action", "action"), ("state", "state"))
_ARTIFACT_COLUMNS: Final = (("artifact", "path"), ("bytes", "bytes"))


@command("list", "duly runs list report --state failed")
@click.argument("key", required=False)
@click.option("--state", multiple=True, help="only runs in this state; may be repeated")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True)
def list_all(
    front: Front, as_json: bool, key: str | None, state: tuple[str, ...], limit: int
) -> None:
    """List runs, newest first."""
    answer = front.ask("runs.list", {"job_key": key, "state": list(state), "limit": limit})
    if as_json:
        document(answer)
        return
    run_table(answer["runs"])


@command("show", "duly runs show r_76b9371ed5284025")
@click.argument("run")
def show(front: Front, as_json: bool, run: str) -> None:
    """Show one run."""
    answer = front.ask("runs.show", {"run_id": run})
    if as_json:
        document(answer)
        return
    _shown(answer, trouble_of(front.ask, answer))
    if answer["run"]["reason"] == _OUT_OF_SCOPE:
        _show_outside(front.ask("runs.difference", {"run_id": answer["run"]["id"]}))


def _show_outside(difference: Mapping[str, Any]) -> None:
    """Print the paths outside the scope, with what stood there; the texts themselves are not kept."""
    rows = [_outside_row(one) for one in difference["outside_changes"][:_OUTSIDE_MAX]]
    data("")
    table(rows, _OUTSIDE_COLUMNS)
    more = len(difference["outside"]) - len(rows)
    if more > 0:
        data(f"… and {more} more: `duly runs diff {short(difference['run_id'])}`")


def _outside_row(one: Mapping[str, Any]) -> dict[str, Any]:
    was = "-" if one["before_bytes"] is None else f"{one['before_bytes']} bytes"
    sha256 = "" if one["before_sha256"] is None else one["before_sha256"][:12]
    return {**one, "was": f"{was} {sha256}".strip()}


def trouble_of(ask: Ask, detail: Mapping[str, Any]) -> str | None:
    """Return what went wrong with a run: its newest message, or how its last program ended; None: nothing."""
    view = detail["run"]
    if view["status"] in _WELL:
        return None
    found = ask("runs.events", {"run_id": view["id"], "limit": 1000})["events"]
    told = [event["body"] for event in found if event["body"].get("message")]
    if not told:
        return _bad_end(detail["executions"])
    fix = told[-1].get("fix")
    return f"{told[-1]['message']} — {fix}" if fix else str(told[-1]["message"])


def _bad_end(programs: Sequence[Mapping[str, Any]]) -> str | None:
    last = programs[-1] if programs else None
    if last is None or not last["exit_code"]:
        return None
    return f"{last['part']} exited {last['exit_code']}"


def _known(*pairs: tuple[str, object]) -> list[tuple[str, object]]:
    """Leave out what a run does not have: a run that went well needs no next step."""
    return [pair for pair in pairs if pair[1]]


def _shown(answer: dict[str, Any], trouble: str | None) -> None:
    view = answer["run"]
    fields(
        [
            ("run", view["id"]),
            ("key", view["job_key"]),
            ("window", view["window_key"]),
            ("status", view["status"]),
            ("in words", view["words"]),
            *_known(
                ("what happened", trouble),
                ("next step", view["next_step"]),
                ("due", second(view["due_at"])),
            ),
            ("created", second(view["created_at"])),
            ("settled", second(view["settled_at"])),
            ("attempts", view["attempts"]),
            ("revision", answer["revision"]),
        ]
    )
    programs = [
        {**one, "command": shlex.join(one["argv"]), "ended_at": second(one["ended_at"])}
        for one in answer["executions"]
    ]
    for rows, columns in (
        (programs, _PROGRAM_COLUMNS),
        (answer["effects"], _EFFECT_COLUMNS),
        (answer["artifacts"], _ARTIFACT_COLUMNS),
    ):
        if rows:
            data("")
            table(rows, columns)


@command("events", "duly runs events r_76b9371ed5284025")
@click.argument("run")
def events(front: Front, as_json: bool, run: str) -> None:
    """Tell what happened to a run, in order, as the audit has it."""
    found: list[dict[str, Any]] = []
    while True:
        after = found[-1]["seq"] if found else 0
        page = front.ask("runs.events", {"run_id": run, "after_seq": after, "limit": 1000})
        if not page["events"]:
            break
        found.extend(page["events"])
    if as_json:
        document({"scope": page["scope"], "events": found})
        return
    rows = [{**event, "details": _details(event["body"])} for event in found]
    table(rows, _EVENT_COLUMNS)


def _details(body: dict[str, Any]) -> str:
    """Say what an event has to say; what it leaves open is not said."""
    return " ".join(
        f"{name}={_detail(name, value)}" for name, value in body.items() if value not in _OPEN
    )


def _detail(name: str, value: object) -> str:
    if name.endswith("_at") and isinstance(value, int):
        return to_text(Instant(value))
    return one_line(value)


@command("diff", "duly runs diff r_76b9371ed5284025")
@click.argument("run")
def diff(front: Front, as_json: bool, run: str) -> None:
    """Print what a run changed: the differences of published files, and what it changed outside its scope."""
    answer = front.ask("runs.difference", {"run_id": run})
    if as_json:
        document(answer)
        return
    for file in answer["files"]:
        data(
            file["text"].rstrip() if file["text"] else f"new, or no text: {one_line(file['path'])}"
        )
    kinds = {one["path"]: one["kind"] for one in answer["outside_changes"]}
    for path in answer["outside"]:
        kind = kinds.get(path, "unknown")
        said = "" if kind == "unknown" else f" ({kind})"
        data(f"outside its scope, not published: {one_line(path)}{said}")
    if not answer["files"] and not answer["outside"]:
        say("it changed nothing that Duly looks after")


@command("contract", "duly runs contract r_76b9371ed5284025 > contract.yaml")
@click.argument("run")
def contract(front: Front, as_json: bool, run: str) -> None:
    """Print the run contract as YAML: what it is for, what it may do, how it stands."""
    answer = front.ask("runs.contract", {"run_id": run})
    if as_json:
        document(answer)
    else:
        # ASCII only: escapes in YAML are read back, and no terminal obeys them.
        data(yaml.safe_dump(answer, sort_keys=False, width=100).rstrip())


@command("cancel", 'duly runs cancel r_76b9371ed5284025 --reason "not needed"')
@click.argument("run")
@click.option("--reason", default="", help="written into the audit")
def cancel(front: Front, as_json: bool, run: str, reason: str) -> None:
    """End a run: at once where nobody works on it, else at its next safe point."""
    answer = front.ask("runs.cancel", {"run_id": run, "reason": reason})
    if as_json:
        document(answer)
    elif answer["is_done"]:
        data(_standing(answer["run"]))
    else:
        data(f"{run}: will be cancelled at the next safe point")
        if not front.is_served():
            say("no server runs: the next `duly serve` or `duly tick` ends it")


@command("resume", 'duly runs resume r_76b9371ed5284025 --reason "nothing was sent"')
@click.argument("run")
@click.option("--reason", default="", help="what you looked at; written into the audit")
def resume(front: Front, as_json: bool, run: str, reason: str) -> None:
    """Let a stopped run go on. You vouch for what happened before."""
    _changed(front.ask("runs.resume", {"run_id": run, "reason": reason}), as_json)
    if not as_json and not front.is_served():
        say(NOBODY_WORKS)


@command(
    "resolve",
    'duly runs resolve r_76b9371ed5284025 --outcome completed --evidence "the file is there"',
)
@click.argument("run")
@click.option("--outcome", type=click.Choice(["completed", "failed", "cancelled"]), required=True)
@click.option("--evidence", required=True, help="what shows it: a URL, a file, what you saw")
def resolve(front: Front, as_json: bool, run: str, outcome: str, evidence: str) -> None:
    """Say how a stopped run ended, and what shows it."""
    body = {"run_id": run, "outcome": outcome, "evidence": evidence}
    _changed(front.ask("runs.resolve", body), as_json)


@command(
    "resolve-effect",
    'duly runs resolve-effect e_41c2a7d09b3e6f58 --happened --reason "I see it there"',
)
@click.argument("effect")
@click.option("--happened/--did-not-happen", required=True, default=None)
@click.option("--external-id", help="its id in the other system")
@click.option("--reason", required=True, help="what shows it")
def resolve_effect(
    front: Front,
    as_json: bool,
    effect: str,
    happened: bool,
    external_id: str | None,
    reason: str,
) -> None:
    """Say whether an effect of unknown fate happened."""
    body = {
        "effect_id": effect,
        "happened": happened,
        "external_id": external_id,
        "reason": reason,
    }
    answer = front.ask("effects.resolve", body)
    if as_json:
        document(answer)
    else:
        data(f"{effect}: {answer['state']}")


def _changed(answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        document(answer)
        return
    data(_standing(answer))
    if step := answer["run"]["next_step"]:
        say(step)


def _standing(answer: dict[str, Any]) -> str:
    view = answer["run"]
    return f"{view['id']}: {view['status']} ({view['words']})"
