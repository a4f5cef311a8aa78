"""Plans from their stored text, each decoded and compiled once: many automations share the same timing."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from duly.model import codec
from duly.model.errors import DulyError
from duly.model.instant import Instant
from duly.model.plan import Timing, Work
from duly.model.timing import OnceInstant, OnceLocal, RuleSpec
from duly.model.zone import Zone
from duly.recurrence.schedule import Schedule, compile_rule

Zones = Mapping[str, Zone]

NO_ZONES: Final[Zones] = MappingProxyType({})


class ZoneUnknownError(DulyError):
    """The zone data of this node does not know the zone. Upgrade tzdata, or edit the automation."""

    code = "zone-unknown"


@lru_cache(maxsize=4096)
def timing_of(text: str) -> Timing:
    """Return the timing that a revision stores."""
    return codec.load(Timing, text)


@lru_cache(maxsize=512)
def work_of(text: str) -> Work:
    """Return the work that a revision stores."""
    return codec.load(Work, text)


def zone_of(timing: Timing, zones: Zones) -> Zone:
    """Return the zone that a timing is read in. Raises ZoneUnknownError."""
    try:
        return zones[timing.zone]
    except KeyError:
        raise ZoneUnknownError(
            f"the zone {timing.zone!r} is not known here",
            fix="upgrade tzdata, or edit the automation's timezone",
        ) from None


def schedule_of(timing: Timing, zones: Zones) -> Schedule | None:
    """Return the schedule of a timing, within its bounds; None without a rule. Raises ZoneUnknownError."""
    return compiled(timing, zone_of(timing, zones))


def compiled(timing: Timing, zone: Zone) -> Schedule | None:
    """Return the schedule of a timing read in its zone."""
    if timing.rule is None:
        return None
    return _compiled(timing.rule, zone, timing.valid_from, timing.valid_until)


@lru_cache(maxsize=4096)
def _compiled(
    rule: RuleSpec, zone: Zone, valid_from: Instant | None, valid_until: Instant | None
) -> Schedule:
    return compile_rule(rule, zone).bounded(valid_from, valid_until)


def is_once(timing: Timing) -> bool:
    """Say whether a timing names a single slot."""
    return isinstance(timing.rule, OnceLocal | OnceInstant)
