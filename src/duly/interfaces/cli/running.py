"""`duly run`: ask for a window to be worked on, and wait for it if told to."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

import click

from duly.adapters.clock import SystemClock
from duly.interfaces.cli import codes
from duly.interfaces.cli.codes import Exit
from duly.interfaces.cli.command import command, seconds
from duly.interfaces.cli.front import LIVE, Answer, AtWork, Front, is_news, is_over
from duly.interfaces.cli.printing import data, document, say
from duly.interfaces.cli.runs import NOBODY_WORKS, trouble_of
from duly.service.names import window

_FOREVER_S: Final = 10 * 365 * 86_400.0
# Verdicts on a run that was still at work: by the end of the waiting they tell nothing.
_SAYS_NOTHING: Final = frozenset({None, "joined", "busy"})


@command("run", "duly run report --window 2026-09-16 --wait")
@click.argument("key")
@click.option("--window", metavar="WINDOW", help="such as 2026-09-16; default: the current one")
@click.option("--idempotency-key", metavar="KEY", help="asked twice, it is answered once")
@click.option("--input-version", metavar="VERSION", help="a new one makes the window's work new")
@click.option("--redo", metavar="REASON", help="work on the window anew, though it is done")
@click.option(
    "--effects",
    type=click.Choice(["recorded", "update", "review"]),
    help="with --redo: what its outside changes do when they meet the recorded ones",
)
@click.option("--wait", is_flag=True, help="until it is over; the exit code tells how it ended")
@click.option(
    "--timeout", callback=seconds, metavar="DURATION", help="with --wait: 80s, 5m, 1h; or seconds"
)
def run(
    front: Front, as_json: bool, key: str, wait: bool, timeout: float | None, **wish: Any
) -> int:
    """Ask for a window to be worked on. Work that is done already is found, not repeated."""
    if timeout is not None and not wait:
        raise click.UsageError("--timeout needs --wait")
    if wish["effects"] and not wish["redo"]:
        raise click.UsageError("--effects needs --redo")
    # A key of its own names the occurrence, so that its verdict can be found.
    body = {"job_key": key, **wish, "idempotency_key": wish["idempotency_key"] or uuid.uuid4().hex}
    if not wait:
        return _admit(front, as_json, body)
    return start_and_wait(front, as_json, body, _FOREVER_S if timeout is None else timeout)


def _admit(front: Front, as_json: bool, body: Mapping[str, Any]) -> int:
    answer = front.ask("run.start", body)
    if as_json:
        document(answer)
    else:
        is_done = answer["run"] is not None and answer["run"]["status"] not in LIVE
        end = f"; it is {answer['run']['status']} ({answer['run']['words']})" if is_done else ""
        data(_admitted(answer) + end)
        if answer["run_id"] and not is_done and not front.is_served():
            say(f"{NOBODY_WORKS} or --wait")
    return Exit.CONFLICT if answer["disposition"] == "refused" else Exit.OK


def start_and_wait(front: Front, as_json: bool, body: Mapping[str, Any], timeout_s: float) -> int:
    """Ask for a run, wait until it is over, print it; return the exit code of its outcome."""
    with front.at_work() as place:
        started = place.ask("run.start", body)
        run_id = started["run_id"]
        if run_id is None:
            return _refused(started, as_json)
        if not as_json:
            say(_admitted(started))
        is_done = _wait(place, started, timeout_s, say if not as_json else _say_nothing)
        detail = place.ask("runs.show", {"run_id": run_id})
        trouble = trouble_of(place.ask, detail)
        answer = {**started, **_ending(started, detail), "is_over": is_done, "message": trouble}
        if as_json:
            document(answer)
        else:
            _tell(answer, detail)
            if not is_done and place.is_here:
                say("it is taken up again by the next `duly serve`, `duly tick` or --wait")
    return codes.OF_STATUS[answer["status"]] if is_done else Exit.TIMED_OUT


def _wait(place: AtWork, started: Answer, timeout_s: float, tell: Callable[[str], None]) -> bool:
    """Wait until a run is over, and tell each time what it waits for when that is something new."""
    told, until_s = None, _awake_s() + timeout_s
    run_id, occurrence_key = started["run_id"], started["occurrence_key"]
    while place.wait_news(run_id, occurrence_key, told, until_s - _awake_s()):
        detail = place.ask("runs.show", {"run_id": run_id})
        if is_over(detail, occurrence_key):
            return True
        if is_news(detail["run"], told):
            told = detail["run"]["reason"]
            tell(f"{detail['run']['words']}. {detail['run']['next_step']}".rstrip(". ") + ".")
    return False


def _awake_s() -> float:
    return SystemClock().read().awake_us / 1e6


def _say_nothing(_: str) -> None:
    """Keep it: a JSON document tells the whole at the end."""


def _refused(started: Answer, as_json: bool) -> int:
    if as_json:
        document(started)
    else:
        say(_admitted(started))
    return Exit.CONFLICT


def _ending(started: Answer, detail: Answer) -> Answer:
    run = detail["run"]
    mine = [
        one["verdict"]
        for one in detail["occurrences"]
        if one["occurrence_key"] == started["occurrence_key"]
    ]
    return {
        "id": run["id"],
        "status": run["status"],
        "outcome": run["outcome"],
        "reason": run["reason"],
        "why": run["words"],
        "verdict": mine[0] if mine else started["verdict"],
        "answered": {name: started[name] for name in ("disposition", "reason", "why")},
        "run": run,
        "artifacts": detail["artifacts"],
    }


def _admitted(answer: Answer) -> str:
    shown = window(answer["window_key"])
    of = (
        ""
        if shown is None
        else " by hand"
        if shown != answer["window_key"]
        else f" for window {shown}"
    )
    run_id = f": run {answer['run_id']}" if answer["run_id"] else ""
    # Whoever asked and got a run of his own knows why it started.
    why = f" ({answer['why']})" if answer["why"] and answer["disposition"] != "started" else ""
    again = ", as answered before" if answer["is_replay"] else ""
    return f"{answer['disposition']}{of}{run_id}{why}{again}"


def _tell(answer: Answer, detail: Answer) -> None:
    is_telling = answer["verdict"] not in _SAYS_NOTHING
    verdict = f", {answer['verdict']}" if is_telling else ""
    run = answer["run"]
    data(f"{run['id']}: {run['status']}{verdict} ({run['words']})")
    if answer["message"]:
        data(f"what happened: {answer['message']}")
    for artifact in detail["artifacts"]:
        data(f"artifact: {artifact['path']}")
    if answer["is_over"] and run["next_step"]:
        say(run["next_step"])
    if not answer["is_over"]:
        say("not over in time")
