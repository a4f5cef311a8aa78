"""`duly add`: from nothing to a scheduled, accounted command, in one line."""

import os
import shlex
import uuid
from pathlib import Path
from typing import Any

import click

from duly.interfaces.cli.automations import slot_table
from duly.interfaces.cli.command import command
from duly.interfaces.cli.definitions import NOBODY, tell_warnings
from duly.interfaces.cli.front import Answer, Front
from duly.interfaces.cli.printing import data, document, say
from duly.interfaces.cli.running import start_and_wait

_TRY_S = 86_400.0
# The same line again changes nothing, and says so.
_SAID = {"replayed": "there already, and just so"}


@command("add", 'duly add report --cron "0 9 * * *" --expect report.html -- ./report.sh')
@click.argument("key")
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...")
@click.option("--cron", metavar="EXPRESSION", help='"0 9 * * 1-5"')
@click.option("--rrule", metavar="RULE", help='"FREQ=DAILY;BYHOUR=9"')
@click.option("--once", metavar="TIME", help="2026-12-25T08:00, or with an offset")
@click.option("--zone", metavar="ZONE", help="Europe/Berlin; default: the workspace's")
@click.option("--window", metavar="PERIOD", help="hour, day, week, month or slot")
@click.option("--scope", multiple=True, metavar="GLOB", help="files it may change; may be repeated")
@click.option("--expect", "expect_file", metavar="FILE", help="done when it wrote this file")
@click.option("--verify", metavar="COMMAND", help="done when this command exits 0")
@click.option("--restart", type=click.Choice(["safe", "proven"]), help="safe: may run again")
@click.option("--notify", metavar="COMMAND", help="run when it fails, is missed, or needs you")
@click.option("--idempotency-key", metavar="KEY", help="sent twice with it, it is added once")
@click.option("--dry-run", is_flag=True, help="show what would be added")
@click.option("--try", "try_now", is_flag=True, help="run it now, and wait for it")
def add(
    front: Front, as_json: bool, key: str, words: tuple[str, ...], try_now: bool, **wish: Any
) -> int:
    """Schedule a command, in one line.

    It works in this directory, with your PATH. What it chose for you stands in the definition.
    """
    answer = front.ask("automation.add", _body(key, words, wish))
    if try_now and not wish["dry_run"]:
        if not as_json:
            _tell(front, key, answer, wish)
        run = {"job_key": key, "idempotency_key": uuid.uuid4().hex}
        return start_and_wait(front, as_json, run, _TRY_S)
    if as_json:
        document(answer)
    else:
        _tell(front, key, answer, wish)
    return 0


def _body(key: str, words: tuple[str, ...], wish: dict[str, Any]) -> dict[str, Any]:
    rules = {kind: wish[kind] for kind in ("cron", "rrule", "once") if wish[kind] is not None}
    if len(rules) != 1:
        raise click.UsageError("say when: exactly one of --cron, --rrule, --once")
    return {
        "job_key": key,
        "when": rules,
        "zone": wish["zone"],
        "window": wish["window"],
        "scope": list(wish["scope"]),
        "expect_file": wish["expect_file"],
        "verify": _words("--verify", wish["verify"]),
        "command": list(words),
        "base": str(Path.cwd()),
        "path": os.environ.get("PATH", os.defpath),
        "restart": wish["restart"],
        "notify": _words("--notify", wish["notify"]),
        "idempotency_key": wish["idempotency_key"],
        "is_dry_run": wish["dry_run"],
    }


def _words(option: str, text: str | None) -> list[str]:
    """Split as a shell would, without one: no variable, no glob."""
    try:
        return shlex.split(text or "")
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}") from None


def _tell(front: Front, key: str, answer: Answer, wish: dict[str, Any]) -> None:
    result = answer["result"]
    said = _SAID.get(result["verdict"], result["verdict"])
    verdict = f"would be {said}" if wish["dry_run"] else said
    data(f"{key}: {verdict}, one run for each {result['window']}")
    data(f"next slots ({result['timezone']}):")
    slot_table(result["next_after"])
    tell_warnings(result)
    if not wish["notify"] and not front.is_anybody_told():
        say(NOBODY)
    if wish["dry_run"]:
        data(answer["definition"].rstrip())
        return
    say(f"try:  duly run {key} --wait")
    say(f"see:  duly automation show {key}   duly logs {key}   duly export {key}")
    say(f"undo: duly automation delete {key}")
