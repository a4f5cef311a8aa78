"""The clauses of the Chinese grammar, in simplified characters: traditional ones are folded before."""

import re
from collections.abc import Sequence
from typing import Final

from duly.recurrence.faults import PartError
from duly.recurrence.words import calendar_words as cal
from duly.recurrence.words import clause as c
from duly.recurrence.words import clock
from duly.recurrence.words.numbers import (
    AND,
    HANZI,
    NUMBER_ZH,
    ONE,
    ORDINAL_ZH,
    SPAN,
    TO,
    listed,
    number,
    ordinal,
    spans,
)
from duly.recurrence.words.said import Scope, Unit

_UNITS: Final = (
    ("秒", Unit.SECOND),
    ("分", Unit.MINUTE),
    ("小时", Unit.HOUR),
    ("钟头", Unit.HOUR),
    ("天", Unit.DAY),
    ("日", Unit.DAY),
    ("周", Unit.WEEK),
    ("星期", Unit.WEEK),
    ("礼拜", Unit.WEEK),
    ("月", Unit.MONTH),
    ("年", Unit.YEAR),
    ("时", Unit.HOUR),
)
_UNIT: Final = "(?P<unit>秒钟|秒|分钟|分|小时|钟头|天|日|周|星期|礼拜|月|年|时)"
_LINK: Final = "(?P<link>且为|且|或者|或)?"
_NTH: Final = rf"(?:{ORDINAL_ZH})个?(?:{AND}(?:{ORDINAL_ZH})个?)*的?(?:{cal.WEEKDAY_ZH})"
_NTH_ITEM: Final = rf"(?:{_NTH}|每个?{cal.WEEKDAY_ZH})"
_NTH_DAY: Final = rf"(?:{ORDINAL_ZH})天"
_NUMBERED: Final = rf"(?:{HANZI})[号日]?(?:{TO}(?:{HANZI})[号日]?)?"
_DATE_END: Final = rf"(?:{_NTH_DAY}|(?:{HANZI})(?:[号日]?{TO}(?:{HANZI}))?[号日])"
_DATE_LIST: Final = rf"(?:(?:{_NTH_DAY}|{_NUMBERED}){AND})*{_DATE_END}"
_WEEK: Final = rf"(?:{ORDINAL_ZH})周(?![一二三四五六日天])"
_DAYS: Final = rf"(?:{cal.DAY})(?:{AND}(?:{cal.DAY}))*"


def table() -> Sequence[c.Clause]:
    """Return the clauses; made once, when first asked for."""
    return c.clauses(_TABLE)


def _unit(text: str) -> Unit:
    return next(unit for name, unit in _UNITS if text.startswith(name))


def _every(match: re.Match[str]) -> c.Parts:
    count = number(match["n"]) if match["n"] else 1
    if count < 1:
        raise PartError("there is nothing to repeat in steps of 0", "每2天")
    return {"every": (_unit(match["unit"]), count)}


def _apart(match: re.Match[str]) -> c.Parts:
    """Read `每隔15分钟`, which only means one thing for units of the clock."""
    return {"every": (_unit(match["unit"]), number(match["n"]))}


def _alternate(match: re.Match[str]) -> c.Parts:
    return {"every": (_unit(match["unit"]), 2)}


def _alternate_weekdays(match: re.Match[str]) -> c.Parts:
    pairs = tuple((0, day) for day in cal.weekdays(match["list"]))
    return {"weekdays": pairs, "every": (Unit.WEEK, 2)}


def _quarterly(_: re.Match[str]) -> c.Parts:
    return {"every": (Unit.MONTH, 1), "is_quarterly": True}


def _weekdays(match: re.Match[str]) -> c.Parts:
    pairs = tuple((0, day) for day in cal.weekdays(match["list"]))
    return {"weekdays": pairs, "weekdays_link": c.link(match["link"])}


