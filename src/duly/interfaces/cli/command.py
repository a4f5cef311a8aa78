"""What every command has: the front door, `--json`, and errors told in one way."""

import functools
from collections.abc import Callable
from typing import Any

import click

from duly.interfaces.cli import codes, printing
from duly.interfaces.cli.front import Front
from duly.model.errors import DulyError, UnavailableError
from duly.service.definition import duration

CommandFunction = Callable[..., int | None]


def command(name: str, example: str) -> Callable[[CommandFunction], click.Command]:
    """Make a command of a function `(front, as_json, …) -> exit code or None`; its help ends with the example."""

    def decorate(function: CommandFunction) -> click.Command:
        def guarded(front: Front, /, as_json: bool, **given: Any) -> int:
            try:
                return int(function(front, as_json, **given) or 0)
            except DulyError as error:
                return told(error, as_json, str(given.get("file") or ""))
            except BrokenPipeError:
                raise
            except OSError as error:
                return told(_of_the_system(error), as_json, "")

        # click reads help and the options that were declared so far from the function.
        functools.update_wrapper(guarded, function)
        with_json = click.option("--json", "as_json", is_flag=True, help="one JSON document")
        return click.command(name, epilog=f"\b\nExample:\n  {example}")(
            with_json(click.pass_obj(guarded))
        )

    return decorate


def seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Return the seconds of an option that is a duration, as definitions write them, or plain seconds."""
    if value is None:
        return None
    try:
        return duration.read_wait(value) / 1e6
    except ValueError as error:
        said = f"{printing.one_line(value)}: {error}"
        raise click.BadParameter(said, ctx=ctx, param=param) from None


def _of_the_system(error: OSError) -> DulyError:
    """Name the file and the trouble: a full disk and a missing right are told by the system, not by us."""
    where = f"{error.filename}: " if error.filename else ""
    return UnavailableError(
        f"{where}{error.strerror or error}", fix="Look at the disk and its permissions."
    )


def told(error: DulyError, as_json: bool, file: str) -> int:
    """Tell an error and return its exit code; `file` is where the faults stand."""
    printing.complain(error, file)
    if as_json:
        printing.document(printing.problem(error))
    return codes.of_error(error.code)
