"""Bad input: one clear error for each fault, an exit code to branch on, nothing lost, no traceback."""

import os
import subprocess

import apsw
import pytest

from duly.adapters import zones
from duly.app import configured

RULE = ("--cron", "0 9 * * *")
GOOD = """\
job_key: report
schedule: {cron: "0 9 * * *"}
agent: {command: [sh, -c, "true"]}
expect: {exit: [0]}
"""


def _one_line(ended, code, *words):
    assert ended.code == code, (ended.code, ended.err)
    assert ended.out == ""
    assert ended.err.count("\n") == 1, ended.err
    for word in words:
        assert word in ended.err, ended.err


def _apply(duly, text, name="duly.yaml"):
    (duly.here / name).write_text(text)
    return duly("apply", "-f", name)


def test_an_unknown_zone_is_refused_with_a_likely_one(duly):
    ended = duly("add", "x", *RULE, "--zone", "Asia/Taipeh", "--", "true")
    _one_line(ended, 2, "Asia/Taipeh", "Asia/Taipei")


def test_impossible_rules_are_refused(duly):
    for option, rule in (
        ("--cron", "0 25 * * *"),
        ("--cron", "0 0 31 2 *"),
        ("--rrule", "FREQ=DAILY;BYHOUR=24"),
        ("--rrule", "FREQ=NEVER"),
        ("--once", "yesterday"),
    ):
        ended = duly("add", "x", option, rule, "--", "true")
        assert ended.code == 2, rule
        assert "Traceback" not in ended.err and ended.err.strip(), rule
    assert duly("automation", "list", "--json").json["automations"] == []


def test_unbounded_catch_up_is_refused(duly):
    ended = _apply(duly, GOOD + "catch_up: {bounded: {count: 1000, max_age: 1d}}\n")
    assert ended.code == 2 and "duly.yaml:5: /catch_up/bounded/count" in ended.err
    assert _apply(duly, GOOD + "catch_up: all\n").code == 2


def test_a_scope_outside_the_root_is_refused(duly):
    for scope in ("../other/**", "/etc/**", "a/../../b"):
        ended = duly("add", "x", *RULE, "--scope", scope, "--", "true")
        assert ended.code == 2 and "/write_scope" in ended.err, scope


def test_a_missing_program_is_refused(duly):
    _one_line(duly("add", "x", *RULE, "--", "no-such-program"), 2, "no-such-program", "not found")


def test_a_running_automation_without_its_directory_waits_and_says_so(duly):
    (duly.here / "gone").mkdir()
    text = GOOD + "cwds: [gone]\nisolation: in_place\n"
    assert _apply(duly, text).code == 0
    (duly.here / "gone").rmdir()
    ended = duly.program("run", "report", "--wait", "--timeout", "1", "--json")
    assert ended.code == 8 and "Traceback" not in ended.err
    assert "director" in ended.json["run"]["words"]


def test_a_repository_without_commits_is_named(duly):
    subprocess.run(["git", "init", "--quiet", "empty"], check=True)
    assert _apply(duly, GOOD + "inputs: {repo: empty}\n").code == 0
    ended = duly.program("run", "report", "--wait")
    assert ended.code == 6 and "empty has no commits" in ended.out
    run_id = duly("runs", "list", "--json").json["runs"][0]["id"]
    assert "empty has no commits" in duly("runs", "show", run_id).out


def test_all_faults_of_a_file_are_told_at_once_with_line_and_pointer(duly):
    ended = _apply(duly, "jobkey: x\nagent: {command: true, colour: red}\npriority: high\n")
    assert ended.code == 2 and ended.out == ""
    lines = ended.err.splitlines()
    assert len(lines) >= 4
    assert all(line.startswith("duly.yaml:") for line in lines)
    assert any(line.startswith("duly.yaml:1: /jobkey:") and "job_key" in line for line in lines)
    assert any(line.startswith("duly.yaml:2: /agent/command:") and " — " in line for line in lines)


def test_files_that_are_no_definitions_are_refused(duly):
    for content in (b"\xff\xfe", b"", b"[1, 2]", b"a: [", b"\x00"):
        (duly.here / "duly.yaml").write_bytes(content)
        ended = duly("apply")
        assert ended.code == 2 and "duly.yaml" in ended.err, content[:9]
        assert "Traceback" not in ended.err
    _one_line(duly("apply", "-f", "absent.yaml"), 2, "absent.yaml", "duly init")


def test_a_name_that_is_taken_is_a_conflict(duly):
    assert duly("add", "x", *RULE, "--", "true").code == 0
    _one_line(duly("add", "x", *RULE, "--", "false"), 5, "x")
    duly("automation", "delete", "x")
    ended = duly("add", "x", *RULE, "--", "true")
    assert ended.code == 5 and "restore" in ended.err


def test_hostile_names_are_refused_and_never_printed_raw(duly):
    for name in ("../x", "A B", "x\x1b[31m", "", "x" * 200, "\u202eevil", "x\ny", "-x", "\udcff"):
        ended = duly("add", *RULE, "--", name, "true")
        assert ended.code == 2, name
        assert "\x1b" not in ended.err and "\u202e" not in ended.err
        assert "Traceback" not in ended.err


def test_usage_is_explained_on_stderr(duly):
    for words in (
        ["nonsense"],
        ["add"],
        ["add", "x", "--", "true"],
        ["run"],
        ["runs", "list", "--limit", "0"],
    ):
        ended = duly(*words)
        assert (ended.code, ended.out) == (2, ""), words
        assert "Usage" in ended.err


