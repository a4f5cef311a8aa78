"""Looking: lists, states, explanations; looking changes nothing, and every answer is also one JSON document."""

import apsw
import pytest

from duly.adapters import clock
from duly.model.instant import DAY_US, Instant

ADD = ("add", "report", "--cron", "0 9 * * *", "--", "sh", "-c", "echo done")


def test_looking_at_a_directory_that_does_not_exist_makes_nothing(duly):
    for words in (["automation", "list"], ["runs", "list"], ["status"], ["audit", "verify"]):
        assert duly(*words).code == 0, words
        assert duly(*words, "--json").json
    assert not duly.home.exists()


def test_a_name_that_nobody_has_is_not_found(duly):
    for words in (
        ["automation", "show", "nobody"],
        ["automation", "pause", "nobody"],
        ["runs", "show", "r_nobody"],
        ["runs", "cancel", "r_nobody"],
        ["explain", "nobody"],
        ["logs", "nobody"],
        ["run", "nobody"],
        ["export", "nobody"],
    ):
        ended = duly(*words)
        assert (ended.code, ended.out) == (3, ""), words
        assert "nobody" in ended.err and ended.err.count("\n") == 1


def test_what_is_added_is_listed_shown_explained_and_exported(duly):
    added = duly(*ADD)
    assert added.code == 0
    assert added.out.count("T09:00:00+08:00") == 5
    for hint in ("duly run report", "duly automation show report", "duly automation delete report"):
        assert hint in added.err

    (row,) = duly("automation", "list", "--json").json["automations"]
    assert row["job_key"] == "report" and row["next_run"].endswith("T09:00:00+08:00")
    assert {"last_run", "next_run", "last_status", "created_at", "updated_at"} <= set(row)
    listed = duly("automation", "list").out
    assert listed.splitlines()[0].split() == ["KEY", "NEXT", "LAST", "STATUS", "WHY"]
    assert "fence" not in listed and "sha256" not in listed
    assert "is older than the automation, which was made at" in duly("explain", "report").out
    assert "1 automation" in duly("status").out
    assert len(duly("status").out.splitlines()) <= 10
    assert duly("automation", "next", "report", "--count", "3").out.count("09:00:00+08:00") == 3
    assert "schedule     cron 0 9 * * *" in duly("automation", "show", "report").out


def test_lists_say_when_and_who_in_few_columns_and_hide_random_keys(duly):
    duly(*ADD)
    run_id = duly("run", "report", "--json").json["run_id"]
    listed = duly("runs", "list").out.splitlines()
    assert listed[0].split() == ["RUN", "KEY", "WINDOW", "STATUS", "SINCE", "WHY"]
    assert listed[1].startswith(f"{run_id[:18]}  report") and run_id not in listed[1]
    shown = duly("automation", "show", "report").out
    assert "manual:" not in shown and "user:" in shown.split("answered lately")[1]
    day = duly("automation", "next", "report").out.splitlines()[1].split()[0]
    assert day in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def test_without_runs_a_list_says_none(duly):
    assert duly("runs", "list").out == "none\n"


@pytest.mark.parametrize(
    "words",
    [
        ["automation", "list"],
        ["automation", "show", "report"],
        ["automation", "next", "report"],
        ["automation", "pause", "report"],
        ["automation", "resume", "report"],
        ["automation", "delete", "report"],
        ["automation", "restore", "report"],
        ["runs", "list"],
        ["run", "report"],
        ["explain", "report"],
        ["status"],
        ["doctor"],
        ["export", "report"],
        ["audit", "verify"],
        ["db", "check"],
        ["db", "backup", "copy.db"],
        ["db", "migrate"],
        ["service", "install", "--print"],
        ["init"],
    ],
    ids=" ".join,
)
def test_every_command_answers_one_json_document(duly, words):
    duly(*ADD)
    ended = duly(*words, "--json")
    assert ended.code in (0, 5), ended.err
    assert isinstance(ended.json, dict)


def test_an_error_is_a_json_document_too(duly):
    ended = duly("automation", "show", "nobody", "--json")
    assert ended.code == 3
    assert ended.json["error"]["code"] == "not-found"
    assert duly("add", "x", "--json", "--", "true").json["error"]["code"] == "usage"


