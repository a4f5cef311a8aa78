"""Work without a server: admit and say so, wait in the foreground, tick; the exit code tells how it ended."""

import hashlib
import re
import shlex

import pytest

from duly.interfaces.cli.codes import Exit

RULE = ("--cron", "0 9 * * *")


def _add(duly, script, *options, key="report"):
    ended = duly("add", key, *RULE, *options, "--", "sh", "-c", script)
    assert ended.code == 0, ended.err


def test_without_a_server_a_run_is_admitted_and_somebody_has_to_work(duly):
    _add(duly, "echo hi")
    ended = duly("run", "report")
    assert ended.code == 0
    assert ended.out.startswith("started for window ")
    for way in ("duly serve", "duly tick", "--wait"):
        assert way in ended.err
    assert duly("runs", "list", "--json").json["runs"][0]["status"] == "waiting"
    assert duly.program("tick").code == 0
    assert duly("runs", "list", "--json").json["runs"][0]["status"] == "completed"


@pytest.mark.parametrize(
    ("options", "script", "code", "outcome"),
    [
        ((), "exit 0", Exit.OK, "completed"),
        (("--verify", "false"), "exit 0", Exit.NEEDS_REVIEW, None),
        (("--expect", "out.txt"), "echo found > out.txt", Exit.OK, "completed"),
    ],
)
def test_the_exit_code_tells_how_a_run_ended(duly, options, script, code, outcome):
    _add(duly, script, *options)
    ended = duly.program("run", "report", "--wait", "--json")
    assert ended.code == code, ended.err
    assert ended.json["outcome"] == outcome or outcome is None
    assert {"id", "outcome", "verdict", "reason"} <= set(ended.json)


def test_a_failure_that_changed_nothing_is_told_apart(duly):
    _add(duly, "exit 3", "--scope", "out/**", "--restart", "safe")
    text = duly("export", "report").out
    (duly.here / "duly.yaml").write_text(text + "retry: {attempts: 1}\n")
    assert duly("apply").code == 0
    assert duly.program("run", "report", "--wait").code == Exit.FAILED_BEFORE_WRITE


def test_a_plain_failure_says_what_to_do_in_commands_that_can_be_pasted(duly):
    _add(duly, "exit 3")
    ended = duly.program("run", "report", "--wait")
    (run,) = duly("runs", "list", "--json").json["runs"]
    assert f"duly logs {run['id'][:18]}" in ended.err and "resolve" not in ended.err
    assert f"duly run report --window {run['window_key']}" in ended.err
    assert "giving running work" not in ended.err


def test_what_a_run_does_not_have_is_not_shown(duly):
    _add(duly, "exit 0")
    assert duly.program("run", "report", "--wait").code == 0
    run_id = duly("runs", "list", "--json").json["runs"][0]["id"]
    shown = duly("runs", "show", run_id).out
    assert "in words" in shown and "what happened" not in shown and "next step" not in shown


def test_a_stopped_run_says_what_to_do_in_whole_commands(duly):
    _add(duly, "exit 0", "--expect", "report.html")
    assert duly.program("run", "report", "--wait").code == Exit.NEEDS_REVIEW
    (run,) = duly("runs", "list", "--json").json["runs"]
    resolve = re.search(r"`duly (runs resolve [^`]*)`", run["next_step"])
    assert resolve is not None
    resumed = duly("runs", "resume", run["id"])
    assert resumed.code == 0 and "nobody works on it yet" in resumed.err
    assert duly.program("tick").code == 0
    assert duly(*shlex.split(resolve[1])).code == 0
    assert duly("runs", "list", "--json").json["runs"][0]["status"] == "failed-before-write"


def test_what_happened_to_a_run_is_told_and_nothing_that_is_still_open(duly):
    _add(duly, "exit 3")
    assert "what happened: agent exited 3" in duly.program("run", "report", "--wait").out
    run_id = duly("runs", "list", "--json").json["runs"][0]["id"]
    assert "agent exited 3" in duly("runs", "show", run_id).out
    told = duly("runs", "events", run_id).out
    assert "observed_at=20" in told
    assert "=-" not in told and "{}" not in told


def test_asking_for_what_is_over_says_how_it_ended(duly):
    _add(duly, "true")
    assert duly.program("run", "report", "--wait").code == 0
    assert "it is completed (Exited 0, not verified)" in duly("run", "report").out


