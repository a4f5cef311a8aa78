"""The fields of a cron expression: their bounds, and every value by the text that names it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

MONTHS: Final = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
WEEKDAYS: Final = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]

NAMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "@hourly": "0 * * * *",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *",
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field: values from `low` to `high`, of which `every` are different; `values` knows them by text."""

    name: str
    low: int
    high: int
    every: tuple[int, ...]
    names: Mapping[str, int]
    values: Mapping[str, int]
    outside: str


def _field(
    name: str,
    bounds: tuple[int, int],
    outside: str,
    names: Mapping[str, int] | None = None,
    top: int | None = None,
) -> Field:
    low, high = bounds
    named = dict(names or {})
    digits = {form: number for number in range(low, high + 1) for form in _forms(number)}
    return Field(
        name=name,
        low=low,
        high=high,
        every=tuple(range(low, (high if top is None else top) + 1)),
        names=MappingProxyType(named),
        values=MappingProxyType({**named, **digits}),
        outside=outside,
    )


def _forms(number: int) -> tuple[str, str]:
    return str(number), f"{number:02}"


SECOND: Final = _field("second", (0, 59), "write 0, the start of the next minute")
MINUTE: Final = _field("minute", (0, 59), "write 0, the start of the next hour")
HOUR: Final = _field("hour", (0, 23), "write 0: midnight begins a day")
MONTH_DAY: Final = _field("day of month", (1, 31), "use 1 to 31, or L for the last day")
MONTH: Final = _field(
    "month",
    (1, 12),
    "January is 1, December is 12",
    {name: number for number, name in enumerate(MONTHS, 1)},
)
WEEKDAY: Final = _field(
    "day of week",
    (0, 7),
    "Sunday is 0 or 7, Monday is 1",
    {name: number for number, name in enumerate(WEEKDAYS)},
    top=6,
)

FIELDS: Final = (MINUTE, HOUR, MONTH_DAY, MONTH, WEEKDAY)
SECONDS_FIRST: Final = (SECOND, *FIELDS)