def test_states_change_and_say_how_to_undo_it(duly):
    duly(*ADD)
    for verb, state, undo in (
        ("pause", "paused", "resume"),
        ("resume", "active", "pause"),
        ("delete", "deleted", "restore"),
        ("restore", "active", "delete"),
    ):
        ended = duly("automation", verb, "report")
        assert state in ended.out and f"duly automation {undo} report" in ended.err


def test_a_deleted_automation_is_listed_only_on_request(duly):
    duly(*ADD)
    duly("automation", "delete", "report")
    assert duly("automation", "list", "--json").json["automations"] == []
    assert len(duly("automation", "list", "--deleted", "--json").json["automations"]) == 1


def test_what_was_exported_applies_unchanged(duly):
    duly(*ADD)
    duly("add", "other", "--cron", "0 9 * * *", "--", "true")
    assert duly("export", "-f", "duly.yaml").code == 0
    assert duly("apply").out.count("unchanged, revision 1") == 2
    assert duly("export", "report").out.count("job_key:") == 1


def test_case_b01_listing_answers_no_slot_and_the_next_scan_does(duly, monkeypatch):
    yesterday = Instant(clock.wall() - DAY_US)
    with monkeypatch.context() as past:
        past.setattr(clock, "wall", lambda: yesterday)
        duly("add", "hourly", "--cron", "0 * * * *", "--", "true")
    before = duly("audit", "verify", "--json").json
    for words in (["automation", "list"], ["automation", "show", "hourly"], ["status"]):
        assert duly(*words).code == 0
    assert duly("audit", "verify", "--json").json == before
    assert duly("automation", "show", "hourly", "--json").json["occurrences"] == []

    assert duly.program("tick").code == 0
    occurrences = duly("automation", "show", "hourly", "--json").json["occurrences"]
    assert sum(one["slot_count"] for one in occurrences) == 24


def test_an_explanation_tells_apart_why_a_slot_has_no_answer(duly, monkeypatch):
    yesterday = Instant(clock.wall() - DAY_US)
    with monkeypatch.context() as past:
        past.setattr(clock, "wall", lambda: yesterday)
        duly("add", "hourly", "--cron", "0 * * * *", "--", "true")
    assert "is due, and nothing has looked since" in duly("explain", "hourly").out
    assert "is still to come" in duly("explain", "hourly", "--at", "2100-01-01T00:00").out
    assert "is older than the auto" in duly("explain", "hourly", "--at", "2020-01-01T00:00").out
    duly("automation", "pause", "hourly")
    told = duly("explain", "hourly").out
    assert "It has been paused since" in told


def test_an_explanation_tells_of_a_run_that_somebody_asked_for(duly):
    duly(*ADD)
    assert "newest run" not in duly("explain", "report").out
    assert duly.program("run", "report", "--wait").code == 0
    told = duly("explain", "report").out
    assert "The newest run, asked for by hand at" in told and "Exited 0, not verified" in told


def test_status_says_first_whether_anything_works_and_who_failed(duly):
    assert duly("status").out.startswith("no server runs; nothing has ever looked")
    assert duly("add", "bad", "--cron", "0 9 * * *", "--", "sh", "-c", "exit 3").code == 0
    first = duly("status").out.splitlines()[0]
    assert first.startswith("NEEDS YOU  no server runs") and first.endswith("`duly serve`")
    assert duly("run", "bad").code == 0
    first = duly("status").out.splitlines()[0]
    assert first.startswith("NEEDS YOU  no server runs, and 1 run not over")
    run_id = duly.program("run", "bad", "--wait", "--json").json["id"]
    told = duly("status").out
    assert "no server runs; the last look was" in told.splitlines()[0]
    assert "NEEDS YOU" not in told
    assert "FAILED     bad 20" in told and f"`duly logs {run_id[:18]}`" in told
    node = duly("status", "--json").json["node"]
    assert node["is_well"] and node["owner"] is None and node["last_scan"]


