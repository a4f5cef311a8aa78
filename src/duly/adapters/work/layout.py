"""Where the work of a run lies in the data directory."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from duly.adapters.files.bytes_store import BytesStore
from duly.adapters.launch.launch import Launchers
from duly.adapters.launch.log import LogLimits
from duly.adapters.work.requests import Part
from duly.model.instant import Instant
from duly.model.plan import Isolation


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What every performer works with: the data directory, bytes, launchers, clock, and the node's environment.

    `matches(globs, path)` is the rule of what a scope names; it is decided elsewhere. `umask` is that of programs.
    """

    home: Path
    bytes: BytesStore
    launchers: Launchers
    clock: Callable[[], Instant]
    environ: Mapping[str, str] = field(repr=False)
    log_limits: LogLimits
    matches: Callable[[Sequence[str], str], bool]
    umask: int

    @property
    def stages(self) -> Path:
        """The directory with one entry for each run that has a working copy."""
        return self.home / "stage"

    @property
    def logs(self) -> Path:
        """Logs of programs that still run, and the launchers' records."""
        return self.home / "logs"

    @property
    def notices(self) -> Path:
        """The notices that are being told, a file for each."""
        return self.home / "notices"

    def stage(self, run_id: str) -> "Stage":
        """Return the places of one run."""
        return Stage(root=self.stages / run_id)

    def private_home(self, automation_id: str) -> Path:
        """Return the HOME that an automation's programs get unless they inherit the user's."""
        return self.home / "homes" / automation_id

    def live_log(self, token: str) -> Path:
        """Return the growing log of an execution."""
        return self.logs / f"{token}.log"

    def record(self, token: str) -> Path:
        """Return the file in which a launcher repeats what it says; it survives the node."""
        return self.logs / f"{token}.record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The places of one run: the frozen base copy, and one directory for each attempt."""

    root: Path

    @property
    def base(self) -> Path:
        """The frozen copy that every attempt starts from."""
        return self.root / "base"

    def attempt(self, fence: int) -> Path:
        """Return the directory of one attempt."""
        return self.root / str(fence)

    def copy(self, fence: int) -> Path:
        """Return the working copy of one attempt."""
        return self.attempt(fence) / "work"

    def checkout(self, fence: int) -> Path:
        """Return the checkout of the repository that an attempt reads."""
        return self.attempt(fence) / "repo"

    def prompt(self, fence: int) -> Path:
        """Return the file with the rendered prompt."""
        return self.attempt(fence) / "prompt.md"

    def temporary(self, fence: int) -> Path:
        """Return the TMPDIR of an attempt."""
        return self.attempt(fence) / "tmp"

    def before(self, fence: int) -> Path:
        """Return the file that tells how a directory stood before an attempt worked in it."""
        return self.attempt(fence) / "before.json"


def is_repository_root(part: Part) -> bool:
    """Say whether the work happens in the repository that is read: then the copy is its checkout."""
    return part.work.inputs.repo is not None and part.work.inputs.repo == part.work.root


def is_itself(directory: Path) -> bool:
    """Say whether a directory is there under its own name: no link has taken its place, or that of one above it."""
    return directory.is_dir() and os.path.realpath(directory) == str(directory)


def root_of(part: Part, workshop: Workshop) -> Path:
    """Return the directory that the programs of an attempt work in."""
    if part.work.isolation is Isolation.IN_PLACE:
        return Path(part.work.root)
    return workshop.stage(part.pin.run_id).copy(part.fence)
