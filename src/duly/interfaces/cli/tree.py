"""The tree of commands: each is imported when it is used, so that no command pays for another."""

import functools
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import click

import duly
from duly.interfaces.cli import front_page

FrontMaker = Callable[[str | None], Any]

_HERE: Final = "duly.interfaces.cli."
_INTERRUPTED: Final = 130


class LazyGroup(click.Group):
    """A group that knows its commands as `name: (module:attribute, summary)`, in the order of its help."""

    def __init__(self, *, lazy: Mapping[str, tuple[str, str]], **given: Any) -> None:
        """Import nothing."""
        super().__init__(**given)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        del ctx
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        del ctx
        if cmd_name not in self._lazy:
            return None
        module, _, attribute = self._lazy[cmd_name][0].partition(":")
        found: click.Command = getattr(importlib.import_module(_HERE + module), attribute)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._lazy.items()])


def _group(name: str, summary: str, lazy: Mapping[str, tuple[str, str]]) -> LazyGroup:
    return LazyGroup(name=name, help=summary, lazy=lazy, no_args_is_help=True)


AUTOMATION: Final = _group(
    "automation",
    "Look at automations and change them.",
    {
        "list": ("automations:list_all", "list automations: next, last, status, why"),
        "show": ("automations:show", "show one: definition, slots, revisions, runs"),
        "next": ("automations:coming", "name the coming slots"),
        "create": ("definitions:create", "create from a file; refused if it exists"),
        "pause": ("automations:pause", "stop future slots"),
        "resume": ("automations:resume", "let slots fire again, from now on"),
        "delete": ("automations:delete", "hide it; nothing is lost"),
        "restore": ("automations:restore", "bring a deleted one back"),
    },
)
RUNS: Final = _group(
    "runs",
    "Look at runs, end them, let them go on.",
    {
        "list": ("runs:list_all", "list runs, newest first"),
        "show": ("runs:show", "show one: attempts, programs, effects, artifacts"),
        "events": ("runs:events", "tell what happened, in order"),
        "diff": ("runs:diff", "print what a run changed"),
        "contract": ("runs:contract", "print the run contract as YAML"),
        "cancel": ("runs:cancel", "end a run"),
        "resume": ("runs:resume", "let a stopped run go on"),
        "resolve": ("runs:resolve", "say how a stopped run ended, with evidence"),
        "resolve-effect": ("runs:resolve_effect", "say whether an effect happened"),
    },
)
AUDIT: Final = _group(
    "audit",
    "Prove that the record was not changed.",
    {"verify": ("upkeep:verify", "check every hash chain, and heads that you kept")},
)
DB: Final = _group(
    "db",
    "Look after the ledger file.",
    {
        "backup": ("upkeep:backup", "copy the ledger while it is used"),
        "check": ("upkeep:check", "check every byte, chain and invariant"),
        "migrate": ("upkeep:migrate", "bring the ledger up to date, after a backup"),
    },
)
SERVICE: Final = _group(
    "service",
    "Start Duly with the session of this user.",
    {
        "install": ("upkeep:install", "write and start the unit (systemd, launchd)"),
        "remove": ("upkeep:remove", "stop and remove the unit"),
    },
)


@click.group(
    cls=LazyGroup,
    lazy=front_page.COMMANDS,
    help=f"{front_page.SUMMARY}\n\n{' '.join(front_page.RULES)}",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(duly.__version__, prog_name="duly")
@click.option("--home", metavar="DIR", help=front_page.OPTIONS["--home DIR"])
@click.pass_context
def root(ctx: click.Context, home: str | None) -> None:
    """Give every command its front door."""
    ctx.obj = ctx.obj(home)
    sys.excepthook = functools.partial(_unexpected, ctx.obj)


def _unexpected(front: Any, _: type[BaseException], error: BaseException, __: Any) -> None:
    """Say in one line that Duly has a bug, and where its traceback is kept; the exit code becomes 1."""
    kept = front.keep_traceback(error)
    where = f"the traceback is in {kept}" if kept else "its traceback could not be kept"
    sys.stderr.write(f"error: unexpected {type(error).__name__}; {where}\n")


def run(arguments: Sequence[str], make_front: FrontMaker) -> int:
    """Carry out one command line; return its exit code. No error of ours leaves a traceback."""
    try:
        _refuse_what_is_no_text(arguments)
        with root.make_context("duly", list(arguments), obj=make_front) as ctx:
            code = root.invoke(ctx)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as over:
        return over.exit_code
    except click.ClickException as error:
        return _misused(error, arguments)
    except BrokenPipeError:
        front_page.leave_unread()
        return 0
    except (KeyboardInterrupt, click.Abort):
        return _INTERRUPTED


def complete(variable: str, instruction: str) -> int:
    """Print what a shell asks for to complete a command line, or the script by which it will ask."""
    shell_completion = importlib.import_module("click.shell_completion")
    code: int = shell_completion.shell_complete(root, {}, "duly", variable, instruction)
    return code


def _refuse_what_is_no_text(arguments: Sequence[str]) -> None:
    """Refuse bytes that are no UTF-8: neither the ledger nor JSON could hold them."""
    for place, argument in enumerate(arguments, start=1):
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise click.UsageError(f"argument {place} is no UTF-8 text") from None


def _misused(error: click.ClickException, arguments: Sequence[str]) -> int:
    error.show()
    if is_json(arguments):
        printing = importlib.import_module(_HERE + "printing")
        found = {"code": "usage", "message": error.format_message(), "fix": "see --help"}
        printing.document({"error": found})
    return error.exit_code


def is_json(arguments: Sequence[str]) -> bool:
    """Say whether a command line asks for JSON; what stands after `--` belongs to somebody else's command."""
    own = list(arguments)
    return "--json" in (own[: own.index("--")] if "--" in own else own)
