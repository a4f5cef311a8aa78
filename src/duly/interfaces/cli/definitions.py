"""`duly init`, `diff`, `apply`, `export`, `automation create`: definitions in files."""

import json
import os
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
import yaml

from duly.interfaces.cli.automations import every_automation, slot_table
from duly.interfaces.cli.command import command
from duly.interfaces.cli.front import Answer, Front
from duly.interfaces.cli.printing import data, document, one_line, say
from duly.interfaces.cli.templates import SCHEMA_FILE, TEMPLATES
from duly.model.errors import ConflictError, Fault, UnavailableError, ValidationError

FILE: Final = "duly.yaml"
_FILE_MODE_NEW: Final = "x"

in_file = click.option(
    "-f",
    "--file",
    "file",
    type=click.Path(path_type=Path, allow_dash=True),
    default=FILE,
    show_default=True,
    help="`-` reads standard input",
)
_key_option = click.option(
    "--idempotency-key", metavar="KEY", help="a creation sent twice with it happens once"
)


@command("init", "duly init --template report")
@click.option("--template", type=click.Choice(list(TEMPLATES)), default="command")
@click.option("-f", "--file", "file", type=click.Path(path_type=Path), default=FILE)
def init(front: Front, as_json: bool, template: str, file: Path) -> None:
    """Write a definition to start from, and the schema by which an editor completes and checks it."""
    schema = file.parent / SCHEMA_FILE
    text = json.dumps(_schema(front), indent=2) + "\n"
    _write(file, TEMPLATES[template], _FILE_MODE_NEW)
    _write(schema, text, "w")
    if as_json:
        document({"file": str(file), "schema": str(schema), "template": template})
        return
    data(str(file))
    say(f"edit it, then: duly apply -f {file}")


def _schema(front: Front) -> Any:
    return front.ask("schema.show", {})["json_schema"]


def _write(path: Path, text: str, mode: str) -> None:
    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConflictError(f"{path} exists already", fix="Choose another -f.") from None
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be written ({error.strerror})", fix="Choose another -f."
        ) from error


@command("apply", "duly apply -f duly.yaml")
@in_file
@_key_option
@click.option("--dry-run", is_flag=True, help="show what would happen")
def apply(
    front: Front, as_json: bool, file: Path, idempotency_key: str | None, dry_run: bool
) -> None:
    """Create or revise automations, all or none; shows the next slots before and after."""
    body = _body(file, idempotency_key, is_dry_run=dry_run)
    _send(front, as_json, body, _tell)
    _warn_if_nobody_is_told(front, body["source"])


@command("create", "duly automation create -f duly.yaml")
@in_file
@_key_option
def create(front: Front, as_json: bool, file: Path, idempotency_key: str | None) -> None:
    """Create automations from a file; refused if one of that name exists."""
    body = _body(file, idempotency_key or uuid.uuid4().hex, is_dry_run=False)
    _send(front, as_json, body, _tell)
    _warn_if_nobody_is_told(front, body["source"])


@command("diff", "duly diff -f duly.yaml")
@in_file
def diff(front: Front, as_json: bool, file: Path) -> None:
    """Show what `apply` would change; nothing is changed."""
    _send(front, as_json, _body(file, None, is_dry_run=True), _tell_difference)


def _body(file: Path, key: str | None, *, is_dry_run: bool) -> dict[str, Any]:
    return {
        "source": _read(file),
        "base": str(Path.cwd() if str(file) == "-" else Path(os.path.abspath(file)).parent),
        "path": os.environ.get("PATH", os.defpath),
        "idempotency_key": key,
        "is_dry_run": is_dry_run,
    }


def _read(file: Path) -> str:
    try:
        found = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return found.decode()
    except UnicodeDecodeError:
        fault = Fault(pointer="", message="not UTF-8 text", fix="save it as UTF-8", line=1)
    except OSError as error:
        fix = "write one with `duly init`, or name it with -f"
        fault = Fault(pointer="", message=f"cannot be read ({error.strerror})", fix=fix)
    raise ValidationError([fault])


def _send(
    front: Front, as_json: bool, body: dict[str, Any], tell: Callable[[Answer], None]
) -> None:
    answer = front.ask("automation.apply", body)
    if as_json:
        document(answer)
        return
    for result in answer["results"]:
        tell(result)


def _tell_difference(result: Answer) -> None:
    say(f"{result['job_key']}: {_would(result['verdict'])}")
    if not result["difference"]:
        return
    data(result["difference"].rstrip())
    _slots_of_both(result)


def _would(verdict: str) -> str:
    return {"created": "would be created", "revised": "would be revised"}.get(verdict, verdict)


def _tell(result: Answer) -> None:
    data(f"{one_line(result['job_key'])}: {result['verdict']}, revision {result['revision']}")
    _slots_of_both(result)
    tell_warnings(result)


def _slots_of_both(result: Answer) -> None:
    """Print the next slots; those before a change too, where it moves them."""
    if result["verdict"] == "revised" and result["next_before"] != result["next_after"]:
        _slots("slots before", result["next_before"])
        _slots("slots after", result["next_after"])
    else:
        _slots(f"next slots ({result['timezone']})", result["next_after"])


def _slots(title: str, slots: list[dict[str, Any]]) -> None:
    data(f"{title}:" if slots else f"{title}: none")
    if slots:
        slot_table(slots)


def tell_warnings(result: Answer) -> None:
    """Print on stderr what will surprise."""
    for warning in result["warnings"]:
        fix = f" — {warning['fix']}" if warning["fix"] else ""
        say(f"warning: {warning['pointer']}: {warning['message']}{fix}")


def _warn_if_nobody_is_told(front: Front, source: str) -> None:
    """Say so where a definition, which was accepted, names nobody, and the configuration neither."""
    if front.is_anybody_told():
        return
    if any("notify" not in definition for definition in yaml.safe_load_all(source)):
        say(NOBODY)


NOBODY: Final = (
    "warning: nobody is told when it fails or is missed — set notify.command in the definition, "
    "or DULY_NOTIFY to a URL"
)


@command("export", "duly export report -f report.yaml")
@click.argument("keys", nargs=-1, metavar="[KEY]...")
@click.option("-f", "--file", "file", type=click.Path(path_type=Path), help="default: stdout")
def export(front: Front, as_json: bool, keys: tuple[str, ...], file: Path | None) -> None:
    """Print definitions as they were written, in the form that `apply` takes; without a KEY, all of them."""
    wanted = keys or [one["job_key"] for one in every_automation(front, deleted=False)]
    found = [front.ask("automation.export", {"job_key": key}) for key in wanted]
    if as_json:
        document({"definitions": found})
        return
    text = "---\n".join(
        yaml.safe_dump(one["definition"], sort_keys=False, width=100) for one in found
    )
    if file is None:
        data(text.rstrip())
        return
    _write(file, text, _FILE_MODE_NEW)
    say(f"wrote {file}")
