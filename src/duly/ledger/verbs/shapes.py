"""Records to named parameters, and rows to records: a record's columns follow from its fields.

An instant's column ends in `_us`; flags are 0/1, enums their values, tuples JSON; a nested record's columns begin with
its field's name. Statements list columns in the order of the record's fields.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from operator import attrgetter
from types import NoneType
from typing import Any, Final, Generic, TypeVar, get_args, get_origin, get_type_hints

from duly.model import canonical
from duly.model.instant import Instant

Record = TypeVar("Record")
_Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One column: its name, the path of its fact in the record, and conversions where the plain value will not do."""

    name: str
    path: str
    read: _Convert | None
    write: _Convert | None


class Shape(Generic[Record]):
    """How one kind of record lies in a table."""

    __slots__ = ("_facts_of", "_kind", "_names", "_nested", "_readers", "_writers", "columns")

    def __init__(self, kind: type[Record]) -> None:
        columns = list(_columns_of(kind))
        self.columns: Final = tuple(column.name for column in columns)
        self._kind = kind
        self._facts_of = attrgetter(*(column.path for column in columns))
        # The names that the record's constructor knows, but for nested records, which are built of their columns.
        self._names = tuple(c.name if "." in c.path else c.path for c in columns)
        self._readers = tuple((i, c.read) for i, c in enumerate(columns) if c.read is not None)
        self._writers = tuple((c.name, c.write) for c in columns if c.write is not None)
        self._nested = tuple(_nested_of(kind))

    def params(self, record: Record) -> dict[str, Any]:
        """Return the record's facts by column."""
        params = dict(zip(self.columns, self._facts_of(record), strict=True))
        for column, write in self._writers:
            params[column] = write(params[column])
        return params

    def record(self, row: Sequence[Any]) -> Record:
        """Return the record that a row of all columns holds."""
        values = list(row)
        for index, read in self._readers:
            values[index] = read(values[index])
        facts = dict(zip(self._names, values, strict=True))
        for name, kind, parts in self._nested:
            facts[name] = kind(**{part: facts.pop(column) for part, column in parts})
        return self._kind(**facts)

    def records(self, rows: Sequence[Sequence[Any]]) -> list[Record]:
        """Return the records of rows."""
        return [self.record(row) for row in rows]

    def first(self, row: Sequence[Any] | None) -> Record | None:
        """Return the record of a row, if there is one."""
        return None if row is None else self.record(row)


def _hints_of(kind: Any) -> dict[str, Any]:
    return {name: _without_none(hint) for name, hint in get_type_hints(kind).items()}


def _without_none(hint: Any) -> Any:
    members = get_args(hint)
    if NoneType not in members:
        return hint
    (member,) = (member for member in members if member is not NoneType)
    return member


def _columns_of(kind: Any) -> Iterator[_Column]:
    hints = _hints_of(kind)
    for name in (field.name for field in fields(kind)):
        hint = hints[name]
        if is_dataclass(hint):
            for part in _columns_of(hint):
                path = f"{name}.{part.path}"
                yield _Column(
                    name=f"{name}_{part.name}", path=path, read=part.read, write=part.write
                )
        else:
            read, write = _conversions(hint)
            column = f"{name}_us" if hint is Instant else name
            yield _Column(name=column, path=name, read=read, write=write)


def _nested_of(kind: Any) -> Iterator[tuple[str, Any, tuple[tuple[str, str], ...]]]:
    """Give each nested record's field, its kind, and its own fields with the columns they come from."""
    for name, hint in _hints_of(kind).items():
        if is_dataclass(hint):
            yield (
                name,
                hint,
                tuple((part.path, f"{name}_{part.name}") for part in _columns_of(hint)),
            )


def _conversions(hint: Any) -> tuple[_Convert | None, _Convert | None]:
    """Return how a fact of this type is read and written, None where the store's own value is the fact."""
    if hint is bool:
        return bool, int
    if get_origin(hint) is tuple:
        return _read_texts, canonical.to_json
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum_reader(hint), _value_of
    return None, None


def _enum_reader(kind: type[Enum]) -> _Convert:
    # A dict answers three times as fast as the enum's own look-up by value.
    members: dict[str | None, Enum | None] = {member.value: member for member in kind}
    members[None] = None
    return members.__getitem__


def _value_of(member: Enum | None) -> Any:
    return None if member is None else member.value


def _read_texts(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))
