"""Shapes in what is said that have a shorter form in every language."""

from collections.abc import Sequence
from dataclasses import dataclass

from duly.recurrence.words.said import Clock, Day, Said, Unit
from duly.recurrence.words.times_of_day import spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Times of a day from first to last in equal steps."""

    every: tuple[Unit, int]
    first: Clock
    last: Clock


def steps(times: Sequence[Clock]) -> Steps | None:
    """Return five or more times as steps between the first and the last, when they are just these."""
    if len(times) < 5 or any(second for _, _, second in times):
        return None
    first, second = (hour * 60 + minute for hour, minute, _ in times[:2])
    gap = second - first
    every = (Unit.HOUR, gap // 60) if gap % 60 == 0 else (Unit.MINUTE, gap)
    if spread(every, (times[0], times[-1])) != tuple(times):
        return None
    return Steps(every=every, first=times[0], last=times[-1])


def aligned(said: Said) -> tuple[Unit, int] | None:
    """Return the steps that minutes or seconds of every hour or minute are, such as :00, :15, :30, :45."""
    if said.start is not None or said.positions:
        return None
    if said.every == (Unit.HOUR, 1) and not said.seconds:
        return _step(Unit.MINUTE, said.minutes, 60)
    if said.every == (Unit.MINUTE, 1) and not said.minutes:
        return _step(Unit.SECOND, said.seconds, 60)
    return None


def is_on_the_hour(said: Said) -> bool:
    """Say whether a rule is plain `every hour`."""
    return said.every == (Unit.HOUR, 1) and said.minutes == (0,) and said.start is None


def _step(unit: Unit, numbers: Sequence[int], whole: int) -> tuple[Unit, int] | None:
    if len(numbers) < 2:
        return None
    gap = numbers[1] - numbers[0]
    is_even = gap > 1 and whole % gap == 0 and tuple(numbers) == tuple(range(0, whole, gap))
    return (unit, gap) if is_even else None


def clock_text(clock: Clock) -> str:
    """Return a time as 24-hour text, with seconds when there are any."""
    hour, minute, second = clock
    return f"{hour:02}:{minute:02}:{second:02}" if second else f"{hour:02}:{minute:02}"


def day_text(day: Day, between: str = " ") -> str:
    """Return a date, and its time when it has one."""
    return day.date.isoformat() + (between + clock_text(day.clock) if day.clock else "")


def until_text(said: Said, between: str = " ") -> str:
    """Return the end of a rule; the last second of a day is the day."""
    assert said.until is not None
    if said.until.clock == (23, 59, 59) and not said.until_utc:
        return said.until.date.isoformat()
    return day_text(said.until, between) + ("Z" if said.until_utc else "")


def ranges(numbers: Sequence[int]) -> Sequence[tuple[int, int]]:
    """Return numbers as runs of three or more, and single ones."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return [
        run
        for first, last in runs
        for run in (((first, first), (last, last)) if last == first + 1 else ((first, last),))
    ]