def test_who_waits_is_told_what_the_run_waits_for(duly):
    _add(duly, "true")
    script = duly.here / "gone.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert duly("add", "gone", *RULE, "--", "./gone.sh").code == 0
    script.unlink()
    ended = duly.program("run", "gone", "--wait", "--timeout", "3")
    assert ended.code == Exit.TIMED_OUT
    assert ended.err.count("the program was not found") == 1 and "Install it" in ended.err


def test_the_answer_of_waiting_tells_the_end_of_the_run_and_how_it_was_asked_for(duly):
    _add(duly, "true")
    duly.program("run", "report", "--wait")
    again = duly.program("run", "report", "--wait", "--json").json
    assert (again["reason"], again["why"]) == ("exit_declared", "Exited 0, not verified")
    assert again["answered"]["disposition"] == "joined"
    assert again["answered"]["reason"] == "same_work" and "same window" in again["answered"]["why"]


def test_the_beginning_of_an_id_names_a_run(duly):
    _add(duly, "true")
    run_id = duly("run", "report", "--json").json["run_id"]
    assert duly("runs", "show", run_id[:18], "--json").json["run"]["id"] == run_id
    assert duly("runs", "contract", run_id[:18], "--json").json["run_id"] == run_id
    assert duly("runs", "events", run_id[:18], "--json").json["scope"] == f"run:{run_id}"
    assert duly("logs", run_id[:18], "--json").json["run_id"] == run_id
    assert duly("runs", "show", "r_").code == 3
    assert duly("runs", "show", run_id[:5]).code == 3
    assert duly("runs", "cancel", run_id[:18], "--json").json["run"]["run"]["id"] == run_id


def test_a_window_that_is_done_is_found_again_not_repeated(duly):
    _add(duly, "date +%s%N > out.txt", "--expect", "out.txt")
    first = duly.program("run", "report", "--wait", "--json").json
    before = (duly.here / "out.txt").read_bytes()
    again = duly.program("run", "report", "--wait", "--json")
    assert again.code == 0
    assert again.json["id"] == first["id"] and again.json["verdict"] == "reuse"
    assert again.json["disposition"] == "joined"
    assert (duly.here / "out.txt").read_bytes() == before


def test_a_key_that_is_sent_twice_is_answered_once(duly):
    _add(duly, "true")
    first = duly("run", "report", "--idempotency-key", "k1", "--json").json
    again = duly("run", "report", "--idempotency-key", "k1", "--json").json
    assert again["run_id"] == first["run_id"] and again["is_replay"]


def test_redo_needs_a_reason_and_effects_need_redo(duly):
    _add(duly, "true")
    assert duly("run", "report", "--effects", "update").code == 2
    assert duly("run", "report", "--timeout", "1").code == 2
    assert duly("run", "report", "--window", "no-window").code == 2


def test_adding_and_trying_is_one_command(duly):
    ended = duly.program("add", "report", *RULE, "--try", "--", "sh", "-c", "echo tried")
    assert ended.code == 0 and "completed" in ended.out
    assert duly("logs", "report").out == "tried\n"
    run_id = duly("runs", "list", "--json").json["runs"][0]["id"]
    assert duly("logs", run_id, "-f").out == "tried\n"
    assert duly("logs", run_id, "--json").json["text"] == "tried\n"
    assert duly("logs", run_id, "--part", "verify").code == 3


def test_a_run_is_shown_with_its_contract_and_events(duly):
    _add(duly, "true")
    run_id = duly.program("run", "report", "--wait", "--json").json["id"]
    shown = duly("runs", "show", run_id).out
    assert "completed" in shown and "sh -c true" in shown
    contract = duly("runs", "contract", run_id).out
    for name in ("job_key", "window_key", "dedupe_key", "input_snapshot", "write_scope", "status"):
        assert f"{name}:" in contract
    kinds = [event["kind"] for event in duly("runs", "events", run_id, "--json").json["events"]]
    assert kinds and len(duly("runs", "events", run_id).out.splitlines()) == len(kinds) + 1


def test_what_a_run_changed_is_shown(duly):
    _add(duly, "date +%s%N > out.txt", "--expect", "out.txt")
    first = duly.program("run", "report", "--wait", "--json").json["id"]
    assert duly("runs", "diff", first).out == "new, or no text: out.txt\n"
    again = duly.program(
        "run", "report", "--redo", "anew", "--effects", "update", "--wait", "--json"
    )
    told = duly("runs", "diff", again.json["id"]).out
    assert "\n-1" in told and "\n+1" in told


