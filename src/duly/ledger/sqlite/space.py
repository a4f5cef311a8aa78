"""Room on the ledger's disk: seen early, and a ballast that lets outcomes be recorded when it is gone."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MEBIBYTE: Final = 1024 * 1024
_LOOK_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceLimits:
    """How much room is kept: below `free_bytes_min` nothing is admitted; `ballast_bytes` are given up for outcomes."""

    ballast_bytes: int = 8 * MEBIBYTE
    free_bytes_min: int = 64 * MEBIBYTE


class Space:
    """The room of one ledger; `timer` counts nanoseconds. The disk is looked at once a second at most."""

    def __init__(self, path: Path, limits: SpaceLimits, timer: Callable[[], int]) -> None:
        self.ballast: Final = path.with_name(path.name + ".ballast")
        self._folder = path.parent
        self._limits = limits
        self._timer = timer
        self._looked_at: int | None = None
        self._free_bytes = 0
        self.restore()

    @property
    def is_low(self) -> bool:
        """Whether nothing new should be admitted: little room is left, or the ballast is spent."""
        return self._free() < self._limits.free_bytes_min or not self._has_ballast()

    def spend(self) -> bool:
        """Give the ballast's room to the ledger; False when it was spent before."""
        try:
            self.ballast.unlink()
        except FileNotFoundError:
            return False
        self._looked_at = None
        return True

    def restore(self) -> None:
        """Take the ballast's room again, once there is enough beside it."""
        if self._has_ballast():
            return
        if self._free() < self._limits.free_bytes_min + self._limits.ballast_bytes:
            return
        try:
            with self.ballast.open("wb") as file:
                _reserve(file.fileno(), self._limits.ballast_bytes)
        except OSError:
            # Somebody else took the room in between; another look follows.
            self.ballast.unlink(missing_ok=True)
        self._looked_at = None

    def _has_ballast(self) -> bool:
        try:
            return self.ballast.stat().st_size >= self._limits.ballast_bytes
        except FileNotFoundError:
            return False

    def _free(self) -> int:
        now, looked_at = self._timer(), self._looked_at
        if looked_at is None or now - looked_at >= _LOOK_NS:
            self._looked_at = now
            disk = os.statvfs(self._folder)
            self._free_bytes = disk.f_bavail * disk.f_frsize
        return self._free_bytes


def _reserve(descriptor: int, count: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, count)
    else:
        os.write(descriptor, bytes(count))
    os.fsync(descriptor)
