"""`duly --help` as a page that costs no import: click alone is most of what a start of Python takes."""

import os
import sys

# Name to (module:attribute, summary), in the order of the page.
COMMANDS = {
    "add": ("adding:add", "schedule a command, in one line"),
    "init": ("definitions:init", "write a duly.yaml to start from"),
    "diff": ("definitions:diff", "show what `apply` would change"),
    "apply": ("definitions:apply", "create or revise automations from a file"),
    "export": ("definitions:export", "print definitions as they were written"),
    "when": ("timing:when", "say when a rule fires; nothing is created"),
    "run": ("running:run", "ask for a window to be worked on"),
    "status": ("looking:status", "what ran, what did not and why, what needs you"),
    "explain": ("looking:explain", "why something ran, did not, or will"),
    "logs": ("looking:logs", "print what a run's program printed"),
    "automation": ("tree:AUTOMATION", "list, show, next, create, pause, resume, delete, …"),
    "runs": ("tree:RUNS", "list, show, events, diff, contract, cancel, resume, resolve"),
    "serve": ("serving:serve", "work on what is due, until stopped"),
    "tick": ("serving:tick", "work on what is due now, once"),
    "doctor": ("looking:doctor", "find out what is wrong with this installation"),
    "service": ("tree:SERVICE", "start Duly with the session: install, remove"),
    "audit": ("tree:AUDIT", "verify the record"),
    "db": ("tree:DB", "backup and check the ledger"),
}
SUMMARY = "Run unattended work once for each window, and prove it."
# As click breaks it at 80 columns; a test compares the whole page with click's.
RULES = (
    "Every command takes --json. Exit codes: 0 done, 2 usage, 3 no such name, 5",
    "conflict, 6 failed and nothing changed, 7 needs a person, 8 not over in",
    "time, 9 no answer.",
)
OPTIONS = {
    "--version": "Show the version and exit.",
    "--home DIR": "data directory; else DULY_HOME, else the user's own",
    "-h, --help": "Show this message and exit.",
}
WIDTH = 80
_COLUMN = max(map(len, [*COMMANDS, *OPTIONS]))


def text() -> str:
    """Return the page as click writes it at 80 columns."""
    rows = {name: summary for name, (_, summary) in COMMANDS.items()}
    lines = [
        "Usage: duly [OPTIONS] COMMAND [ARGS]...",
        "",
        f"  {SUMMARY}",
        "",
        *(f"  {line}" for line in RULES),
        "",
        "Options:",
        *_table(OPTIONS),
        "",
        "Commands:",
        *_table(rows),
    ]
    return "\n".join(lines) + "\n"


def _table(rows: dict[str, str]) -> list[str]:
    return [f"  {name.ljust(_COLUMN)}  {meaning}" for name, meaning in rows.items()]


def is_wide() -> bool:
    """Say whether the page fits as it is: anything narrower is for click to break."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns) >= WIDTH
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns >= WIDTH
    except (OSError, ValueError):
        return True


def show() -> int:
    """Print the page; return the exit code."""
    try:
        sys.stdout.write(text())
        sys.stdout.flush()
    except BrokenPipeError:
        leave_unread()
    return 0


def leave_unread() -> None:
    """Give up stdout: whoever read has seen enough, and Python would complain again when it flushes at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
