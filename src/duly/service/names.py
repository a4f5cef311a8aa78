"""Names as people read and paste them: the beginning of a run's id, commands with the names they are about."""

import re
from typing import Final

# `r_`, eight digits that all runs of an automation share, and eight that tell them apart.
_SHORT: Final = 18
_OF_ITS_OWN: Final = "manual:"
# What stands for a name in the commands of a next step.
_PLACES: Final = re.compile(r"\b(?:KEY|W|RUN)\b(?=[^`]*`)")


def short(run_id: str) -> str:
    """Return the beginning of a run's id, by which every command finds it."""
    return run_id[:_SHORT]


def window(key: str | None) -> str | None:
    """Return a window's key; a request that has a window of its own is told apart by nothing a person knows."""
    return "by hand" if key is not None and key.startswith(_OF_ITS_OWN) else key


def named(step: str, job_key: str, window_key: str | None, run_id: str | None) -> str:
    """Return a next step with the names it is about, so that its commands can be pasted."""
    names = {"KEY": job_key, "W": window_key, "RUN": run_id and short(run_id)}
    return _PLACES.sub(lambda found: names[found[0]] or found[0], step)
