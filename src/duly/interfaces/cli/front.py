"""What the composition root gives the command line: operations by name, wherever they are carried out."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

Answer = dict[str, Any]

LIVE: Final = frozenset({"running", "waiting"})


def is_over(detail: Answer, occurrence_key: str) -> bool:
    """Say whether a run, as `runs.show` tells it, is over, and the occurrence has its verdict."""
    if detail["run"]["status"] in LIVE:
        return False
    return all(
        one["verdict"] is not None
        for one in detail["occurrences"]
        if one["occurrence_key"] == occurrence_key and one["disposition"] == "joined"
    )


def is_news(run: Answer, told: str | None) -> bool:
    """Say whether a run waits for another reason than the one that was told."""
    return run["status"] == "waiting" and run["reason"] not in (None, told)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """How to serve: None leaves an address to the configuration. `is_quiet`: no line for each run."""

    bind: str | None
    has_http: bool
    is_quiet: bool


class AtWork(Protocol):
    """A place where what is admitted is also worked on: a running server, or this process for a while."""

    is_here: bool

    def ask(self, name: str, body: Mapping[str, Any]) -> Answer:
        """Carry out an operation."""
        ...

    def wait_news(
        self, run_id: str, occurrence_key: str, told: str | None, timeout_s: float
    ) -> bool:
        """Wait until the run `is_over`, or waits for another reason than `told`; False: not in time."""
        ...


class Front(Protocol):
    """The service as the command line sees it."""

    home: Path

    def ask(self, name: str, body: Mapping[str, Any]) -> Answer:
        """Carry out an operation: here, or by the server that owns the data directory."""
        ...

    def is_served(self) -> bool:
        """Say whether a server owns the data directory, so that what is admitted is also worked on."""
        ...

    def is_anybody_told(self) -> bool:
        """Say whether somebody is told of failures where a definition names nobody."""
        ...

    def at_work(self) -> AbstractContextManager[AtWork]:
        """Have a place that works: the server, or else an engine in this process, under the owner lock."""
        ...

    def serve(self, options: ServeOptions) -> int:
        """Work until told to stop; return the exit code."""
        ...

    def tick(self) -> bool:
        """Answer what is due and settle it, once; False: a server owns the directory and does so itself."""
        ...

    def migrate(self) -> None:
        """Bring the ledger up to date with this program, after a backup."""
        ...

    def rest(self) -> None:
        """Wait a moment before looking again."""
        ...

    def keep_traceback(self, error: BaseException) -> Path | None:
        """Write down how an unexpected error came about."""
        ...
