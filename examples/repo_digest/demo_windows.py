"""Which windows the demo shows: two past ones with commits and one without, of a real repository."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import yaml

import duly
from examples.repo_digest.demo_node import ENVIRONMENT, HERE, HOLD, PLACE, ROOT, WORK, DemoError

_GIT: Final = ("git", "-c", "user.name=Duly demo", "-c", "user.email=demo@localhost")
# As Duly itself calls git: with nothing of the user's settings, and whoever owns the repository.
_GIT_CONFIG: Final = Path(duly.__file__).parent / "adapters" / "files" / "git.config"


@dataclass(frozen=True)
class Windows:
    """Two past windows with commits and one without, of a repository; `note` says where they are from."""

    repository: Path
    period: str
    first: str
    second: str
    empty: str
    note: str


def choose() -> Windows:
    """Choose windows from the history of the repository; where it is too young, from a copy with commits added."""
    source = Path(os.environ.get("DULY_DEMO_REPO") or ROOT).resolve()
    now = int(time.time())
    for period, size in (("day", 86_400), ("hour", 3_600)):
        if found := windows_of(source, period, size, now):
            return found
    copy = copy_of(source, now)
    found = windows_of(
        copy, "day", 86_400, now, f"a copy of {source} with two commits of the demo's own"
    )
    assert found is not None
    return found


def windows_of(
    repository: Path, period: str, size: int, now: int, note: str = ""
) -> Windows | None:
    """Return the newest windows of a period, if its commits fill two; a window reads the period before it."""
    listed = _git(repository, "log", "--format=%ct", "HEAD", may_fail=True).split()
    filled = {int(seconds) // size for seconds in listed}
    past = sorted(number for number in filled if number < now // size)
    if len(past) < 2:
        return None
    empty = next(n for n in range(now // size - 1, 0, -1) if n not in filled)
    pattern = "%Y-%m-%d" if period == "day" else "%Y-%m-%dT%H"
    first, second, none = (
        datetime.fromtimestamp((number + 1) * size, UTC).strftime(pattern)
        for number in (past[-2], past[-1], empty)
    )
    return Windows(repository, period, first, second, none, note or f"{repository}, as it is")


def copy_of(source: Path, now: int) -> Path:
    """Copy a repository that is too young or too shallow, and add a commit to each of the two days before today."""
    copy = PLACE / "repository"
    if _git(source, "rev-parse", "--verify", "HEAD", may_fail=True):
        _git(PLACE, "clone", "--quiet", "--template=", "--", str(source), str(copy))
    else:
        _git(PLACE, "init", "--quiet", "--template=", "--", str(copy))
    for days in (2, 1):
        noon = f"@{(now // 86_400 - days) * 86_400 + 43_200} +0000"
        file = copy / "duly-demo.md"
        with file.open("a", encoding="utf-8") as text:
            text.write(f"Written by the demo, {days} days back.\nTODO: remove line {days}\n")
        _git(copy, "add", "--force", "--", file.name)
        _git(copy, "commit", "--quiet", "-m", f"Demo: {days} days back", date=noon)
    return copy


def _git(at: Path, *arguments: str, date: str = "", may_fail: bool = False) -> str:
    ended = _run([*_GIT, *arguments], at, date)
    if ended.returncode and not may_fail:
        raise DemoError(f"git {arguments[0]}: {ended.stderr.strip()}")
    return "" if ended.returncode else ended.stdout


def _run(argv: list[str], at: Path, date: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("GIT_")}
    settings = {"GIT_CONFIG_GLOBAL": str(_GIT_CONFIG), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    try:
        return subprocess.run(
            argv,
            cwd=at,
            env=kept | settings | dates,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise DemoError(f"{error.filename}: {error.strerror}") from None


def write_definition(windows: Windows) -> None:
    """Take the example's definition; name the repository, the interpreter, and what only the demo needs."""
    written = yaml.safe_load((HERE / "duly.yaml").read_text(encoding="utf-8"))
    now = datetime.fromtimestamp(time.time(), UTC)
    # As far from now as can be, so that no slot of its own falls into the demo.
    far = (
        f"FREQ=DAILY;BYHOUR={(now.hour + 12) % 24};BYMINUTE=30"
        if windows.period == "day"
        else f"FREQ=HOURLY;BYMINUTE={(now.minute + 30) % 60}"
    )
    written["schedule"]["rrule"] = far
    written["window"]["period"] = windows.period
    written["inputs"]["repo"] = str(windows.repository)
    for command in (written["agent"]["command"], written["precheck"]):
        command[0] = sys.executable
    written["agent"]["env"] = {"DIGEST_HOLD": str(HOLD)}
    text = yaml.safe_dump(written, sort_keys=False)
    (WORK / "duly.yaml").write_text(text, encoding="utf-8")
    shutil.copy(HERE / "digest.py", WORK)
