"""Records to canonical JSON and back: dataclasses, enums, tuples, unions; a union's member is named by `type`."""

import json
import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from duly.model import canonical

Record = TypeVar("Record")
_Reader = Callable[[Any], Any]


def dump(record: object) -> str:
    """Return the canonical JSON text of a record."""
    return canonical.to_json(to_plain(record))


def to_plain(value: Any) -> Any:
    """Return plain data for a record; dataclasses carry their class name as `type`."""
    if is_dataclass(value) and not isinstance(value, type):
        plain = {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
        return {"type": type(value).__name__, **plain}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value


def load(kind: type[Record], text: str) -> Record:
    """Return the record of `kind` written by `dump`; a text that does not fit raises ValueError or KeyError."""
    return typing.cast(Record, _reader(typing.cast(Any, kind))(json.loads(text)))


def _same(value: Any) -> Any:
    return value


@lru_cache(maxsize=256)
def _reader(kind: Any) -> _Reader:
    """Return the function that reads `kind`; built once for each type."""
    if isinstance(kind, typing.NewType):
        return _reader(kind.__supertype__)
    if get_origin(kind) is tuple:
        item = _reader(get_args(kind)[0])
        return lambda value: tuple(item(part) for part in value)
    if get_origin(kind) in (Union, types.UnionType):
        return _union_reader(get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return _record_reader(kind) if is_dataclass(kind) else _integer if kind is int else _same


def _integer(value: Any) -> int:
    return int(value.removeprefix("int:")) if isinstance(value, str) else value


def _record_reader(kind: Any) -> _Reader:
    hints = get_type_hints(kind)
    readers = [(field.name, _reader(hints[field.name])) for field in fields(kind)]
    return lambda value: kind(**{name: reader(value[name]) for name, reader in readers})


def _union_reader(members: tuple[Any, ...]) -> _Reader:
    """Tell members apart: null, records by their `type`, and at most one enum or scalar."""
    records = {m.__name__: _reader(m) for m in members if hasattr(m, "__dataclass_fields__")}
    plain = [_reader(m) for m in members if m.__name__ not in records and m is not types.NoneType]

    def read(value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, dict):
            return records[value["type"]](value)
        return plain[0](value)

    return read
