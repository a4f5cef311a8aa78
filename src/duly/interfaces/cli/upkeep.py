"""`duly audit`, `db`, `service`: prove the record, look after the file, start with the session."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from duly.adapters import service_unit
from duly.adapters.service_unit import Unit
from duly.interfaces.cli.codes import Exit
from duly.interfaces.cli.command import command
from duly.interfaces.cli.front import Front
from duly.interfaces.cli.looking import finding_line
from duly.interfaces.cli.printing import data, document, say
from duly.model.errors import Fault, ValidationError


@command("verify", "duly audit verify --json > heads.json")
@click.option(
    "--anchors",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="heads kept from an earlier `--json` answer: finds what was cut off",
)
def verify(front: Front, as_json: bool, file: Path | None) -> int:
    """Check every hash chain of the audit."""
    answer = front.ask("audit.verify", {} if file is None else {"anchors": _heads(file)})
    if as_json:
        document(answer)
    else:
        data(f"{answer['events']} events in {answer['scopes']} chains")
        for broken in answer["broken"]:
            data(f"BROKEN  {broken}")
        say("intact" if answer["is_intact"] else "the record was changed")
    return Exit.OK if answer["is_intact"] else Exit.CONFLICT


def _heads(file: Path) -> Any:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValidationError(
            [Fault(pointer="", message=f"cannot be read: {error}", fix="keep `--json` output")]
        ) from None
    return found.get("heads", found) if isinstance(found, dict) else found


@command("backup", "duly db backup /backup/duly.db")
@click.argument("target", type=click.Path(path_type=Path))
def backup(front: Front, as_json: bool, target: Path) -> None:
    """Copy the ledger to a new file, checked; whoever uses it is not held up."""
    answer = front.ask("db.backup", {"target": os.path.abspath(target)})
    if as_json:
        document(answer)
    else:
        data(os.path.abspath(target))


@command("check", "duly db check")
def check(front: Front, as_json: bool) -> int:
    """Check every byte, the schema, the audit chains, and what must never be found."""
    answer = front.ask("db.check", {})
    if as_json:
        document(answer)
    else:
        for found in answer["checks"]:
            data(finding_line(found))
    return Exit.OK if answer["is_good"] else Exit.CONFLICT


@command("migrate", "duly db migrate")
def migrate(front: Front, as_json: bool) -> None:
    """Bring the ledger up to date with this program; a backup is taken beside it first."""
    front.migrate()
    if as_json:
        document({"is_done": True})
    else:
        say("up to date")


def _unit(front: Front) -> Unit:
    argv = (sys.executable, "-m", "duly", "serve")
    return service_unit.unit(front.home, argv, os.environ.get("PATH", os.defpath))


@command("install", "duly service install --print")
@click.option("--print", "only_print", is_flag=True, help="print the unit, write nothing")
def install(front: Front, as_json: bool, only_print: bool) -> int:
    """Write the unit that starts Duly with your session, and start it."""
    unit = _unit(front)
    done = [] if only_print else service_unit.install(unit)
    is_started = not any(line.startswith(service_unit.NOT_DONE) for line in done)
    if as_json:
        document({"path": str(unit.path), "text": unit.text, "done": done})
        return Exit.OK if is_started else Exit.UNAVAILABLE
    if only_print:
        data(unit.text.rstrip())
        say(f"would be written to {unit.path}")
    for line in done:
        data(line)
    if done and sys.platform == "linux":
        say("to run without a session too: loginctl enable-linger")
    left_out = sorted(
        name for name in os.environ if name.startswith("DULY_") and name != "DULY_HOME"
    )
    if left_out:
        say(f"warning: the unit does not hold {', '.join(left_out)}: write them into config.toml")
    if not is_started:
        say("warning: the service does not run; until then: duly serve")
    return Exit.OK if is_started else Exit.UNAVAILABLE


@command("remove", "duly service remove")
def remove(front: Front, as_json: bool) -> None:
    """Stop the service and remove its unit; the data directory stays."""
    unit = _unit(front)
    done = service_unit.remove(unit)
    if as_json:
        document({"path": str(unit.path), "done": done})
        return
    for line in done:
        data(line)
