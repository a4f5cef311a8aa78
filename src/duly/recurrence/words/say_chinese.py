"""Says a rule in Chinese, in simplified characters."""

from collections.abc import Iterator, Sequence
from typing import Final

from duly.recurrence.words.calendar_words import WEEKEND, WORKDAYS
from duly.recurrence.words.said import Link, Said, Scope, Unit
from duly.recurrence.words.shapes import (
    aligned,
    clock_text,
    day_text,
    is_on_the_hour,
    ranges,
    steps,
    until_text,
)

_WEEKDAYS: Final = "一二三四五六日"
_UNITS: Final = {
    Unit.SECOND: "秒",
    Unit.MINUTE: "分钟",
    Unit.HOUR: "小时",
    Unit.DAY: "天",
    Unit.WEEK: "周",
    Unit.MONTH: "个月",
    Unit.YEAR: "年",
}
_LINKS: Final = {Link.ON: "", Link.IF: "且为", Link.OR: "或"}


def sentence(said: Said, zone_name: str | None) -> str:
    """Return what was said as a sentence."""
    main = " ".join(_main(said))
    rest = [*_rest(said), *([_zone(zone_name)] if zone_name else [])]
    text = "\uff0c".join([main, *rest])
    return f"{text} (cron)" if said.is_cron else text


def _zone(name: str) -> str:
    return f"{name} 时间" if "/" in name or name == "UTC" else f"时区 {name}"


def _main(said: Said) -> Iterator[str]:
    if said.instant is not None:
        yield f"仅一次 时刻 {said.instant}"
        return
    if said.on_date is not None:
        yield f"仅一次 {day_text(said.on_date)}"
        return
    merged = _merged(said)
    days = [*_months(said), *_days(said, skip_weekdays=merged is not None)]
    yield _joined(merged or _every(aligned(said) or said.every), days)
    yield from _times(said)
    if said.positions:
        assert said.positions_unit is not None
        positions = "、".join(f"{_ordinal(position)}个" for position in said.positions)
        yield f"只取每{_UNITS[said.positions_unit].removeprefix('个')}的{positions}"


def _joined(head: str, days: Sequence[str]) -> str:
    """Return `每月1日`, `每年3月2日`, but `每2周的周一`, `每月1日且为周五`."""
    said = head
    first_join = "每年" if days and days[0].endswith("月") else "每月"
    for number, words in enumerate(days):
        is_joined = (number == 0 and head == first_join) or said.endswith("月")
        is_linked = words[0] in "且或"
        said += words if is_joined or is_linked else f"的{words}"
    return said


def _merged(said: Said) -> str | None:
    if said.every != (Unit.WEEK, 1) or said.weekdays_link is not Link.ON or not said.weekdays:
        return None
    days = tuple(day for _, day in said.weekdays)
    if days == WORKDAYS:
        return "每个工作日"
    return "每" + "、".join(f"周{_WEEKDAYS[day]}" for day in days)


def _every(every: tuple[Unit, int] | None) -> str:
    assert every is not None
    unit, count = every
    return f"每{_UNITS[unit].removeprefix('个') if count == 1 else f'{count}{_UNITS[unit]}'}"


def _months(said: Said) -> Iterator[str]:
    if said.months:
        yield "、".join(f"{month}月" for month in said.months)


def _days(said: Said, *, skip_weekdays: bool) -> Iterator[str]:
    if said.weeks:
        yield "一年中的" + "、".join(f"{_ordinal(week)}周" for week in said.weeks)
    if said.year_days:
        days = [f"{_ordinal(day)}天" for day in said.year_days]
        yield f"{_LINKS[said.year_days_link]}一年中的{'、'.join(days)}"
    if said.month_days:
        yield f"{_LINKS[said.month_days_link]}{_month_days(said.month_days)}"
    if said.nearest:
        yield f"最接近{_month_days(said.nearest)}的工作日"
    if said.workdays:
        yield f"{'、'.join(f'{_ordinal(nth)}个' for nth in said.workdays)}工作日"
    if said.weekdays and not skip_weekdays:
        yield f"{_LINKS[said.weekdays_link]}{_weekdays(said)}"


def _weekdays(said: Said) -> str:
    days = tuple(day for nth, day in said.weekdays if not nth)
    if len(days) == len(said.weekdays):
        named = {WORKDAYS: "工作日", WEEKEND: "周末"}
        return named.get(days) or "、".join(f"周{_WEEKDAYS[day]}" for day in days)
    within = "一年中的" if said.weekdays_scope is Scope.YEAR else ""
    items = [
        f"{_ordinal(nth)}个周{_WEEKDAYS[day]}" if nth else f"每个周{_WEEKDAYS[day]}"
        for nth, day in said.weekdays
    ]
    return within + "、".join(items)


def _times(said: Said) -> Iterator[str]:
    if said.times:
        stepped = steps(said.times)
        if stepped is None:
            yield "、".join(clock_text(time) for time in said.times)
        else:
            first, last = clock_text(stepped.first), clock_text(stepped.last)
            yield f"{first} 到 {last} 之间{_every(stepped.every)}"
    if said.hours:
        yield f"小时为 {_numbers(said.hours)}"
    is_short = aligned(said) is not None
    if (
        said.minutes
        and not (is_short and said.every == (Unit.HOUR, 1))
        and not is_on_the_hour(said)
    ):
        yield f"分钟为 {_numbers(said.minutes)}"
    if said.seconds and not (is_short and said.every == (Unit.MINUTE, 1)):
        yield f"秒为 {_numbers(said.seconds)}"


def _rest(said: Said) -> Iterator[str]:
    if said.week_start:
        yield f"一周从周{_WEEKDAYS[said.week_start]}开始"
    if said.start is not None:
        yield f"从 {day_text(said.start)} 开始"
    if said.until is not None:
        yield f"直到 {until_text(said)} 为止"
    if said.count is not None:
        yield f"共{said.count}次"
    if said.excepted:
        yield f"除了 {'、'.join(day_text(day) for day in said.excepted)}"
    if said.added:
        yield f"另加 {'、'.join(day_text(day) for day in said.added)}"


def _month_days(days: Sequence[int]) -> str:
    items = [_run(first, last) + "日" for first, last in ranges([day for day in days if day > 0])]
    return "、".join([*items, *(f"{_ordinal(day)}天" for day in days if day < 0)])


def _numbers(numbers: Sequence[int]) -> str:
    return "、".join(_run(first, last) for first, last in ranges(numbers))


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}到{last}"


def _ordinal(number: int) -> str:
    if number == -1:
        return "最后一"
    return f"第{number}" if number > 0 else f"倒数第{-number}"
