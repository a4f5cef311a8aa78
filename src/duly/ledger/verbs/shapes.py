"""Records to named parameters, and rows to records: a record's columns follow from its fields.

An instant's column ends in `_us`; flags are 0/1, enums their values, tuples JSON; a nested record's columns begin with
its field's name. Statements list columns in the order of the record's fields.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from operator import attrgetter
from types import NoneType
from typing import Any, Final, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from duly.model import canonical
from duly.model.instant import Instant

Record = TypeVar("Record")
_Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One column: its name, the path of its fact in the record, and how the value differs from the fact.

    `attribute` of the fact is the value; `read` and `write` convert where that will not do.
    """

    name: str
    path: str
    attribute: str = ""
    read: _Convert | None = None
    write: _Convert | None = None


class Shape(Generic[Record]):
    """How one kind of record lies in a table."""

    __slots__ = ("_kind", "_names", "_nested", "_readers", "_values_of", "_writers", "columns")

    def __init__(self, kind: type[Record]) -> None:
        columns = list(_columns_of(kind))
        self.columns: Final = tuple(column.name for column in columns)
        self._kind = kind
        self._values_of = attrgetter(*(column.path + column.attribute for column in columns))
        self._names = tuple(field.name for field in fields(cast(Any, kind)))
        self._readers = tuple((i, c.read) for i, c in enumerate(columns) if c.read is not None)
        self._writers = tuple((i, c.write) for i, c in enumerate(columns) if c.write is not None)
        # From the last one back, so that folding one moves none of those that follow.
        self._nested = tuple(reversed(list(_nested_of(kind))))

    def values(self, record: Record) -> tuple[Any, ...]:
        """Return the record's values in the order of the columns."""
        values: tuple[Any, ...] = self._values_of(record)
        if not self._writers:
            return values
        converted = list(values)
        for index, write in self._writers:
            converted[index] = write(converted[index])
        return tuple(converted)

    def params(self, record: Record) -> dict[str, Any]:
        """Return the record's values by column."""
        return dict(zip(self.columns, self.values(record), strict=True))

    def record(self, row: Sequence[Any]) -> Record:
        """Return the record that a row of all columns holds."""
        values = list(row)
        for index, read in self._readers:
            values[index] = read(values[index])
        for start, end, kind, parts in self._nested:
            values[start:end] = (kind(**dict(zip(parts, values[start:end], strict=True))),)
        return self._kind(**dict(zip(self._names, values, strict=True)))

    def records(self, rows: Sequence[Sequence[Any]]) -> list[Record]:
        """Return the records of rows."""
        return [self.record(row) for row in rows]

    def first(self, row: Sequence[Any] | None) -> Record | None:
        """Return the record of a row, if there is one."""
        return None if row is None else self.record(row)


def _hints_of(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Return each field's type, and whether None may stand in its place."""
    return {name: _without_none(hint) for name, hint in get_type_hints(kind).items()}


def _without_none(hint: Any) -> tuple[Any, bool]:
    members = get_args(hint)
    if NoneType not in members:
        return hint, False
    (member,) = (member for member in members if member is not NoneType)
    return member, True


def _columns_of(kind: Any) -> Iterator[_Column]:
    hints = _hints_of(kind)
    for name in (field.name for field in fields(kind)):
        hint, may_be_none = hints[name]
        if is_dataclass(hint):
            for part in _columns_of(hint):
                yield replace(part, name=f"{name}_{part.name}", path=f"{name}.{part.path}")
        else:
            column = _Column(name=f"{name}_us" if hint is Instant else name, path=name)
            yield _converted(column, hint, may_be_none=may_be_none)


def _nested_of(kind: Any) -> Iterator[tuple[int, int, Any, tuple[str, ...]]]:
    """Give the columns (from, to) of each nested record, its kind, and its own fields."""
    start = 0
    for hint, _ in _hints_of(kind).values():
        if not is_dataclass(hint):
            start += 1
            continue
        parts = tuple(part.path for part in _columns_of(hint))
        yield start, start + len(parts), hint, parts
        start += len(parts)


def _converted(column: _Column, hint: Any, *, may_be_none: bool) -> _Column:
    """Return the column with what its type needs.

    Where there is always a fact, its attribute is the value: one attrgetter reads a whole row, in a tenth of the time
    that a call for each column takes.
    """
    if hint is bool:
        return replace(column, read=bool, attribute=".real")
    if get_origin(hint) is tuple:
        return replace(column, read=_read_texts, write=canonical.to_json)
    if not (isinstance(hint, type) and issubclass(hint, Enum)):
        return column
    if may_be_none:
        return replace(column, read=_enum_reader(hint), write=_value_of)
    return replace(column, read=_enum_reader(hint), attribute="._value_")


def _enum_reader(kind: type[Enum]) -> _Convert:
    # A dict answers three times as fast as the enum's own look-up by value.
    members: dict[str | None, Enum | None] = {member.value: member for member in kind}
    members[None] = None
    return members.__getitem__


def _value_of(member: Enum | None) -> Any:
    return None if member is None else member._value_


def _read_texts(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))