def test_what_a_run_changed_outside_its_scope_is_named(duly):
    _add(duly, "echo 1 > out.txt; echo 2 > other.txt", "--expect", "out.txt")
    ended = duly.program("run", "report", "--wait")
    assert ended.code == Exit.NEEDS_REVIEW and "duly runs diff r_" in ended.err
    run_id = duly("runs", "list", "--json").json["runs"][0]["id"]
    assert duly("runs", "diff", run_id).out == "outside its scope, not published: other.txt (new)\n"
    assert duly("runs", "diff", run_id, "--json").json["outside"] == ["other.txt"]


def test_a_run_that_left_its_scope_is_shown_with_what_stood_there(duly):
    (duly.here / "old.txt").write_text("before\n")
    script = "echo 1 > out.txt; echo 2 > new.txt; echo 3 > old.txt"
    _add(duly, script, "--expect", "out.txt")
    run_id = duly.program("run", "report", "--wait", "--json").json["id"]
    shown = duly("runs", "show", run_id).out.splitlines()
    place = next(n for n, line in enumerate(shown) if line.startswith("OUTSIDE ITS SCOPE"))
    told = [line.split() for line in shown[place + 1 :]]
    assert told[0] == ["new.txt", "new", "-"]
    assert told[1][:4] == ["old.txt", "changed", "7", "bytes"]
    changes = duly("runs", "diff", run_id, "--json").json["outside_changes"]
    assert changes[1]["before_sha256"] == hashlib.sha256(b"before\n").hexdigest()


def test_more_paths_than_an_event_names_are_all_named(duly):
    _add(duly, "echo 1 > out.txt; for n in $(seq 30); do echo > new$n; done", "--expect", "out.txt")
    run_id = duly.program("run", "report", "--wait", "--json").json["id"]
    assert len(duly("runs", "diff", run_id, "--json").json["outside"]) == 30
    assert "… and 10 more: `duly runs diff" in duly("runs", "show", run_id).out


def test_lists_name_the_exit_code_of_a_program_that_failed(duly):
    _add(duly, "exit 3")
    assert duly.program("run", "report", "--wait").code == Exit.FAILED_BEFORE_WRITE
    for words in (["runs", "list"], ["automation", "list"], ["status"], ["explain", "report"]):
        assert "exit 3" in duly(*words).out, words
    assert duly("runs", "list", "--json").json["runs"][0]["why"] == "exit 3"


def test_lists_name_the_exit_code_of_a_run_that_is_done_by_it(duly):
    _add(duly, "exit 3")
    text = duly("export", "report").out.replace("- 0", "- 3")
    (duly.here / "duly.yaml").write_text(text)
    assert duly("apply").code == 0
    assert duly.program("run", "report", "--wait").code == 0
    for words in (["runs", "list"], ["automation", "list"]):
        assert "Exited 3, not verified" in duly(*words).out, words


def test_a_waiting_run_is_cancelled(duly):
    _add(duly, "true")
    run_id = duly("run", "report", "--json").json["run_id"]
    assert "cancelled" in duly("runs", "cancel", run_id, "--reason", "not needed").out
    assert duly("runs", "resume", run_id).code == 5


def test_a_stopped_run_is_resolved_with_evidence(duly):
    _add(duly, "exit 0", "--verify", "false")
    run_id = duly.program("run", "report", "--wait", "--json").json["id"]
    assert duly("runs", "resolve", run_id, "--outcome", "completed").code == 2
    ended = duly("runs", "resolve", run_id, "--outcome", "completed", "--evidence", "I looked")
    assert ended.code == 0 and "completed" in ended.out


def test_hostile_output_does_not_reach_a_terminal(duly, monkeypatch):
    _add(duly, r"printf '\033]0;owned\007\033[31mred\n'")
    assert duly.program("run", "report", "--wait").code == 0
    assert duly("logs", "report").out == "\x1b]0;owned\x07\x1b[31mred\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert duly("logs", "report").out == "red\n"


@pytest.mark.parametrize("text", ["0", "0s", "0.5", "80s", "5m", "1h"])
def test_a_time_to_wait_is_written_as_every_duration_or_in_seconds(duly, text):
    ended = duly("run", "nobody", "--wait", "--timeout", text)
    assert ended.code == Exit.NOT_FOUND, ended.err


@pytest.mark.parametrize("text", ["soon", "-1", "80 s", "99999999999", "1e3", "", "٣"])
def test_a_time_to_wait_that_is_none_says_how_to_write_one(duly, text):
    ended = duly("run", "report", "--wait", "--timeout", text)
    assert ended.code == Exit.INVALID and "such as 90s, 15m, 2h or 1d" in ended.err