def _nth_weekdays(match: re.Match[str]) -> c.Parts:
    pairs: set[tuple[int, int]] = set()
    for item in re.finditer(_NTH_ITEM, match["list"]):
        found = re.search(rf"{cal.WEEKDAY_ZH}$", item[0])
        assert found is not None
        if item[0].startswith("每"):
            pairs.add((0, cal.weekday(found[0])))
        else:
            for nth in re.finditer(ORDINAL_ZH, item[0][: found.start()]):
                pairs.add((ordinal(nth[0]), cal.weekday(found[0])))
    scope: c.Parts = {"weekdays_scope": Scope.YEAR} if match["year"] else {}
    return {
        "weekdays": tuple(sorted(pairs)),
        "weekdays_link": c.link(match["link"]),
        **scope,
    }


def _days(match: re.Match[str]) -> c.Parts:
    found: set[int] = set()
    for item in re.finditer(rf"{_NTH_DAY}|{_NUMBERED}", match["list"]):
        if item[0].endswith("天"):
            found.add(ordinal(item[0][:-1]))
        else:
            found.update(spans(re.sub("[号日]", "", item[0])))
    link = c.link(match["link"])
    if match["year"]:
        return {"year_days": c.bounded(sorted(found), -366, 366), "year_days_link": link}
    return {"month_days": c.bounded(sorted(found), -31, 31), "month_days_link": link}


def _month_end(match: re.Match[str]) -> c.Parts:
    every: c.Parts = {"every": (Unit.MONTH, 1)} if match["every"] else {}
    return {"month_days": (-1,), **every}


def _workdays(match: re.Match[str]) -> c.Parts:
    found = {ordinal(nth[0]) for nth in re.finditer(ORDINAL_ZH, match["list"])}
    return {"workdays": tuple(sorted(found))}


def _nearest(match: re.Match[str]) -> c.Parts:
    days = spans(re.sub("[号日]", "", match["list"]))
    return {"nearest": c.bounded(days, 1, 31), "month_days_link": c.link(match["link"])}


def _weeks(match: re.Match[str]) -> c.Parts:
    found = sorted({ordinal(nth[0]) for nth in re.finditer(ORDINAL_ZH, match["list"])})
    return {"weeks": c.bounded(found, -53, 53)}


def _until(match: re.Match[str]) -> c.Parts:
    return {"until": cal.day(match["date"]), "until_utc": bool(match["utc"])}


def _positions(match: re.Match[str]) -> c.Parts:
    found = tuple(sorted({ordinal(nth[0]) for nth in re.finditer(ORDINAL_ZH, match["list"])}))
    return {"positions": found, "positions_unit": _unit(match["unit"])}


