"""Reads the text of a cron expression, strictly; what it cannot read is named with its field and column."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from duly.recurrence import cron_days, cron_hints, cron_spread
from duly.recurrence.cron_days import DayForm
from duly.recurrence.cron_fields import (
    FIELDS,
    MONTH_DAY,
    NAMED,
    SECONDS_FIRST,
    WEEKDAY,
    Field,
)
from duly.recurrence.faults import Faults, PartError, shown

TEXT_CHARS_MAX: Final = 1_000
_DIGITS_MAX: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What one field names: plain numbers in order, and forms that only day fields have."""

    numbers: tuple[int, ...]
    forms: tuple[DayForm, ...]
    is_starred: bool


def _of_one(number: int) -> Named:
    return Named(numbers=(number,), forms=(), is_starred=False)


# Most fields hold a star or one value.
_WHOLE: Final[Mapping[str, Mapping[str, Named]]] = MappingProxyType(
    {
        field.name: MappingProxyType(
            {text: _of_one(number) for text, number in field.values.items()}
            | {"*": Named(numbers=field.every, forms=(), is_starred=True)}
        )
        for field in SECONDS_FIRST
    }
)


class _ItemError(Exception):
    """An item of a field cannot be read; it begins `place` characters into the field."""

    def __init__(self, error: PartError, place: int) -> None:
        super().__init__(error.message)
        self.error = error
        self.place = place


def read(
    text: str, faults: Faults, *, seconds_first: bool, may_spread: bool
) -> Sequence[Named] | None:
    """Return what the five or six fields name; None when a fault was added. `may_spread` lets `H` stand for a value."""
    try:
        written = _split(text, seconds_first)
    except PartError as error:
        faults.add(error.message, error.fix)
        return None
    fields = SECONDS_FIRST if seconds_first else FIELDS
    named: list[Named] = []
    for index, field in enumerate(fields):
        try:
            named.append(_field(field, written[index], may_spread))
        except _ItemError as stop:
            column = _column(text, index) + stop.place
            faults.add(f"{field.name}, column {column}: {stop.error.message}", stop.error.fix)
    return named if len(named) == len(fields) else None


def _split(text: str, seconds_first: bool) -> Sequence[str]:
    if len(text) > TEXT_CHARS_MAX:
        raise PartError(
            f"the expression is {len(text)} characters long", f"{TEXT_CHARS_MAX} are allowed"
        )
    fields = text.split()
    if fields and fields[0].startswith("@"):
        expression = NAMED.get(text.strip().lower())
        if expression is None:
            raise cron_hints.of_name(text.strip())
        if seconds_first:
            raise PartError(f"{shown(text)} has no seconds", "leave seconds_first out")
        return expression.split()
    wanted = 6 if seconds_first else 5
    if len(fields) != wanted:
        raise cron_hints.of_shape(fields, wanted)
    return fields


def _column(text: str, index: int) -> int:
    """Return where the field begins, from 1 on; a name such as @daily has no fields."""
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    return starts[index] + 1 if index < len(starts) else 1


def _field(field: Field, written: str, may_spread: bool) -> Named:
    whole = _WHOLE[field.name].get(written)
    if whole is not None:
        return whole
    numbers: set[int] = set()
    forms: list[DayForm] = []
    place = 1
    for item in written.split(","):
        try:
            _item(field, item, may_spread, numbers, forms)
        except PartError as error:
            raise _ItemError(cron_hints.of_foreign_sign(item) or error, place - 1) from None
        place += len(item) + 1
    return Named(
        numbers=tuple(sorted(numbers)), forms=tuple(forms), is_starred=written.startswith("*")
    )


def _item(
    field: Field, item: str, may_spread: bool, numbers: set[int], forms: list[DayForm]
) -> None:
    number = field.values.get(item)
    if number is not None:
        numbers.add(number)
    elif may_spread and cron_spread.is_spread(item, field.name):
        numbers.add(field.every[0])
    elif (form := _form(field, item)) is None:
        numbers.update(_range(field, item))
    elif form.month_day is not None:
        numbers.add(form.month_day)
    else:
        forms.append(form)


def _form(field: Field, item: str) -> DayForm | None:
    if field is MONTH_DAY:
        return cron_days.of_month(item)
    return cron_days.of_week(item, WEEKDAY.values) if field is WEEKDAY else None


def _range(field: Field, item: str) -> Sequence[int]:
    span, slash, step_text = item.partition("/")
    if span == "*":
        low, high = field.every[0], field.every[-1]
    else:
        first, dash, last = span.partition("-")
        low = _number(field, first)
        high = _number(field, last) if dash else low
    step = _step(item, step_text) if slash else 1
    if slash and "-" not in span and span != "*":
        raise PartError(f"{shown(item)}: a step needs a range", f"write {low}-{field.high}/{step}")
    if low > high:
        raise PartError(f"{shown(item)} runs backwards", _forwards(field, low, high, step))
    if step > max(high - low, 1):
        raise PartError(
            f"{shown(item)}: the step leaves only the first value",
            f"write {low}; for a longer cadence write an RRULE with INTERVAL",
        )
    return range(low, high + 1, step)


def _forwards(field: Field, low: int, high: int, step: int) -> str:
    """Return the rewrite of a range that runs over the end of its field."""
    first, last = field.every[0], field.every[-1]
    if low > last:
        return f"write {first}-{high}" + (f"/{step}" if step > 1 else "")
    if step == 1:
        pieces = ((low, last), (first, high))
        return "write " + ",".join(f"{a}-{b}" if a < b else str(a) for a, b in pieces)
    size = last - first + 1
    return "write " + ",".join(
        str(first + (number - first) % size) for number in range(low, high + size + 1, step)
    )


def _step(item: str, text: str) -> int:
    if not _is_number(text) or not int(text):
        span = item.partition("/")[0]
        raise PartError(
            f"{shown(item)}: the step is no whole number above 0",
            f"write {shown(span)} for every value of it, or a step such as {shown(span + '/2')}",
        )
    return int(text)


def _number(field: Field, text: str) -> int:
    number = field.values.get(text)
    if number is None:
        number = field.values.get(text.upper())
    if number is None:
        if not _is_number(text):
            raise cron_hints.of_value(field, text)
        number = int(text)
        if not field.low <= number <= field.high:
            message = f"{number} is outside {field.low} to {field.high}"
            raise PartError(message, field.outside)
    return number


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX
