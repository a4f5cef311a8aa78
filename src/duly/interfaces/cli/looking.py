"""`duly status`, `explain`, `logs`, `doctor`: what is, and why."""

import sys
from collections.abc import Mapping
from typing import Any, Final

import click

from duly.interfaces.cli.codes import Exit
from duly.interfaces.cli.command import command
from duly.interfaces.cli.front import Answer, Front
from duly.interfaces.cli.printing import clean, document, one_line, say, sentence
from duly.service.names import short

_RUN_PREFIX: Final = "r_"


@command("status", "duly status")
def status(front: Front, as_json: bool) -> None:
    """Say in ten lines what ran, what did not and why, and what needs you."""
    answer = front.ask("status", {})
    if as_json:
        document(answer)
        return
    for line in answer["lines"]:
        sentence(line)


@command("explain", "duly explain report --at 2026-09-16T09:00")
@click.argument("key")
@click.option("--at", metavar="TIME", help="2026-09-16T09:00, read in its zone; default: now")
def explain(front: Front, as_json: bool, key: str, at: str | None) -> None:
    """Say why an automation ran, did not run, or will."""
    answer = front.ask("explain", {"job_key": key, "at": at})
    if as_json:
        document(answer)
        return
    for line in answer["sentences"]:
        sentence(line)


@command("logs", "duly logs report -f")
@click.argument("target", metavar="KEY|RUN")
@click.option("-f", "--follow", is_flag=True, help="until the program is over")
@click.option("--part", help="precheck, agent or verify; default: the newest")
def logs(front: Front, as_json: bool, target: str, follow: bool, part: str | None) -> None:
    """Print what a run's program printed; of an automation, its newest run's."""
    named = "run_id" if target.startswith(_RUN_PREFIX) else "job_key"
    wish = {named: target} | ({"part": part} if part else {})
    answer = front.ask("logs.read", wish)
    if as_json:
        document(_whole(front, wish, answer))
        return
    _head(answer)
    _print(answer)
    while not answer["is_final"] or answer["text"]:
        if not answer["text"]:
            if not follow:
                return
            front.rest()
        # The run is named by now, so that a newer one does not slip in.
        wish = {"run_id": answer["run_id"], "part": answer["part"]}
        answer = front.ask("logs.read", {**wish, "offset": answer["next_offset"]})
        _print(answer)


def _head(answer: Answer) -> None:
    """Say whose log it is: an automation's newest run is not always the one that is meant."""
    part = answer["part"] or "nothing has started yet"
    silent = "" if answer["text"] or not answer["is_final"] else "; it printed nothing"
    say(f"{short(answer['run_id'])}, {answer['status']}: {part}{silent}")


def _whole(front: Front, wish: Mapping[str, Any], answer: Answer) -> Answer:
    text = answer["text"]
    while answer["text"]:
        answer = front.ask("logs.read", {**wish, "offset": answer["next_offset"]})
        text += answer["text"]
    return {**answer, "text": text}


def _print(answer: Answer) -> None:
    text = answer["text"]
    # Whoever keeps it in a file gets what was printed; a terminal would obey it.
    sys.stdout.write(clean(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


@command("doctor", "duly doctor")
def doctor(front: Front, as_json: bool) -> int:
    """Find out what is wrong with this installation, and what mends it."""
    answer = front.ask("doctor", {})
    if as_json:
        document(answer)
    else:
        for check in answer["checks"]:
            sentence(finding_line(check))
        say(_verdict(answer))
    return Exit.OK if answer["is_good"] else Exit.CONFLICT


def _verdict(answer: Answer) -> str:
    bad = [check for check in answer["checks"] if not check["is_good"]]
    broken = sum(check["is_needed"] for check in bad)
    if broken:
        return f"{broken} broken: do what stands behind FAIL, then ask again"
    return "nothing is broken; what stands behind warn is worth a look" if bad else "all is well"


def finding_line(check: Mapping[str, Any]) -> str:
    """Return one line for one thing that was looked at, with what mends it."""
    fix = f" — {one_line(check['fix'])}" if check["fix"] and not check["is_good"] else ""
    mark = "ok  " if check["is_good"] else "FAIL" if check["is_needed"] else "warn"
    return f"{mark}  {check['name']}: {one_line(check['message'])}{fix}"
