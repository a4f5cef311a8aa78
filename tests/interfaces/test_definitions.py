"""Definitions in files: init, diff, apply, create, export."""

import json
import stat

import pytest
import yaml

from duly.interfaces.cli.templates import TEMPLATES


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_applies_as_it_is_written(duly, template):
    assert duly("init", "--template", template).code == 0
    text = (duly.here / "duly.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=duly.schema.json\n")
    schema = json.loads((duly.here / "duly.schema.json").read_text())
    assert set(yaml.safe_load(text)) <= set(schema["properties"])
    ended = duly("apply")
    assert ended.code == 0 and ended.out.count("+08:00") == 5


def test_the_report_template_works(duly):
    duly("init", "--template", "report")
    duly("apply")
    ended = duly.program("run", "daily-report", "--wait")
    assert ended.code == 0, ended.err
    assert [path.suffix for path in (duly.here / "reports").iterdir()] == [".md"]


def test_init_overwrites_nothing(duly):
    (duly.here / "duly.yaml").write_text("mine")
    assert duly("init").code == 5
    assert (duly.here / "duly.yaml").read_text() == "mine"


def test_a_revision_shows_its_slots_before_and_after(duly):
    duly("init")
    file = duly.here / "duly.yaml"
    assert "created, revision 1" in duly("apply").out
    file.write_text(file.read_text().replace("30 2 * * *", "45 3 * * *"))

    shown = duly("diff")
    assert "+  cron: 45 3 * * *" in shown.out and "would be revised" in shown.err
    assert "unchanged" not in duly("diff").err

    ended = duly("apply")
    before, _, after = ended.out.partition("slots after")
    assert "revised, revision 2" in before
    assert before.count("02:30:00+08:00") == 5 and after.count("03:45:00+08:00") == 5
    assert duly("diff").out == ""


def test_a_dry_run_changes_nothing(duly):
    duly("init")
    assert "created" in duly("apply", "--dry-run").out
    assert duly("automation", "list", "--json").json["automations"] == []


def test_create_refuses_what_exists(duly):
    duly("init")
    assert duly("automation", "create").code == 0
    assert duly("automation", "create").code == 5


def test_a_creation_sent_twice_with_its_key_happens_once(duly):
    duly("init")
    first = duly("automation", "create", "--idempotency-key", "k", "--json").json["results"][0]
    again = duly("automation", "create", "--idempotency-key", "k", "--json").json["results"][0]
    assert again["id"] == first["id"] and again["revision"] == 1


def test_standard_input_is_a_file_too(duly):
    text = TEMPLATES["command"]
    import subprocess
    import sys

    ended = subprocess.run(
        [sys.executable, "-m", "duly", "apply", "-f", "-"],
        input=text,
        cwd=duly.here,
        env=duly.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def test_nobody_is_told_is_said(duly, monkeypatch):
    words = ["--cron", "0 9 * * *", "--", "true"]
    duly("init")
    assert duly("apply").err.count("nobody is told") == 1
    assert "nobody is told" in duly("add", "a", *words).err
    assert "nobody is told" not in duly("add", "b", "--notify", "true", *words).err
    monkeypatch.setenv("DULY_NOTIFY", "https://example.org/hook")
    assert "nobody is told" not in duly("add", "c", *words).err


def test_a_dry_add_shows_what_it_would_write(duly):
    ended = duly("add", "a", "--dry-run", "--cron", "0 9 * * *", "--", "true")
    assert ended.code == 0 and "job_key: a" in ended.out
    assert duly("automation", "list", "--json").json["automations"] == []


def test_a_backup_is_a_ledger_and_never_overwrites(duly):
    duly("init")
    duly("apply")
    copy = duly.here / "copy.db"
    assert duly("db", "backup", str(copy)).code == 0
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert duly("db", "backup", str(copy)).code == 5
    other = duly.here / "other"
    other.mkdir(mode=0o700)
    copy.rename(other / "ledger.db")
    listed = duly("--home", str(other), "automation", "list", "--json").json["automations"]
    assert [one["job_key"] for one in listed] == ["nightly-cleanup"]


def test_the_same_line_again_changes_nothing_and_says_so(duly):
    line = ("add", "x", "--cron", "0 9 * * *", "--", "true")
    assert "x: created" in duly(*line).out
    assert "x: there already, and just so" in duly(*line).out
    ended = duly(*line, "more")
    assert ended.code == 5 and "duly export x" in ended.err


def test_a_program_that_cannot_be_started_yet_is_told_at_once(duly):
    line = ("add", "x", "--cron", "0 9 * * *", "--dry-run", "--", "./x.sh")
    assert "does not exist yet" in duly(*line).err
    (duly.here / "x.sh").write_text("#!/bin/sh\n")
    assert "chmod +x" in duly(*line).err
    (duly.here / "x.sh").chmod(0o755)
    assert "/agent/command" not in duly(*line).err


def test_a_name_that_may_not_be_says_which_may(duly):
    ended = duly("add", "Bad Name", "--cron", "0 9 * * *", "--", "true")
    assert ended.code == 2 and "use a-z 0-9" in ended.err


def test_whoever_is_told_is_found_from_the_files_directory_or_missed_at_once(duly):
    line = ("add", "x", "--cron", "0 9 * * *", "--notify", "./tell.sh", "--", "sh", "-c", "exit 3")
    assert "tell.sh does not exist yet" in duly(*line).err
    teller = duly.here / "tell.sh"
    teller.write_text(f'#!/bin/sh\necho "$DULY_NOTICE" > {duly.here}/told\n')
    teller.chmod(0o755)
    assert duly.program("run", "x", "--wait").code == 6
    assert "x" in (duly.here / "told").read_text()
    missing = ("add", "y", "--cron", "0 9 * * *", "--notify", "no-such-mailer", "--", "true")
    assert "no-such-mailer was not found, so nobody is told" in duly(*missing).err


def test_a_difference_shows_the_slots_before_and_after_where_they_move(duly):
    duly("add", "x", "--cron", "0 9 * * *", "--", "true")
    assert duly("export", "x", "-f", "duly.yaml").code == 0
    text = (duly.here / "duly.yaml").read_text()
    (duly.here / "duly.yaml").write_text(text.replace("0 9 * * *", "0 10 * * *"))
    told = duly("diff").out
    assert told.index("slots before") < told.index("slots after")
    assert told.count("T09:00:00") == 5 and told.count("T10:00:00") == 5
    (duly.here / "duly.yaml").write_text(text + "description: more\n")
    told = duly("diff").out
    assert "slots before" not in told and told.count("T09:00:00") == 5