_YEAR: Final = "(?P<year>一年[中里]的?)?"
_STEPS: Final = rf"每隔?(?P<n>{NUMBER_ZH})?个?(?P<unit>秒钟|秒|分钟|分|小时|钟头)"
_BETWEEN: Final = (
    rf"从?\s*(?P<first>{clock.CLEAR})\s*(?:到|至|-|~)\s*(?P<last>{clock.CLEAR})"
    r"(?:\s*(?:之间|期间|间|为止|止))?"
)
_TABLE: Final = (
    (rf"每(?P<n>{NUMBER_ZH})?个?{_UNIT}", _every),
    (rf"每隔(?P<n>{NUMBER_ZH})个?(?P<unit>秒钟|秒|分钟|分|小时|钟头)", _apart),
    ("(?:每隔一?|隔)(?:个)?(?P<unit>天|日|周|星期|礼拜|月|年)", _alternate),
    (rf"(?:每隔一?|隔)(?P<list>{cal.WEEKDAY_ZH})", _alternate_weekdays),
    ("每隔?半个?(?:小时|钟头)", lambda _: {"every": (Unit.MINUTE, 30)}),
    ("每个?季度?", _quarterly),
    (rf"(?P<link>且为|且|或者|或|每逢|每个?|逢)?(?P<list>{cal.WEEKDAY_LIST})", _weekdays),
    (rf"{_LINK}{_YEAR}(?P<list>{_NTH_ITEM}(?:{AND}{_NTH_ITEM})*)", _nth_weekdays),
    (rf"{_LINK}{_YEAR}(?P<list>{_DATE_LIST})", _days),
    ("(?P<every>每个?)?月(?:底|末)", _month_end),
    (
        rf"(?P<list>(?:{ORDINAL_ZH})个?(?:{AND}(?:{ORDINAL_ZH})个?)*)的?(?:工作日|上班日|平日)",
        _workdays,
    ),
    (rf"{_LINK}最接近(?P<list>{_DATE_LIST})的(?:工作日|上班日|平日)", _nearest),
    (rf"{_YEAR}(?P<list>{_WEEK}(?:{AND}{_WEEK})*)", _weeks),
    (rf"(?P<list>{cal.MONTH_LIST})", lambda match: {"months": cal.months(match["list"])}),
    (
        rf"每个?(?P<list>{cal.MONTH_EN})",
        lambda match: {"months": cal.months(match["list"]), "every": (Unit.YEAR, 1)},
    ),
    (rf"(?P<times>{listed(clock.CLEAR)})", lambda match: c.times(match["times"])),
    (rf"小时[为是:]\s*(?P<list>{listed(SPAN)})", c.within("hours", 23)),
    (rf"分钟[为是:]\s*(?P<list>{listed(SPAN)})", c.within("minutes", 59)),
    (rf"秒[为是:]\s*(?P<list>{listed(SPAN)})", c.within("seconds", 59)),
    (rf"第?(?P<list>{ONE})分钟?(?!钟)", c.within("minutes", 59)),
    (rf"{_BETWEEN}[\s,的]*{_STEPS}", lambda match: c.stepped(match, _every(match))),
    (rf"{_STEPS}[\s,]*{_BETWEEN}", lambda match: c.stepped(match, _every(match))),
    (_BETWEEN, lambda match: c.between(match["first"], match["last"])),
    (
        rf"(?:从|自)\s*(?P<date>{cal.DAY})\s*(?:开始|起)?",
        lambda match: {"start": cal.day(match["date"])},
    ),
    (rf"(?P<date>{cal.DAY})\s*(?:开始|起)", lambda match: {"start": cal.day(match["date"])}),
    (
        rf"(?:直到|截至|截止到|截止|到|至)\s*(?P<date>{cal.DAY})(?P<utc>\s*(?:z|utc))?\s*(?:为止|止|结束)?",
        _until,
    ),
    (
        rf"(?:一共|总共|共|重复|执行|总计)*\s*(?P<n>{NUMBER_ZH})\s*次",
        lambda match: {"count": number(match["n"])},
    ),
    (
        rf"(?:除了|除|不含|不包括|排除|跳过)\s*(?P<list>{_DAYS})\s*(?:之外|以外|外)?",
        lambda match: {"excepted": cal.days(match["list"])},
    ),
    (
        rf"(?:另加|外加|加上|另外|还有)\s*(?P<list>{_DAYS})",
        lambda match: {"added": cal.days(match["list"])},
    ),
    (
        rf"[只仅]取每个?{_UNIT}的?(?P<list>(?:{ORDINAL_ZH})个?(?:{AND}(?:{ORDINAL_ZH})个?)*)",
        _positions,
    ),
    (
        rf"一周从(?P<day>{cal.WEEKDAY_ZH})(?:算起|开始)",
        lambda match: {"week_start": cal.weekday(match["day"])},
    ),
    ("仅一次|只一次|一次性|单次", lambda _: {"once": True}),
    (
        r"(?:仅一次)?时刻\s*(?P<at>[0-9-]{10}t[0-9:]{8}z)",
        lambda match: {"instant": match["at"].upper()},
    ),
)
