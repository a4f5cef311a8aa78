"""What unattended work depends on, looked at: interpreter, disk, permissions, clocks, zone data, programs."""

import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from duly.adapters import zones
from duly.adapters.clock import wall
from duly.adapters.home import Home
from duly.model.instant import SECOND_US, Instant, to_datetime, to_text

_SPACE_BYTES_MIN: Final = 200_000_000
_COMMAND_S: Final = 10
_PYTHON_MIN: Final = (3, 11)
# No clock of a machine that is set can show an earlier year than the one this was written in.
_YEAR_MIN: Final = 2026
_YEAR_MAX: Final = 2100
# A zone database older than this has missed several changes of the law.
_TZDATA_AGE_YEARS_MAX: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One thing that was looked at, and what mends it; `is_needed` False: nothing is broken where it is not good."""

    name: str
    is_good: bool
    message: str
    fix: str = ""
    is_needed: bool = True


def look(home: Home) -> Iterator[Look]:
    """Look at everything that does not need the ledger."""
    yield _python()
    yield from _directory(home)
    yield _clock()
    yield _git()
    yield _launcher()


def _python() -> Look:
    return Look(
        name="python",
        is_good=sys.version_info >= _PYTHON_MIN,
        message=f"{platform.python_version()} on {platform.platform(terse=True)}",
        fix="Install Python 3.11 or newer.",
    )


def _directory(home: Home) -> Iterator[Look]:
    if not home.root.exists():
        yield Look(
            name="data directory",
            is_good=True,
            message=f"{home.root} is made by the first command that needs it",
        )
        return
    yield _permissions(home.root)
    yield _space(home.root)
    yield _sync(home.root)


def _permissions(root: Path) -> Look:
    status = root.stat()
    mode = stat.S_IMODE(status.st_mode)
    return Look(
        name="data directory",
        is_good=not mode & 0o077 and status.st_uid == os.geteuid(),
        message=f"{root}, mode {mode:04o}, owned by uid {status.st_uid}",
        fix=f"chown it to the user who runs Duly, and chmod 700 {root}",
    )


def _space(root: Path) -> Look:
    free = shutil.disk_usage(root).free
    return Look(
        name="disk space",
        is_good=free >= _SPACE_BYTES_MIN,
        message=f"{free // 1_000_000} MB free",
        fix="Free some: nothing is admitted any more when the disk is nearly full.",
    )


def _sync(root: Path) -> Look:
    """Write and sync a file as the ledger would; a file system that cannot is no place for one."""
    try:
        with tempfile.NamedTemporaryFile(dir=root, prefix="doctor-") as file:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return Look(
            name="disk sync",
            is_good=False,
            message=f"a file in {root} cannot be written and synced ({error.strerror})",
            fix="Put the data directory on a local disk of this user.",
        )
    return Look(name="disk sync", is_good=True, message="a file can be written and synced")


def _clock() -> Look:
    at = wall()
    year = to_datetime(at).year
    return Look(
        name="clock",
        is_good=_YEAR_MIN <= year < _YEAR_MAX,
        message=to_text(Instant(at - at % SECOND_US)),
        fix="Set the clock, and let NTP keep it.",
    )


def look_at_zone_data(version: str, in_force: str | None) -> Look:
    """See whether this node's release of zone data is recent, and not older than the one that the ledger goes by."""
    if in_force is not None and version < in_force:
        return Look(
            name="time zone data",
            is_good=False,
            message=f"tzdata {version} here, but {in_force} in the ledger: no wall slot is answered here",
            fix="Upgrade the tzdata package on this node.",
        )
    year = version[:4]
    age = to_datetime(wall()).year - int(year) if year.isdigit() else 0
    return Look(
        name="time zone data",
        is_good=age < _TZDATA_AGE_YEARS_MAX,
        message=f"tzdata {version}",
        fix="Upgrade the tzdata package.",
    )


def _git() -> Look:
    found = shutil.which("git")
    return Look(
        name="git",
        is_good=found is not None,
        message=found or "not on PATH: automations that read a repository cannot run",
        fix="Install git, if one of yours does.",
        is_needed=False,
    )


def look_at_zone(of_workspace: str | None) -> Look:
    """Compare the workspace's zone with the host's."""
    of_host = zones.host_zone_name()
    if of_workspace is None:
        return Look(
            name="time zone",
            is_good=of_host is not None,
            message=f"{of_host or 'this host does not say its zone'}, for the workspace's first start",
            fix="Set DULY_TIMEZONE, or timezone in config.toml, such as Europe/Berlin.",
        )
    is_same = of_host in (None, of_workspace)
    beside = "" if is_same else f"; this host is set to {of_host}"
    return Look(
        name="time zone", is_good=True, message=f"the workspace's zone is {of_workspace}{beside}"
    )


def _launcher() -> Look:
    """See whether a program can be started the way agents are: by this interpreter, isolated."""
    source = Path(__file__).with_name("launch") / "launcher.py"
    reading = f"compile(open({str(source)!r}).read(), 'launcher', 'exec')"
    command = [sys.executable, "-I", "-S", "-c", reading]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_COMMAND_S
        )
        why = ended.stderr.strip().splitlines()[-1:] if ended.returncode else []
        is_good = ended.returncode == 0
    except (OSError, subprocess.TimeoutExpired) as error:
        why, is_good = [str(error)], False
    return Look(
        name="launcher",
        is_good=is_good,
        message=" ".join(why) or "programs can be started",
        fix="Install Duly anew.",
    )


def look_at_scans(
    owner: str | None, scanned_at: Instant | None, period_us: int, *, is_needed: bool = True
) -> Look:
    """See whether somebody scans: `owner` is who owns the data directory now, `period_us` the longest sleep.

    `is_needed`: something is scheduled.
    """
    at = wall()
    is_late = scanned_at is None or at - scanned_at > 2 * period_us
    if scanned_at is None:
        last = "nothing was ever scanned"
    else:
        last = f"the last scan was {max(0, at - scanned_at) // SECOND_US} s ago"
    if owner is None:
        return Look(
            name="scanner",
            is_good=not is_late,
            message=f"no server runs; {last}",
            fix="Start `duly serve`, or let `duly service install` start it."
            if is_needed
            else "Nothing is scheduled yet: `duly add` does that, then `duly serve` works on it.",
            is_needed=is_needed,
        )
    return Look(
        name="scanner",
        is_good=not is_late,
        message=f"{owner}; {last}",
        fix="It does not scan: look at its log, then restart it.",
    )


def look_at_notices(is_anybody_told: bool) -> Look:
    """See whether somebody is told when nobody watches."""
    return Look(
        name="notify",
        is_good=is_anybody_told,
        message="somebody is told of failures" if is_anybody_told else "nobody is told of failures",
        fix="Set DULY_NOTIFY to a URL, or notify_command in config.toml; a definition's `notify` does for itself.",
        is_needed=False,
    )


def look_at_names(unknown: Sequence[str]) -> Look:
    """See whether a variable was misspelled."""
    return Look(
        name="environment",
        is_good=not unknown,
        message=f"these mean nothing to Duly: {', '.join(unknown)}"
        if unknown
        else "no unknown DULY_ variable",
        fix="Correct the names: docs/configuration.md lists them.",
    )


def look_at_values(chosen: Sequence[str]) -> Look:
    """Tell what differs from its default, and where that was said."""
    return Look(name="settings", is_good=True, message=", ".join(chosen) or "all are the defaults")
