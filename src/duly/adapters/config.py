"""Configuration: the first of environment, file and default that names a value wins; each keeps its origin."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from duly.model.errors import Fault, ValidationError

PREFIX: Final = "DULY_"
# What the composition root itself needs; the settings of the engine come beside these.
OWN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "timezone": "zone of the workspace at its first start; later it is what the ledger says",
        "bind": "address that `serve` listens on; port 0 takes any free one",
        "allowed_hosts": "names besides the loopback ones by which requests may address the server",
        "beyond_loopback": "`yes` lets `serve` listen on an address that other machines reach",
        "notify": "URL that is posted to when somebody has to be told",
        "notify_command": "command that is run when somebody has to be told",
    }
)
_LISTS: Final = frozenset({"allowed_hosts", "notify_command"})
_DEFAULTS: Final = {"bind": "127.0.0.1:0", "beyond_loopback": "no"}
_SECRET: Final = frozenset({"notify"})
# Names that mean something else than a setting.
_NOT_SETTINGS: Final = frozenset({"home", "demo_repo"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value and where it comes from: a variable, or the file."""

    text: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Everything that was configured; `unknown` names DULY_ variables that mean nothing to Duly."""

    values: Mapping[str, Value]
    lists: Mapping[str, tuple[str, ...]]
    unknown: tuple[str, ...]

    def text(self, name: str) -> str | None:
        """Return a value, or its default, or None."""
        found = self.values.get(name)
        return _DEFAULTS.get(name) if found is None else found.text

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list, empty where none is given."""
        return self.lists.get(name, ())

    @property
    def tells_somebody(self) -> bool:
        """Whether somebody is told of failures where a definition names nobody."""
        return bool(self.text("notify") or self.words("notify_command"))

    @property
    def chosen(self) -> tuple[str, ...]:
        """Each value that was given, with its origin; a URL for notices may hold a secret and is left out."""
        return tuple(
            f"{name} ({value.origin})" if name in _SECRET else _shown(name, value)
            for name, value in sorted(self.values.items())
        )

    def only(self, names: Iterable[str]) -> dict[str, str]:
        """Return the texts of those names that are given."""
        return {name: self.values[name].text for name in names if name in self.values}


def read(environ: Mapping[str, str], file: Path, settings: Iterable[str]) -> Configuration:
    """Gather what is configured; `settings` are further names. Raises ValidationError with all faults of the file."""
    known = frozenset(OWN) | frozenset(settings)
    values = {name: Value(text=text, origin=str(file)) for name, text in _of_file(file, known)}
    lists = {name: _words(value.text) for name, value in values.items() if name in _LISTS}
    for name in known:
        variable = PREFIX + name.upper()
        if environ.get(variable):
            values[name] = Value(text=environ[variable], origin=variable)
            if name in _LISTS:
                lists[name] = tuple(environ[variable].split())
    return Configuration(values=values, lists=lists, unknown=_unknown(environ, known))


def _of_file(file: Path, known: frozenset[str]) -> list[tuple[str, str]]:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        fault = Fault(pointer="", message=f"{file} cannot be read: {error}", fix="correct it")
        raise ValidationError([fault]) from None
    found = [_fault(name, value, known, file.name) for name, value in data.items()]
    if faults := [fault for fault in found if fault is not None]:
        raise ValidationError(faults)
    return [(name, _text(value)) for name, value in data.items()]


def _fault(name: str, value: Any, known: frozenset[str], file: str) -> Fault | None:
    if name not in known:
        near = get_close_matches(name, known, n=1)
        fix = f"did you mean {near[0]}?" if near else "see docs/configuration.md"
        return Fault(pointer=f"/{name}", message=f"{file}: there is no setting {name}", fix=fix)
    if name in _LISTS:
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return None
        return Fault(
            pointer=f"/{name}", message=f"{file}: {name} is a list of texts", fix='write ["…", "…"]'
        )
    if isinstance(value, str | int):
        return None
    return Fault(
        pointer=f"/{name}", message=f"{file}: {name} is one text or number", fix='write "…"'
    )


def _shown(name: str, value: Value) -> str:
    return f"{name} = {value.text.replace(chr(0), ' ')} ({value.origin})"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "\0".join(value) if isinstance(value, list) else str(value)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split("\0")) if text else ()


def _unknown(environ: Mapping[str, str], known: frozenset[str]) -> tuple[str, ...]:
    meant = known | _NOT_SETTINGS
    return tuple(
        sorted(
            name
            for name in environ
            if name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() not in meant
        )
    )
