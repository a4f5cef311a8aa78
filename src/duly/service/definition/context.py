"""Everything outside a document that its plan depends on: where it stands, who asks, what the machine has."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from duly.model.errors import Fault
from duly.model.instant import Instant
from duly.model.plan import Plan
from duly.model.zone import Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanContext:
    """What a plan is made from, besides its document.

    `base` is the directory that relative paths start from; `path` the PATH in which programs are looked up, recorded in
    the plan; `load_zone` raises ValidationError for a name it does not know; `keep_bytes` stores a file's bytes and
    returns their SHA-256; `previous` is the plan in force, whose DTSTART and window period an edit keeps.
    """

    base: Path
    home: Path
    path: str
    zone: str
    planned_at: Instant
    load_zone: Callable[[str], Zone]
    keep_bytes: Callable[[bytes], str]
    tolerance_us_min: int
    tolerance_us: int
    previous: Plan | None


@dataclass(slots=True)
class Findings:
    """Faults and warnings found so far; every part of a document adds its own, so that all are told at once."""

    faults: list[Fault]
    warnings: list[Fault]

    def fault(self, pointer: str, message: str, fix: str = "") -> None:
        """Note something that keeps the document from being honoured."""
        self.faults.append(Fault(pointer=pointer, message=message, fix=fix))

    def warn(self, pointer: str, message: str, fix: str = "") -> None:
        """Note something that will surprise."""
        self.warnings.append(Fault(pointer=pointer, message=message, fix=fix))
