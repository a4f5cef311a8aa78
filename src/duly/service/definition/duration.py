"""Durations as people write them: `90s`, `15m`, `2h`, `1d`; always with a unit."""

import re
from typing import Final

from duly.model.instant import DAY_US, HOUR_US, MINUTE_US, SECOND_US

_UNITS: Final = {"s": SECOND_US, "m": MINUTE_US, "min": MINUTE_US, "h": HOUR_US, "d": DAY_US}
_TEXT: Final = re.compile(r"([0-9]{1,9})(min|[smhd])")
_SECONDS: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?")
LONGEST_US: Final = 3660 * DAY_US


def read(text: str) -> int:
    """Return microseconds. Raises ValueError for anything but a whole number with one of the units s, m, h, d.

    `min` is read as `m`: settings write it so.
    """
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise ValueError("write a whole number and a unit, such as 90s, 15m, 2h or 1d")
    duration_us = int(match[1]) * _UNITS[match[2]]
    if duration_us > LONGEST_US:
        raise ValueError("ten years is the longest duration")
    return duration_us


def read_wait(text: str) -> int:
    """Return microseconds of a time to wait, as `read` does, or from plain seconds. Raises ValueError."""
    if _SECONDS.fullmatch(text.strip()) is None:
        return read(text)
    whole, _, parts = text.strip().partition(".")
    return read(f"{whole}s") + int(parts.ljust(6, "0"))


def write(duration_us: int) -> str:
    """Return the shortest text that reads back as the same duration; parts below a second are cut."""
    for unit in "dhm":
        if duration_us and duration_us % _UNITS[unit] == 0:
            return f"{duration_us // _UNITS[unit]}{unit}"
    return f"{duration_us // SECOND_US}s"
