"""Sets of times of day as hours, minutes and seconds, and the positions that a set needs which is no product."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from duly.recurrence.words.said import Clock, Unit

_DAY_S: Final = 86_400
_STEPS: Final = {Unit.HOUR: 3_600, Unit.MINUTE: 60, Unit.SECOND: 1}
TIMES_MAX: Final = 1_440


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Every hour with every minute and second; `positions`: which of them, when not all."""

    hours: tuple[int, ...]
    minutes: tuple[int, ...]
    seconds: tuple[int, ...]
    positions: tuple[int, ...]

    @property
    def size(self) -> int:
        """Return how many times the product names, positions aside."""
        return len(self.hours) * len(self.minutes) * len(self.seconds)


def product(times: Sequence[Clock]) -> Product:
    """Return times as a product and the positions of those meant; none when all are."""
    hours = tuple(sorted({hour for hour, _, _ in times}))
    minutes = tuple(sorted({minute for _, minute, _ in times}))
    seconds = tuple(sorted({second for _, _, second in times}))
    whole = [(h, m, s) for h in hours for m in minutes for s in seconds]
    wanted = set(times)
    positions = tuple(place for place, time in enumerate(whole, 1) if time in wanted)
    return Product(
        hours=hours,
        minutes=minutes,
        seconds=seconds,
        positions=() if len(positions) == len(whole) else positions,
    )


def spread(every: tuple[Unit, int], between: tuple[Clock, Clock]) -> tuple[Clock, ...]:
    """Return the times from the first to the last in steps; the last is one of them when a step meets it."""
    first, last = (hour * 3_600 + minute * 60 + second for hour, minute, second in between)
    if last < first:
        last += _DAY_S
    step = _STEPS[every[0]] * every[1]
    return tuple(sorted(clock_of(second % _DAY_S) for second in range(first, last + 1, step)))


def clock_of(second: int) -> Clock:
    """Return the time of day of a second of the day."""
    return second // 3_600, second // 60 % 60, second % 60
