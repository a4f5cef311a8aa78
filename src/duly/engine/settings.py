"""Every default of the engine, in one documented table (docs/settings.md is generated from it)."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from duly.model.errors import Fault, ValidationError
from duly.model.instant import DAY_US, HOUR_US, MINUTE_US, SECOND_US

_UNITS_US: Final = {
    "ms": 1_000,
    "s": SECOND_US,
    "min": MINUTE_US,
    "h": HOUR_US,
    "d": DAY_US,
}
_DURATION: Final = re.compile(r"([0-9]{1,9})(ms|s|min|h|d)")
_COUNT: Final = re.compile(r"[0-9]{1,9}")


def _setting(default: int, meaning: str, least: int = 1) -> Any:
    return field(default=default, metadata={"meaning": meaning, "least": least})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the engine of one node behaves. Names that end in `_us` are durations in microseconds, others are counts."""

    scan_wake_us_max: int = _setting(
        30 * SECOND_US, "longest sleep of the scanner between two looks at the ledger", 10_000
    )
    admit_batch_max: int = _setting(
        200,
        "automations that one admitting transaction looks at, at most; it also ends after about 12 ms",
    )
    limit: int = _setting(4, "runs that this node works on at a time")
    start_every_us: int = _setting(
        SECOND_US, "time between two starts of caught-up runs; on-time runs wait for nothing", 0
    )
    lease_us: int = _setting(
        120 * SECOND_US, "how long a claim holds without being renewed", 100_000
    )
    renew_parts: int = _setting(3, "a lease is renewed after this part of it (a third)", 2)
    late_us_max: int = _setting(
        5 * MINUTE_US,
        "lateness up to which a slot still counts as on time, unless a definition says more",
    )
    host_unreachable_us: int = _setting(
        10 * MINUTE_US, "time past the lease after which an unprovable child blocks its run"
    )
    rescue_batch_max: int = _setting(50, "silent holders looked at in one go")
    answer_batch_max: int = _setting(20, "joined occurrences looked at in one go")
    notice_limit: int = _setting(4, "notices sent at a time, each about another automation")
    notice_us_max: int = _setting(
        30 * SECOND_US,
        "time that one notice may take; then it is stopped, with all it started, and tried again later",
        10_000,
    )
    notice_retry_us: int = _setting(
        30 * SECOND_US, "wait before a notice that failed is tried again; doubles with each try"
    )
    notice_tries_max: int = _setting(6, "tries before a notice is given up")
    outside_threads: int = _setting(4, "calls to the outside that run at a time beside the engine")
    clock_look_us: int = _setting(
        5 * SECOND_US, "time between two looks for a suspend or a step of the clock", 10_000
    )
    clock_step_us: int = _setting(
        2 * SECOND_US, "smallest difference between two clocks that is a step or a suspend", 10_000
    )
    tidy_every_us: int = _setting(
        10 * MINUTE_US,
        "time between two rounds that remove what settled runs left on the disk",
        10_000,
    )
    restart_us: int = _setting(
        SECOND_US, "wait before a service loop that died starts again; doubles with each death"
    )
    deaths_max: int = _setting(5, "deaths of one service loop in a row before the node gives up")
    deaths_within_us: int = _setting(
        10 * MINUTE_US, "life after which a service loop's earlier deaths are forgotten"
    )
    drain_us: int = _setting(
        30 * SECOND_US, "time that a node which was told to stop gives its running work", 0
    )

    def __post_init__(self) -> None:
        """Refuse values that cannot be meant."""
        faults = [
            Fault(
                pointer=f"/{one.name}",
                message=f"{one.name} is {getattr(self, one.name)}, the least is {one.metadata['least']}",
            )
            for one in dataclasses.fields(self)
            if getattr(self, one.name) < one.metadata["least"]
        ]
        if faults:
            raise ValidationError(faults)

    @property
    def renew_every_us(self) -> int:
        """Time between two renewals: two may fail before anyone may take over."""
        return self.lease_us // self.renew_parts

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> Self:
        """Read settings as people write them, such as `{"lease": "2min", "limit": "8"}`; raises all faults at once."""
        names = {written(one.name): one.name for one in dataclasses.fields(cls)}
        faults: list[Fault] = []
        values: dict[str, int] = {}
        for given, text in texts.items():
            value = _read(names.get(given, ""), text)
            if value is None:
                faults.append(_fault(given, text, names))
            else:
                values[names[given]] = value
        if faults:
            raise ValidationError(faults)
        return cls(**values)


def written(name: str) -> str:
    """Return a setting's name as people write it: `lease` for `lease_us`, `scan_wake_max` for `scan_wake_us_max`."""
    return name.replace("_us_max", "_max").removesuffix("_us")


def render() -> str:
    """Return docs/settings.md."""
    rows = [
        f"| `{written(one.name)}` | `DULY_{written(one.name).upper()}` | {_shown(one)} | {one.metadata['meaning']} |"
        for one in dataclasses.fields(Settings)
    ]
    head = (
        "# Settings of a node\n\n"
        "Generated from `src/duly/engine/settings.py` by `tools/settings_table.py`.\n"
        "A duration is written `500ms`, `30s`, `5min`, `2h` or `1d`.\n\n"
        "| setting | environment | default | what it is |\n|---|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"


def _is_duration(name: str) -> bool:
    return name.endswith(("_us", "_us_max"))


def _read(name: str, text: str) -> int | None:
    """Return the value of a setting, or None if there is no such setting or no such value."""
    if not name:
        return None
    if not _is_duration(name):
        return int(text) if _COUNT.fullmatch(text) else None
    found = _DURATION.fullmatch(text)
    return int(found[1]) * _UNITS_US[found[2]] if found else None


def _fault(given: str, text: str, names: Mapping[str, str]) -> Fault:
    pointer = f"/{given}"
    if given not in names:
        return Fault(
            pointer=pointer, message=f"there is no setting {given}", fix="see docs/settings.md"
        )
    example = "30s" if _is_duration(names[given]) else "4"
    return Fault(
        pointer=pointer, message=f"{given} cannot be {text!r}", fix=f"write it like {example}"
    )


def _shown(one: "dataclasses.Field[Any]") -> str:
    value: int = one.default  # type: ignore[assignment]
    if not _is_duration(one.name):
        return str(value)
    unit = max((u for u in _UNITS_US if value % _UNITS_US[u] == 0), key=_UNITS_US.__getitem__)
    return f"{value // _UNITS_US[unit]}{unit}"
