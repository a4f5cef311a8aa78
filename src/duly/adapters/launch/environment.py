"""Builds the environment of a child: an allow-list of basics, what was declared, and secrets fetched last."""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from duly.model.errors import DulyError, Fault, ValidationError

BASICS: Final = ("PATH", "USER", "LOGNAME", "LANG", "TZ")
# These have declarations of their own; a second way to say them would leave it open which one holds.
RESERVED: Final = ("HOME", "TMPDIR")
SECRET_BYTES_MAX: Final = 65_536
_PREFIX: Final = "DULY_"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OTHERS_BITS: Final = 0o077


class SecretUnavailableError(DulyError):
    """A secret cannot be fetched by its reference. Provide it, then resume the run."""

    code = "secret-unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnvironment:
    """What a child gets, and the values in it that must never be shown."""

    values: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentRequest:
    """What the environment is made of.

    `node` is the node's own environment: only the basics, and what `env:` references name, are taken from it.
    `path` is the PATH as recorded when the automation was made; `duly` holds the `DULY_*` variables.
    """

    node: Mapping[str, str] = field(repr=False)
    path: str | None
    declared: Mapping[str, str]
    secrets: Mapping[str, str]
    home: Path
    temporary: Path
    duly: Mapping[str, str]


def child_environment(request: EnvironmentRequest) -> ChildEnvironment:
    """Return the environment; raises SecretUnavailableError naming variable and reference, never a value."""
    wrong = faults(request.declared, request.secrets)
    if wrong:
        raise ValidationError(wrong)
    basics = {name: request.node[name] for name in BASICS if name in request.node}
    if request.path is not None:
        basics["PATH"] = request.path
    fetched = {
        name: fetch(reference, request.node, name=name)
        for name, reference in request.secrets.items()
    }
    places = {"HOME": str(request.home), "TMPDIR": str(request.temporary)}
    return ChildEnvironment(
        values={**basics, **request.declared, **fetched, **places, **request.duly},
        secrets=tuple(sorted(set(fetched.values()))),
    )


def faults(
    declared: Mapping[str, str], secrets: Mapping[str, str], pointer: str = "/agent"
) -> tuple[Fault, ...]:
    """Return what is wrong with declared variables and references, before anything is fetched."""
    wrong = [
        (f"{place}/{name}", message, "")
        for place, names in (("env", declared), ("secrets", secrets))
        for name in names
        if (message := _wrong_name(name))
    ]
    both = sorted(declared.keys() & secrets.keys())
    wrong += [(f"secrets/{name}", "is declared in env and in secrets", "") for name in both]
    wrong += [
        (f"env/{name}", "holds a NUL", "") for name, value in declared.items() if "\0" in value
    ]
    # A text that is no reference is not shown: it may be the secret itself.
    fix = "write env:NAME or file:/absolute/path"
    wrong += [
        (f"secrets/{name}", "is given by no reference", fix)
        for name, reference in secrets.items()
        if _reference(reference) is None
    ]
    return tuple(
        Fault(pointer=f"{pointer}/{at}", message=f"{at.partition('/')[2]!r} {message}", fix=fix)
        for at, message, fix in wrong
    )


def fetch(reference: str, node: Mapping[str, str], *, name: str = "") -> str:
    """Return the value of a secret now: `env:NAME`, or `file:/path` of a file that only its owner may read."""
    subject = f"the secret {name} ({reference})" if name else f"the secret {reference}"
    match _reference(reference):
        case ("env", variable):
            value = node.get(variable)
            if not value:
                raise SecretUnavailableError(
                    f"{subject}: {variable} is not set for the node",
                    fix=f"set {variable} and restart",
                )
        case ("file", path):
            value = _read(Path(path), subject)
        case _:
            raise SecretUnavailableError(f"the secret {name or 'given'} is no reference")
    if "\0" in value:
        raise SecretUnavailableError(f"{subject} holds a NUL")
    return value


def _wrong_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        return "is no name of a variable"
    if name in RESERVED:
        return "is set by Duly (see agent.home)"
    return f"is reserved: {_PREFIX}* is set by Duly" if name.startswith(_PREFIX) else ""


def _reference(text: str) -> tuple[str, str] | None:
    kind, _, rest = text.partition(":")
    if kind == "env" and _NAME.fullmatch(rest):
        return kind, rest
    if kind == "file" and rest.startswith("/") and "\0" not in rest:
        return kind, rest
    return None


def _read(path: Path, subject: str) -> str:
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            _check(os.fstat(file.fileno()), path, subject)
            data = file.read(SECRET_BYTES_MAX + 1)
    except OSError as error:
        raise SecretUnavailableError(f"{subject}: {error.strerror}") from None
    if len(data) > SECRET_BYTES_MAX:
        raise SecretUnavailableError(f"{subject} is larger than {SECRET_BYTES_MAX} bytes")
    value = os.fsdecode(data).removesuffix("\n").removesuffix("\r")
    if not value:
        raise SecretUnavailableError(f"{subject} is empty")
    return value


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting: a fifo would hold us until somebody writes."""
    return os.open(path, flags | os.O_NONBLOCK)


def _check(status: os.stat_result, path: Path, subject: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SecretUnavailableError(f"{subject} is no regular file")
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & _OTHERS_BITS:
        raise SecretUnavailableError(
            f"{subject} can be read or changed by others",
            fix=f"chmod 600 {path}, owned by the node's user",
        )


def own_umask() -> int:
    """Return this process's umask. Ask at the start, before there are threads: reading it means setting it."""
    umask = os.umask(_OTHERS_BITS)
    os.umask(umask)
    return umask
