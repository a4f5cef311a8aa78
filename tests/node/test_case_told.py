"""Acceptance case E08: a check that fails all day is told of once, and never stops."""

import json

from duly.testkit.workbench import Workbench
from tests.node.jobs import outcome

TELL = 'cat "$1" >> "$0"; echo >> "$0"'


def test_case_e08_a_check_of_a_site_that_is_down_for_a_day_is_told_of_once(home, root):
    site, told = root.parent / "site", root.parent / "told"
    with Workbench(home) as bench:
        bench.ask(
            "automation.add",
            job_key="check",
            when={"cron": "*/5 * * * *"},
            command=["sh", "-c", f"test -e {site}"],
            base=str(root),
            path="/usr/bin:/bin",
            notify=["sh", "-c", TELL, str(told), "{notice}"],
        )
        for _ in range(5):
            bench.move_to_slot("check")
        down = bench.ask("runs.list", job_key="check").runs
        site.touch()
        bench.move_to_slot("check")
        site.unlink()
        bench.move_to_slot("check")
        bench.move_to_slot("check")
        shown = bench.ask("automation.show", job_key="check").automation
        newest = bench.show(bench.ask("runs.list", job_key="check").runs[0].id)
        runs = bench.ask("runs.list", job_key="check").runs
    assert [(one.outcome, one.reason) for one in down] == [
        ("failed-before-write", "exit_unexpected")
    ] * 5
    assert [one.outcome for one in runs[:3]] == [
        "failed-before-write",
        "failed-before-write",
        "completed",
    ]
    assert outcome(newest) == ("failed-before-write", "exit_unexpected")
    assert shown.state == "active"
    notices = [json.loads(line) for line in told.read_text().splitlines()]
    assert [(one["kind"], one["job_key"]) for one in notices] == [("failed", "check")] * 2
    assert [one["run"] for one in notices] == [down[-1].id, runs[1].id]
