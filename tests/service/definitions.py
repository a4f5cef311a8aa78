"""What tests of definitions share: a directory, a context, and a way to prepare a text."""

import hashlib
import textwrap
from pathlib import Path

from duly.adapters.zones import Zones
from duly.model.errors import Fault, ValidationError
from duly.model.instant import MINUTE_US, SECOND_US, Instant
from duly.model.plan import Plan
from duly.service.definition import source
from duly.service.definition.context import PlanContext
from duly.service.definition.prepare import PreparedDefinition, prepare

CREATED_AT = Instant(1_772_375_842_000_000)  # 2026-03-01T14:37:22Z
PLAIN = """
    job_key: digest
    schedule: {rrule: FREQ=DAILY;BYHOUR=9, timezone: Europe/Berlin}
    agent: {command: [sh, -c, "true"]}
    result_artifact: reports/{window}.md
"""


def context(base: Path, previous: Plan | None = None) -> PlanContext:
    """Return a context with the default tolerances and the zone Asia/Taipei."""
    return PlanContext(
        base=base,
        home=base / "duly-home",
        path="/usr/bin:/bin",
        zone="Asia/Taipei",
        planned_at=CREATED_AT,
        load_zone=Zones().load,
        keep_bytes=lambda data: hashlib.sha256(data).hexdigest(),
        tolerance_us_min=30 * SECOND_US,
        tolerance_us=5 * MINUTE_US,
        previous=previous,
    )


def prepared(text: str, base: Path, previous: Plan | None = None) -> PreparedDefinition:
    """Prepare one definition."""
    (written,) = source.read(textwrap.dedent(text))
    return prepare(written, context(base, previous))


def faults(text: str, base: Path) -> list[Fault]:
    """Return what is wrong with a definition."""
    try:
        prepared(text, base)
    except ValidationError as error:
        return list(error.faults)
    return []
