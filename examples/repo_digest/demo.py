"""`make demo`: the digest of a real repository, done once, killed in the middle, recovered, asked again, not repeated.

Everything is done with the `duly` command, in a data directory of its own under `.duly-demo/`; what the demo checks in
between, it asks the node. The first claim that is not true ends it with exit code 1.
"""

import hashlib
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NoReturn

from examples.repo_digest.demo_node import (
    HOLD,
    HOME,
    NODE_LOG,
    WORK,
    DemoError,
    Node,
    duly,
    end_leftovers,
    living,
    make_place,
    shown,
    wait_for,
)
from examples.repo_digest.demo_windows import Windows, choose, write_definition

KEY: Final = "repo-digest"
ON_TIME: Final = "on-time"
STEPS: Final = 9
LATE_S_MAX: Final = 5.0


class Story:
    """Numbered lines of progress; every claim is checked before it is told."""

    def __init__(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()
        self._step = 0

    def step(self, words: str) -> None:
        """Begin the next step."""
        self._step += 1
        print(f"\n[{self._step}/{STEPS}] {self.seconds():4.1f} s  {words}", flush=True)

    def tell(self, words: str) -> None:
        """Say what is going on."""
        print(f"      {words}", flush=True)

    def claim(self, is_true: bool, words: str, found: object = "") -> None:
        """Check a claim and tell it; raise DemoError if it is not true."""
        if not is_true:
            raise DemoError(f"not true: {words}" + (f" (found: {found})" if found != "" else ""))
        print(f"    ✓ {words}", flush=True)

    def seconds(self) -> float:
        """Return how long it has taken so far."""
        return time.monotonic() - self._began


def tell(story: Story, node: Node) -> Path:
    """Tell the whole story; return the report's path."""
    story.step("Choose windows and put the definition in force")
    windows = choose()
    write_definition(windows)
    story.tell(f"repository: {windows.note}")
    story.tell(f"windows: {windows.first}, {windows.second}; without commits: {windows.empty}")
    applied = duly("apply", "-f", "duly.yaml")["results"][0]
    story.claim(applied["verdict"] == "created", f"{KEY} is in force, revision 1", applied)
    story.step("Start a node")
    story.tell(f"`duly serve`, process {node.start()}, data directory {HOME}")
    first = run_first(story, windows)
    second = kill_in_the_middle(story, node, windows)
    recover(story, node, windows, second)
    ask_again(story, node, windows, first)
    decline(story, windows)
    fire_on_time(story, node, windows)
    prove(story, node, second)
    return report(windows.first)


def report(window: str) -> Path:
    """Return where the report of a window belongs."""
    return WORK / "reports" / f"{window}.md"


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_first(story: Story, windows: Windows) -> dict[str, Any]:
    """Do the work of one window."""
    story.step(f"Run window {windows.first}")
    answer: dict[str, Any] = duly("run", KEY, "--window", windows.first, "--wait")
    story.claim(answer["status"] == "completed", "completed, proven by its artifact", answer)
    published = answer["artifacts"][0]
    path = report(windows.first)
    story.claim(path.is_file(), f"published: {path}")
    story.claim(published["sha256"] == digest_of(path), "the ledger knows its SHA-256", published)
    story.claim(f"# What changed: `{windows.first}`" in path.read_text(), "it is that window's")
    return answer


def kill_in_the_middle(story: Story, node: Node, windows: Windows) -> str:
    """Start another window, and kill the node while its program is at work; return the run's id."""
    story.step(f"Run window {windows.second}, and kill the node in the middle")
    HOLD.touch()
    run_id: str = duly("run", KEY, "--window", windows.second)["run_id"]
    wait_for(lambda: is_half_way(node, run_id), "the program is half-way")
    before = node.ask("runs.show", run_id=run_id)["run"]
    story.claim(
        before["state"] == "analyzing", "the program has half of its report written", before
    )
    node.kill()
    story.tell("SIGKILL to the node")
    wait_for(lambda: not living(f"DULY_RUN_ID={run_id}\0"), "its program is dead")
    story.claim(not living(f"DULY_RUN_ID={run_id}\0"), "the program died with its node")
    story.claim(not report(windows.second).exists(), "nothing was published")
    return run_id


def recover(story: Story, node: Node, windows: Windows, run_id: str) -> None:
    """Start another node, which has to finish what the first one began."""
    story.step("Start the node again")
    HOLD.unlink()
    story.tell(f"process {node.start()}")
    answer = duly("run", KEY, "--window", windows.second, "--wait")
    story.claim(
        answer["run_id"] == run_id, "asked for again, the window means the same run", answer
    )
    found = node.ask("runs.show", run_id=run_id)
    story.claim(answer["status"] == "completed", "the run was resumed and completed", answer)
    story.claim(found["run"]["attempts"] == 2, "by its second attempt", found["run"])
    story.claim(len(found["artifacts"]) == 1, "with one artifact", found["artifacts"])
    ends = [one for one in node.ask("runs.events", run_id=run_id)["events"] if _settles(one)]
    story.claim(len(ends) == 1, "and settled once", ends)
    path = report(windows.second)
    is_same = path.is_file() and digest_of(path) == found["artifacts"][0]["sha256"]
    story.claim(is_same, f"published: {path}")


def _settles(event: dict[str, Any]) -> bool:
    return bool(event["body"].get("to") == "completed")


def ask_again(story: Story, node: Node, windows: Windows, first: dict[str, Any]) -> None:
    """Ask for the first window once more."""
    story.step(f"Ask for window {windows.first} again")
    path = report(windows.first)
    before = (digest_of(path), path.stat().st_mtime_ns, path.stat().st_ino)
    answer = duly("run", KEY, "--window", windows.first, "--wait")
    story.claim(answer["run_id"] == first["run_id"], "the same run answers", answer)
    story.claim(answer["verdict"] == "reuse", "verdict: reuse", answer["verdict"])
    after = (digest_of(path), path.stat().st_mtime_ns, path.stat().st_ino)
    story.claim(before == after, f"same bytes, SHA-256 {before[0][:12]}…, the file was not touched")
    runs = runs_of(node, KEY)
    story.claim(len(runs) == 2, "two windows, two runs", [run["window_key"] for run in runs])


def decline(story: Story, windows: Windows) -> None:
    """Ask for a window in which nothing happened."""
    story.step(f"Run window {windows.empty}, which has no commits")
    answer = duly("run", KEY, "--window", windows.empty, "--wait")
    story.claim(answer["status"] == "no-change", "no-change, by the precheck", answer)
    story.claim(not report(windows.empty).exists(), "and no report")


def fire_on_time(story: Story, node: Node, windows: Windows) -> None:
    """Add another automation by one line, due in a few seconds, and let it fire."""
    due = int(time.time()) + 4
    when = datetime.fromtimestamp(due, UTC).isoformat()
    story.step(f"Add another automation by one line, due at {when[11:19]}, and let it fire")
    words = ("git", "-C", str(windows.repository), "log", "-1", "--format=%h %s")
    duly("add", ON_TIME, "--once", when, "--", *words)
    wait_for(lambda: any(one["settled_at"] for one in runs_of(node, ON_TIME)), "its slot has fired")
    run = node.ask("runs.show", run_id=runs_of(node, ON_TIME)[0]["id"])
    answered = run["occurrences"][0]
    late = datetime.fromisoformat(answered["at"]).timestamp() - due
    story.claim(answered["cause"] == "timer", "its slot fired by itself", answered)
    story.claim(0 <= late < LATE_S_MAX, f"{late * 1000:.0f} ms after it was due", f"{late} s")
    story.claim(run["run"]["status"] == "completed", run["run"]["words"], run["run"])


def runs_of(node: Node, key: str) -> list[dict[str, Any]]:
    """Return the runs of an automation, newest first."""
    found: list[dict[str, Any]] = node.ask("runs.list", job_key=key)["runs"]
    return found


def is_half_way(node: Node, run_id: str) -> bool:
    """Say whether the run's program has told that it is held."""
    programs = node.ask("runs.show", run_id=run_id)["executions"]
    has_started = any(one["part"] == "agent" for one in programs)
    return has_started and "holding" in node.ask("logs.read", run_id=run_id, part="agent")["text"]


def prove(story: Story, node: Node, run_id: str) -> None:
    """Check the record, print it, and stop the node."""
    story.step("Check the record")
    audit = duly("audit", "verify")
    story.claim(audit["is_intact"], f"{audit['events']} events, every hash chain intact", audit)
    attention = node.ask("status")["needs_you"]
    story.claim(not attention, "nothing needs you", attention)
    shown("automation", "list")
    shown("automation", "show", KEY)
    shown("runs", "contract", run_id)
    node.stop()


def main() -> int:
    """Tell the story; whatever happens, no process of it stays."""
    story = Story()
    try:
        make_place()
        path = _told(story)
    except DemoError as error:
        print(f"\nFAILED after {story.seconds():.1f} s: {error}", file=sys.stderr)
        print(f"The node's log, if it came that far: {NODE_LOG}", file=sys.stderr)
        return 1
    print(f"\nAll of it is true, after {story.seconds():.1f} s. The report: {path}")
    return 0


def _told(story: Story) -> Path:
    node = Node()
    try:
        return tell(story, node)
    finally:
        HOLD.unlink(missing_ok=True)
        node.stop()
        end_leftovers()


def _interrupted(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    sys.exit(main())