def test_a_foreign_database_is_left_alone(duly):
    duly.home.mkdir(mode=0o700)
    ledger = duly.home / "ledger.db"
    db = apsw.Connection(str(ledger))
    db.execute("create table mine (x)")
    db.close()
    before = ledger.read_bytes()
    for words in (["automation", "list"], ["add", "x", *RULE, "--", "true"], ["tick"], ["serve"]):
        _one_line(duly(*words), 2, "ledger.db", "another program")
    assert ledger.read_bytes() == before
    doctor = duly("doctor")
    assert doctor.code == 5 and "another program" in doctor.out


def test_an_unreadable_database_is_named(duly):
    duly.home.mkdir(mode=0o700)
    (duly.home / "ledger.db").mkdir()
    _one_line(duly("status"), 2, "is a directory")
    (duly.home / "ledger.db").rmdir()
    os.mkfifo(duly.home / "ledger.db")
    _one_line(duly("status"), 2, "is no regular file")
    (duly.home / "ledger.db").unlink()
    (duly.home / "ledger.db").write_text("not a database at all")
    _one_line(duly("status"), 2, "is not a SQLite database")


def test_a_newer_schema_is_not_touched(duly):
    duly("add", "x", *RULE, "--", "true")
    db = apsw.Connection(str(duly.home / "ledger.db"))
    db.execute("update schema_meta set version = 99, min_reader = 99, min_writer = 99")
    db.close()
    for words in (["automation", "list"], ["run", "x"], ["tick"]):
        _one_line(duly(*words), 5, "schema 99", "newer")


def test_a_data_directory_that_cannot_be_one_is_named(duly):
    file = duly.here / "file"
    file.write_text("")
    for place in (file, file / "below"):
        for words in (["status"], ["add", "x", *RULE, "--", "true"], ["serve"], ["doctor"]):
            _one_line(duly("--home", str(place), *words), 9, "file")


def test_a_directory_of_somebody_else_is_neither_closed_nor_filled(duly):
    duly.home.mkdir(mode=0o755)
    (duly.home / "letters").mkdir()
    for words in (["add", "x", *RULE, "--", "true"], ["serve"], ["tick"]):
        _one_line(duly(*words), 9, "holds other things", "empty directory")
    assert duly.home.stat().st_mode & 0o777 == 0o755
    assert [entry.name for entry in duly.home.iterdir()] == ["letters"]


def test_a_directory_that_is_open_to_others_is_closed(duly):
    duly.home.mkdir(mode=0o755)
    (duly.home / "bytes").mkdir()
    (duly.home / "token.4711.new").write_text("")
    assert duly("add", "x", *RULE, "--", "true").code == 0
    assert duly.home.stat().st_mode & 0o777 == 0o700
    assert (duly.home / "token").stat().st_mode & 0o777 == 0o600


def test_a_full_disk_is_told_in_one_line(duly, monkeypatch):
    assert duly("add", "x", *RULE, "--", "true").code == 0
    ended = duly("db", "backup", "/dev/full/copy")
    _one_line(ended, 9, "/dev/full/copy")


def test_case_d08_without_a_zone_the_workspaces_holds_and_is_shown(duly):
    added = duly("add", "x", *RULE, "--", "true")
    assert "(Asia/Taipei)" in added.out
    for words in (["automation", "show", "x"], ["automation", "next", "x"], ["doctor"]):
        ended = duly(*words)
        assert "Asia/Taipei" in ended.out + ended.err
    os.environ["TZ"] = "Europe/Berlin"
    # What the first start took stays, whatever the host says later.
    assert "(Asia/Taipei)" in duly("add", "y", *RULE, "--", "true").out


def test_case_d08_a_host_without_a_zone_is_refused_saying_how_to_set_it(duly, monkeypatch):
    monkeypatch.setattr(configured, "host_zone_name", lambda: zones.host_zone_name({}, duly.here))
    _one_line(duly("add", "x", *RULE, "--", "true"), 2, "time zone", "DULY_TIMEZONE", "config.toml")
    (duly.home / "config.toml").write_text('timezone = "Europe/Berlin"\n')
    assert "(Europe/Berlin)" in duly("add", "x", *RULE, "--", "true").out


def test_a_zone_of_the_host_that_is_none_is_refused(duly, monkeypatch):
    monkeypatch.setenv("TZ", "EST5EDT,M3.2.0")
    ended = duly("add", "x", *RULE, "--", "true")
    assert ended.code == 2 and "/timezone" in ended.err


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("leese = '2min'\n", "lease"),
        ("lease = 'soon'\n", "30s"),
        ("limit = 0\n", "least"),
        ("notify_command = 'mail me'\n", "list"),
        ("lease = \n", "config.toml"),
        ("lease = {a = 1}\n", "one text or number"),
    ],
)
def test_a_bad_configuration_is_refused_by_name(duly, text, word):
    duly.home.mkdir(mode=0o700)
    (duly.home / "config.toml").write_text(text)
    ended = duly("automation", "list")
    assert ended.code == 2 and word in ended.err and "config.toml" in ended.err
    assert "Traceback" not in ended.err
    doctor = duly("doctor")
    assert doctor.code == 5 and word in doctor.out and "ok    python" in doctor.out
    assert doctor.out.count("FAIL  configuration: ") == doctor.out.count("FAIL") == 1
    assert [one["name"] for one in duly("doctor", "--json").json["checks"]][-1] == "configuration"


def test_a_bug_of_ours_ends_in_one_line_and_keeps_its_traceback(duly):
    duly("add", "x", *RULE, "--", "true")
    # Nothing that Duly writes is a directory there.
    (duly.home / "token").unlink()
    (duly.home / "bytes" / "sha256").mkdir(exist_ok=True)
    (duly.home / "owner.lock").unlink()
    (duly.home / "owner.lock").mkdir()
    ended = duly.program("run", "x")
    assert ended.code in (1, 9)
    assert "Traceback" not in ended.err and ended.err.count("\n") == 1
