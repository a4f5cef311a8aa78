"""Everything that is configured, read once: what interfaces need, and the settings of the engine."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from duly.adapters import config
from duly.adapters.config import Configuration
from duly.adapters.zones import Zones, host_zone_name
from duly.engine.settings import Settings, written
from duly.model.errors import Fault, ValidationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """What people said, and the settings of the engine that follow from it."""

    said: Configuration
    settings: Settings


def read(environ: Mapping[str, str], file: Path) -> Configured:
    """Read environment and file. Raises ValidationError with every fault, each with its origin."""
    names = [written(one.name) for one in dataclasses.fields(Settings)]
    said = config.read(environ, file, names)
    try:
        settings = Settings.from_texts(said.only(names))
    except ValidationError as error:
        raise ValidationError([_placed(fault, said) for fault in error.faults]) from None
    return Configured(said=said, settings=settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What could be read of the configuration, and the fault of what could not; then all else is the default."""

    found: Configured
    fault: ValidationError | None

    @property
    def whole(self) -> Configured:
        """What is configured. Raises ValidationError where not all of it could be read."""
        if self.fault is not None:
            raise self.fault
        return self.found


def look(environ: Mapping[str, str], file: Path) -> Looked:
    """Read environment and file; a doctor goes on where they are at fault."""
    try:
        return Looked(found=read(environ, file), fault=None)
    except ValidationError as error:
        plain = Configuration(values={}, lists={}, unknown=())
        return Looked(found=Configured(said=plain, settings=Settings()), fault=error)


def first_zone(said: Configuration, zones: Zones) -> str:
    """Return the zone for the first start of all: as configured, or the host's. Raises ValidationError."""
    name = said.text("timezone") or host_zone_name()
    if name is not None:
        return zones.load(name, pointer="/timezone").name
    fault = Fault(
        pointer="/timezone",
        message="this host does not say its time zone",
        fix='set DULY_TIMEZONE, or timezone = "Europe/Berlin" in config.toml',
    )
    raise ValidationError([fault])


def _placed(fault: Fault, said: Configuration) -> Fault:
    """Say where a bad value was given."""
    names = fault.pointer.strip("/")
    value = said.values.get(names) or said.values.get(written(names))
    return fault if value is None else replace(fault, message=f"{value.origin}: {fault.message}")