def test_a_log_says_whose_it_is_and_when_it_is_empty(duly):
    duly("add", "quiet", "--cron", "0 9 * * *", "--", "true")
    run_id = duly("run", "quiet", "--json").json["run_id"]
    assert "nothing has started yet" in duly("logs", "quiet").err
    assert duly.program("run", "quiet", "--wait").code == 0
    told = duly("logs", "quiet")
    assert told.out == "" and told.err == f"{run_id[:18]}, completed: agent; it printed nothing\n"


def test_a_run_of_its_own_is_called_by_hand_and_not_by_a_random_key(duly):
    duly("add", "often", "--cron", "* * * * *", "--", "true")
    assert "by hand" in duly("run", "often").out
    assert "by hand" in duly("runs", "list", "often").out
    assert "manual:" not in duly("runs", "list", "often").out


def test_a_kept_head_finds_a_ledger_that_was_replaced(duly):
    duly(*ADD)
    kept = duly.here / "heads.json"
    kept.write_text(duly("audit", "verify", "--json").out)
    assert duly("audit", "verify", "--anchors", str(kept)).code == 0
    (duly.home / "ledger.db").unlink()
    ended = duly("audit", "verify", "--anchors", str(kept))
    assert ended.code == 5 and "BROKEN" in ended.out


def test_status_names_the_next_slot_in_its_own_zone(duly):
    duly("add", "x", "--cron", "0 9 * * *", "--zone", "Europe/Berlin", "--", "true")
    listed = duly("automation", "list", "--json").json["automations"][0]["next_run"]
    answer = duly("status", "--json").json
    assert (answer["next_run"], answer["next_zone"]) == (listed, "Europe/Berlin")
    assert f"next: x at {listed[:10]} 09:00{listed[-6:]} (Europe/Berlin)" in duly("status").out


MISSED = """job_key: daily
schedule: {cron: "0 9 * * *", timezone: Europe/Berlin}
agent: {command: ["true"], restart: safe}
isolation: in_place
expect: {exit: [0]}
"""


def test_a_missed_range_names_its_newest_window_and_status_tells_it_in_its_zone(duly, monkeypatch):
    past_at = Instant(clock.wall() - 4 * DAY_US)
    (duly.here / "duly.yaml").write_text(MISSED)
    with monkeypatch.context() as past:
        past.setattr(clock, "wall", lambda: past_at)
        assert duly("apply").code == 0
    assert duly.program("tick").code == 0
    answers = duly("automation", "show", "daily", "--json").json["occurrences"]
    (missed,) = [one for one in answers if one["disposition"] == "missed"]
    assert missed["slot_count"] > 2
    newest = missed["last_due_at"][:10]
    told = duly("explain", "daily", "--at", missed["last_due_at"]).out
    assert f"`duly run daily --window {newest}`" in told
    assert duly("run", "daily", "--window", newest).code == 0
    assert f"MISSED     daily {missed['due_at'][:10]} 09:00+0" in duly("status").out


def test_status_counts_every_run_of_the_day(duly):
    duly(*ADD)
    assert duly.program("run", "report", "--wait").code == 0
    assert "last 24 h: 1 completed" in duly("status").out
    assert duly("status", "--json").json["outcomes"] == {"completed": 1}


def test_status_says_when_slots_get_no_answer(duly):
    duly("add", "x", "--cron", "* * * * *", "--", "true")
    assert "has been due" not in duly("status").out
    with apsw.Connection(str(duly.home / "ledger.db")) as db:
        db.execute("update automation set next_due_us = next_due_us - 180000000")
    found = duly("status").out
    assert "NEEDS YOU  nothing is started: x has been due since" in found
    assert "duly doctor" in found


@pytest.mark.parametrize(
    "edit",
    [
        "update revision set work = replace(work, 'echo done', 'echo evil')",
        "update revision set timing = replace(timing, '9', '8')",
        "update revision set definition = '{}'",
        "update revision set digest = 'other'",
        "update revision set number = 2, created_at_us = created_at_us + 1",
    ],
)
def test_the_audit_finds_an_edited_definition(duly, edit):
    duly(*ADD)
    assert duly("audit", "verify").code == 0
    with apsw.Connection(str(duly.home / "ledger.db")) as db:
        db.execute(edit)
        assert db.changes() == 1
    found = duly("audit", "verify")
    assert found.code == 5
    assert "is not what was recorded" in found.out + found.err
    assert duly("db", "check").code == 5
