"""What was probably meant by a cron expression that cannot be read: a message, and what to write instead."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from duly.recurrence.cron_fields import FIELDS, MONTH_DAY, MONTHS, NAMED, WEEKDAY, WEEKDAYS, Field
from duly.recurrence.faults import PartError, shown

_ORDER: Final = "minute, hour, day of month, month, day of week: 0 9 * * 1-5"
_DASHES: Final = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2212"}
_ZONE: Final = re.compile(r"(?:CRON_)?TZ=(\S+)", re.ASCII | re.IGNORECASE)
_CLOCK: Final = re.compile(r"([0-9]{1,2}):([0-9]{2})", re.ASCII)
_YEAR: Final = re.compile(r"[12][0-9]{3}\b[-0-9,/]*", re.ASCII)
_LIKE_A_FIELD: Final = re.compile(
    r"(?:[0-9*?,/#~()LWH-]|" + "|".join((*MONTHS, *WEEKDAYS)) + ")+", re.ASCII | re.IGNORECASE
)
_FOREIGN: Final = re.compile(r"[?~]|(?<![A-Z])H(?![A-Z])", re.ASCII)
_FIX_OF: Final = {
    "?": "write *; days of the week as names, Quartz counts them from 1 for Sunday",
    "~": "write H(a-b) for a value of its own within a range",
    "H": "write H, H(0-29) or H/15, with values of the field",
}


def of_name(text: str) -> PartError:
    """Return what is wrong with a text that begins with `@` and is none of the known names."""
    name = text.split(maxsplit=1)[0].lower()
    if name == "@reboot":
        return PartError(
            "@reboot names no time", "name a time; work that was missed is caught up by catch_up"
        )
    if name == "@every":
        return PartError("@every is a cadence", "write rrule: FREQ=MINUTELY;INTERVAL=5")
    if name in NAMED:
        return PartError(f"nothing may follow {name}", f"write {name} alone")
    return PartError(f"{shown(text)} is no known name", "use one of " + ", ".join(NAMED))


def of_shape(fields: Sequence[str], wanted: int) -> PartError:
    """Return what is wrong with an expression that has not the wanted number of fields."""
    foreign = _foreign_shape(fields, wanted)
    if foreign is not None:
        return foreign
    count, rest = len(fields), " ".join(fields[1:6])
    if count == 7:
        return PartError(
            "7 fields: Quartz has seconds in front and years at the end",
            f"leave both out: {shown(rest)}; valid_from and valid_until bound the years",
        )
    if count == 6 and wanted == 5:
        return PartError(
            "6 fields: seconds first must be said",
            f"set seconds_first: true, or leave the seconds out: {shown(rest)}",
        )
    if count == 5 and wanted == 6:
        return PartError(
            "seconds_first is true, but there are 5 fields",
            f"write {shown(' '.join(('0', *fields)))}, or leave seconds_first out",
        )
    order = _ORDER if wanted == 5 else "second, " + _ORDER.replace(": ", ": 0 ")
    return PartError(
        f"a cron expression has {wanted} fields, this one has {count}", f"write {order}"
    )


def _foreign_shape(fields: Sequence[str], wanted: int) -> PartError | None:
    """Return what is wrong when other programs' habits are in the text."""
    if fields and (zone := _ZONE.fullmatch(fields[0])) is not None:
        return PartError(
            "the zone is no part of the expression", f"set timezone: {shown(zone[1])} beside it"
        )
    if fields and fields[0].lower().startswith("cron("):
        return PartError("'cron(' is written by AWS only", f"write {_ORDER}")
    for field in fields[:wanted]:
        if (clock := _CLOCK.fullmatch(field)) is not None:
            return PartError(
                f"{shown(field)} is no field", f"write {int(clock[2])} {int(clock[1])} * * *"
            )
    first = " ".join(fields[:wanted])
    if len(fields) == wanted + 1 and _YEAR.fullmatch(fields[-1]) is not None:
        return PartError(
            "cron has no field for years",
            f"write {shown(first)}; valid_from and valid_until bound the years",
        )
    for field in fields[wanted:]:
        if _LIKE_A_FIELD.fullmatch(field) is None:
            return PartError(
                f"{shown(field)} is no part of the expression", f"write {shown(first)}"
            )
    return None


def of_foreign_sign(item: str) -> PartError | None:
    """Return what is wrong with an item that holds a sign that only other programs know."""
    found = _FOREIGN.search(item.upper())
    return (
        None if found is None else PartError(f"{shown(item)} means nothing here", _FIX_OF[found[0]])
    )


def of_value(field: Field, text: str) -> PartError:
    """Return what is wrong with a text that names no value of a field."""
    if not text:
        return PartError("'' is no value", "leave no empty place between commas and dashes")
    return PartError(f"{shown(text)} is no value", _meant(field, text))


def _meant(field: Field, text: str) -> str:
    plain = plain_text(text)
    if plain != text:
        return f"write {shown(plain)}"
    upper = text.upper()
    near = [
        name
        for name in field.names
        if upper.startswith(name) or (len(upper) > 1 and name.startswith(upper))
    ]
    if len(near) == 1:
        return f"write {near[0]}"
    if field is MONTH_DAY and "W" in upper:
        return "write 15W for the workday nearest to the 15th, LW for the last of the month"
    if field is MONTH_DAY and (upper.endswith("L") or "#" in upper):
        return "write it in the field day of week"
    if field is WEEKDAY and "#" in upper:
        return "write MON#1 for the first Monday of a month, MONL for the last"
    names = f", or {_ends(field)}" if field.names else ""
    return f"use {field.low} to {field.high}{names}{_other_field(field, upper)}"


def _ends(field: Field) -> str:
    names = tuple(field.names)
    return f"{names[0]} to {names[-1]}"


def _other_field(field: Field, upper: str) -> str:
    found = [other.name for other in FIELDS if other is not field and upper in other.names]
    return f"; {upper} belongs in the field {found[0]}" if found else ""


def plain_text(text: str) -> str:
    """Return a text with the digits, signs and letters that it looks like."""
    wide = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in wide)
