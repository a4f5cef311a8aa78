"""Plain words mean one rule, or are refused with the place and a rewrite."""

import contextlib
import json
import re
from pathlib import Path
from time import process_time

import pytest

from duly.model.errors import ValidationError
from duly.recurrence.words import Language, read


def lines(name: str) -> list[tuple[object, ...]]:
    """Return the lines of a table of sentences beside this file."""
    text = (Path(__file__).parent / f"{name}.jsonl").read_text(encoding="utf-8")
    return [tuple(json.loads(line)) for line in text.splitlines()]


READ = lines("english") + lines("chinese")
REFUSED = lines("refused")
HOSTILE = {
    "one letter": "x" * 10_000,
    "one word": "every " * 2_000,
    "one clause": "every day " * 1_000,
    "one number": "9" * 10_000,
    "many times": "every day at " + "9:00, " * 1_600,
    "brackets": "(" * 5_000 + "every day" + ")" * 5_000,
    "one Chinese character": "每" * 10_000,
    "Chinese digits": "一" * 10_000,
    "Chinese weekdays": "周一" * 5_000,
    "Chinese times": "每天" + "9点、" * 3_000,
    "and": "and " * 2_500,
    "ordinals": "on the " + "1st and " * 1_200,
    "dates": "every day except " + "2026-12-25, " * 800,
    "days": "on day " + "1, " * 3_000 + "x",
    "spans": "1-" * 5_000,
    "zones": "every day at 9 " + "A" * 5_000 + "/" + "b" * 5_000,
    "too long": "y" * 100_000,
}
CPU_S_MAX = 0.05


@pytest.mark.parametrize(("text", "schedule", "zone"), READ)
def test_a_sentence_names_a_schedule_and_a_zone(
    text: str, schedule: dict[str, object], zone: str | None
) -> None:
    spoken = read(text)
    assert (spoken.schedule, spoken.zone_name) == (schedule, zone)


@pytest.mark.parametrize(("text", "position", "fix"), REFUSED)
def test_a_sentence_is_refused_where_it_goes_wrong_and_rewritten(
    text: str, position: int, fix: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        read(text)
    (fault,) = refused.value.faults
    assert fault.pointer == "/schedule/when"
    assert re.match(rf"character {position}\b", fault.message), fault.message
    assert fix in fault.fix


@pytest.mark.parametrize(
    ("text", "position"), [("every day\x00 at 9", 10), ("every \u202eday", 7), ("a\u200bb", 2)]
)
def test_a_character_that_cannot_be_seen_is_refused_by_its_place(text: str, position: int) -> None:
    with pytest.raises(ValidationError, match=rf"character {position}\b"):
        read(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_answered_at_once(name: str) -> None:
    read("every day")
    spent = []
    for _ in range(3):
        start = process_time()
        with contextlib.suppress(ValidationError):
            read(HOSTILE[name])
        spent.append(process_time() - start)
    assert min(spent) < CPU_S_MAX


def test_a_zone_of_a_list_is_named_by_its_last_part() -> None:
    spoken = read("every day at 9 in Port Moresby", ["Pacific/Port_Moresby", "Asia/Taipei"])
    assert spoken.zone_name == "Pacific/Port_Moresby"


def test_every_language_has_a_name() -> None:
    assert [language.value for language in Language] == ["en", "zh-TW", "zh-CN"]
