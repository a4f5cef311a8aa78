"""Zone data from the pinned `tzdata` package, never from the system; and the host's own zone name."""

import importlib
import importlib.resources
import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Final
from zoneinfo import ZoneInfo

from duly.model.errors import Fault, ValidationError
from duly.model.zone import Zone

_NAME_CHARS_MAX: Final = 64
_POINTER: Final = "/schedule/timezone"


class Zones(Mapping[str, Zone]):
    """Every zone of the pinned release by its name, read from the package when first asked for."""

    def __init__(self) -> None:
        self._root: Traversable = importlib.resources.files("tzdata")
        names = self._root.joinpath("zones").read_text(encoding="utf-8").split()
        self._loaded: dict[str, Zone | None] = dict.fromkeys(names)
        self.version: str = importlib.import_module("tzdata").IANA_VERSION
        self._families: Mapping[str, frozenset[str]] | None = None

    @property
    def known(self) -> Mapping[str, Zone]:
        """The zones as plain values, for code that may not load anything itself."""
        return self

    def __getitem__(self, name: str) -> Zone:
        zone = self._loaded[name]
        if zone is None:
            zone = self._loaded[name] = self._read(name)
        return zone

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)

    def load(self, name: str, *, pointer: str = _POINTER) -> Zone:
        """Return a zone by its IANA name; raise ValidationError naming similar ones when there is none."""
        if name in self._loaded:
            return self[name]
        raise ValidationError([self._unknown(name, pointer)])

    def _read(self, name: str) -> Zone:
        file = self._root.joinpath("zoneinfo", *name.split("/"))
        with file.open("rb") as data:
            info = ZoneInfo.from_file(data, key=name)
        if self._families is None:
            self._families = _families(self._root.joinpath("zoneinfo", "tzdata.zi"))
        names = self._families.get(name, frozenset())
        return Zone(name=name, info=info, version=self.version, names=names)

    def _unknown(self, name: str, pointer: str) -> Fault:
        if len(name) > _NAME_CHARS_MAX:
            message = f"a zone name of {len(name)} characters is none"
            return Fault(pointer=pointer, message=message, fix="use a name such as Asia/Taipei")
        folded = {known.casefold(): known for known in self._loaded}
        by_city = {known.casefold().rpartition("/")[2]: known for known in self._loaded}
        asked = name.casefold().replace(" ", "_")
        near = get_close_matches(asked, [*folded, *by_city], n=3, cutoff=0.7)
        names = dict.fromkeys((folded | by_city)[match] for match in near)
        fix = f"did you mean {' or '.join(names)}?" if names else "use a name such as Asia/Taipei"
        return Fault(pointer=pointer, message=f"there is no time zone {name!r}", fix=fix)


def _families(compiled: Traversable) -> Mapping[str, frozenset[str]]:
    """Return for each name all names of the same zone, by the links `L target name` of a release's own text."""
    target_of: dict[str, str] = {}
    for line in compiled.read_text(encoding="utf-8").splitlines():
        if line.startswith("L "):
            _, target, name = line.split()
            target_of[name] = target
    families: dict[str, set[str]] = {}
    for name, target in target_of.items():
        # A link may lead to another link.
        families.setdefault(target_of.get(target, target), set()).update((name, target))
    return {name: frozenset(family) for family in families.values() for name in family}


def host_zone_name(environ: Mapping[str, str] = os.environ, etc: Path = Path("/etc")) -> str | None:
    """Return the IANA name of the host's zone, not checked to exist; None when the host does not say."""
    named = environ.get("TZ", "").removeprefix(":")
    # A path to no zone's file, such as /etc/localtime, means what the host says.
    zone = _after_zoneinfo(named) if named.startswith("/") else named
    if zone:
        return zone
    try:
        linked = _after_zoneinfo(os.readlink(etc / "localtime"))
    except OSError:
        linked = None
    return linked or _first_line(etc / "timezone")


def _after_zoneinfo(path: str) -> str | None:
    parts = PurePosixPath(path).parts
    if "zoneinfo" not in parts:
        return None
    return "/".join(parts[parts.index("zoneinfo") + 1 :]) or None


def _first_line(file: Path) -> str | None:
    try:
        lines = file.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        return None
    return lines[0] if lines else None
