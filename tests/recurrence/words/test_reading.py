"""Plain words mean one rule, or are refused."""

import pytest

from duly.recurrence.words import read


@pytest.mark.parametrize(
    ("text", "rule", "zone"),
    [
        (
            "every weekday at 9am Taipei",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0",
            "Asia/Taipei",
        ),
        ("每天早上九點", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0", None),
        ("每个工作日 9:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0", None),
        (
            "每月第一个周一 08:30 上海时间",
            "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=8;BYMINUTE=30",
            "Asia/Shanghai",
        ),
    ],
)
def test_common_sentences_name_a_rule_and_a_zone(text: str, rule: str, zone: str | None) -> None:
    spoken = read(text)
    assert (spoken.schedule, spoken.zone_name) == ({"rrule": rule}, zone)
