"""The command line itself: help that costs next to nothing, exit codes, clean printing, units."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from duly.adapters import remote, service_unit
from duly.interfaces.cli import codes, front_page, printing, tree
from duly.interfaces.cli.codes import Exit
from duly.interfaces.http import problems
from duly.model.errors import DulyError, Fault, ValidationError

ROOT = Path(__file__).parents[2]
# They end an attempt, not an operation; and a bug of ours has no code of its own.
OF_ATTEMPTS = {
    "cannot-tell",
    "cannot-work",
    "commit-gone",
    "git-failed",
    "input-altered",
    "repository-unusable",
    "secret-unavailable",
    "source-busy",
    "unexpected",
}


def _cpu_ms(command, environ):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environ, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def test_the_page_of_all_commands_imports_not_even_click():
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "duly", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in shown.stderr.splitlines()}
    ours = {name for name in loaded if name.partition(".")[0] == "duly"}
    assert ours == {
        "duly",
        "duly.app",
        "duly.interfaces",
        "duly.interfaces.cli",
        "duly.interfaces.cli.front_page",
        "duly.interfaces.cli.root",
    }
    heavy = {
        "click",
        "dataclasses",
        "inspect",
        "shutil",
        "pydantic",
        "apsw",
        "yaml",
        "httpx",
        "rich",
        "structlog",
        "starlette",
        "asyncio",
    }
    assert not heavy & loaded
    assert "Commands:" in shown.stdout


def test_the_page_of_all_commands_is_the_one_that_click_writes(monkeypatch, duly):
    monkeypatch.setenv("COLUMNS", "80")
    context = tree.root.make_context("duly", [], obj=lambda _: None, resilient_parsing=True)
    assert front_page.text() == context.get_help() + "\n"
    for words in (["--help"], ["-h"]):
        assert duly(*words).out == front_page.text()
    monkeypatch.setenv("COLUMNS", "60")
    narrow = duly("--help").out
    assert max(map(len, narrow.splitlines())) <= 60 and "Commands:" in narrow


def test_help_costs_little_beside_the_interpreter(tmp_path):
    environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    ours = [sys.executable, "-m", "duly", "--help"]
    bare = [sys.executable, "-c", "import typing, runpy"]
    _cpu_ms(ours, environ)
    floor = min(_cpu_ms(bare, environ) for _ in range(5))
    assert min(_cpu_ms(ours, environ) for _ in range(5)) < 2 * floor + 20


def _commands(group, path=()):
    for name, (target, summary) in group._lazy.items():
        command = group.get_command(None, name)
        yield (*path, name), target, summary, command
        if isinstance(command, tree.LazyGroup):
            yield from _commands(command, (*path, name))


COMMANDS = list(_commands(tree.root))


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: " ".join(entry[0]))
def test_every_command_is_there_and_explains_itself(entry, duly):
    path, _, summary, command = entry
    assert command.help and summary
    if not isinstance(command, tree.LazyGroup):
        assert command.name == path[-1]
        assert "--json" in {opt for param in command.params for opt in param.opts}
        assert f"duly {' '.join(path)}" in " ".join(command.epilog.split())
    assert duly(*path, "--help").code == 0


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: " ".join(entry[0]))
def test_every_command_stands_in_the_page(entry):
    assert f"`duly {' '.join(entry[0])}" in (ROOT / "docs/cli.md").read_text()


def test_the_page_has_the_table_of_exit_codes():
    page = (ROOT / "docs/cli.md").read_text()
    for code, meaning in codes.MEANINGS.items():
        assert f"| {int(code)} | {meaning} |" in page


def _errors(kind=DulyError):
    yield kind
    for below in kind.__subclasses__():
        yield from _errors(below)


def test_every_error_has_an_exit_code_and_a_status():
    import duly.adapters.work.performers
    import duly.service.operations  # noqa: F401

    every = {kind.code for kind in _errors() if kind.__module__.startswith("duly.")}
    assert every - OF_ATTEMPTS <= set(codes.OF_ERROR)
    assert set(problems.STATUS) <= set(codes.OF_ERROR)


def test_every_status_of_a_run_has_an_exit_code():
    from duly.model.states import Outcome

    assert {outcome.value for outcome in Outcome} | {"running", "waiting"} == set(codes.OF_STATUS)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain ✓ 名", "plain ✓ 名"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x07link\x1b]8;;\x07", "link"),
        ("a\x9b31mb", "a31mb"),
        ("\x1bPq...", "q..."),
        ("one\rtwo", "onetwo"),
        ("safe\u202egnp.exe", "safegnp.exe"),
        ("nul\x00 bel\x07 back\x08", "nul bel back"),
        ("tab\tline\n", "tab\tline\n"),
        ("half \ud800", "half "),
    ],
)
def test_nothing_that_a_terminal_would_obey_is_printed(text, clean):
    assert printing.clean(text) == clean


def test_a_table_keeps_its_columns_whatever_is_in_them(capsys):
    rows = [{"a": "名前", "b": "x"}, {"a": None, "b": "two\nlines"}, {"a": "\x1b[1mok", "b": 3}]
    printing.table(rows, (("a", "a"), ("b", "b")))
    assert capsys.readouterr().out == "A     B\n名前  x\n-     two lines\nok    3\n"


@pytest.mark.parametrize(
    ("words", "place", "expected"),
    [("duly auto", "1", "plain,automation"), ("duly run report --wi", "3", "plain,--window")],
)
def test_a_shell_completes_commands_and_options(duly, words, place, expected):
    asked = {"_DULY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}
    assert expected in duly.program(**asked).out.splitlines()
    script = duly.program(_DULY_COMPLETE="bash_source")
    assert script.code == 0 and "complete" in script.out


def test_on_a_narrow_terminal_the_last_column_goes_beneath_and_is_not_lost(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "20")
    rows = [{"a": "1234567890", "why": "because of it"}, {"a": "1", "why": "short"}]
    printing.table(rows, (("a", "a"), ("why", "why")))
    assert capsys.readouterr().out.splitlines()[1:] == [
        "1234567890",
        "    because of it",
        "1           short",
    ]


def test_what_goes_beneath_is_broken_between_words_and_not_cut(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    words = " ".join(f"name{number}=value" for number in range(12))
    printing.table([{"key": "a" * 30, "why": words}], (("key", "key"), ("why", "why")))
    head, first, *rest = capsys.readouterr().out.splitlines()
    assert (head.split(), first) == (["KEY", "WHY"], "a" * 30)
    assert " ".join(line.strip() for line in rest) == words
    assert max(map(len, rest)) <= 40 and "\x1b" not in head


def test_a_command_is_not_broken_and_can_be_copied(capsys, monkeypatch):
    command = "`duly run report --window 2026-12-01 --redo repaired`"
    told = f"FAILED report: exit 3, so look at what it printed, then {command}, or ` wait"
    printing.sentence(told)
    printing.fields([("run", "r_1"), ("next step", told)])
    assert capsys.readouterr().out.splitlines()[::2] == [told, f"next step  {told}"]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "70")
    printing.sentence(told)
    printing.fields([("next step", told)])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 70
    assert sum(command in line for line in lines) == 2
    assert " ".join(line.strip() for line in lines) == f"{told} next step  {told}"


def test_times_are_cut_to_what_a_person_reads():
    assert printing.minute("2026-12-01T02:30:00.123456Z") == "2026-12-01 02:30Z"
    assert printing.minute("2026-12-01T02:30:00+08:00") == "2026-12-01 02:30+08:00"
    assert printing.second("2026-12-01T02:30:00.123456Z") == "2026-12-01T02:30:00Z"
    assert printing.minute(None) is None and printing.second(None) is None


def test_a_fault_names_file_line_and_pointer(capsys):
    fault = Fault(pointer="/agent/command", message="must be a list", fix="write [a, b]", line=12)
    printing.complain(ValidationError([fault]), "duly.yaml")
    assert (
        capsys.readouterr().err == "duly.yaml:12: /agent/command: must be a list — write [a, b]\n"
    )


def test_what_follows_two_dashes_asks_for_nothing():
    assert tree.is_json(["add", "x", "--json", "--", "ls"])
    assert not tree.is_json(["add", "x", "--", "ls", "--json"])


def test_a_reader_that_has_seen_enough_is_no_error(duly):
    duly("add", "x", "--cron", "0 9 * * *", "--", "true")
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "duly", "automation", "next", "x", "--count", "500"],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=duly.environ,
        cwd=duly.here,
        check=False,
        text=True,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_server_that_does_not_answer_is_told_in_one_error():
    with pytest.raises(remote.UnreachableError):
        remote.ask("http://127.0.0.1:1", "t", "status", {})
    assert codes.of_error(remote.UnreachableError.code) is Exit.UNAVAILABLE


def test_the_unit_names_the_directory_and_survives_odd_names(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    home = Path('/home/a b/100%"$x')
    unit = service_unit.unit(home, ("/usr/bin/python", "-m", "duly", "serve"), "/usr/bin")
    assert 'ExecStart="/usr/bin/python" "-m" "duly" "serve"' in unit.text
    assert r'Environment="DULY_HOME=/home/a b/100%%\"$x"' in unit.text
    assert "Type=notify" in unit.text and unit.path.name == "duly.service"


def test_the_agent_of_a_mac_is_well_formed(monkeypatch):
    from xml.etree import ElementTree

    monkeypatch.setattr(sys, "platform", "darwin")
    unit = service_unit.unit(Path("/Users/a & b"), ("python", "-m", "duly", "serve"), "/usr/bin")
    strings = [node.text for node in ElementTree.fromstring(unit.text).iter("string")]
    assert "/Users/a & b" in strings and "serve" in strings


def test_a_unit_that_somebody_else_wrote_is_left_alone(duly, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    path = tmp_path / "systemd/user/duly.service"
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\n")
    assert duly("service", "install").code == 5
    assert duly("service", "remove").code == 5
    assert path.read_text() == "[Service]\n"
    path.unlink()
    assert duly("service", "remove").code == 3
    monkeypatch.setenv("DULY_NOTIFY", "http://127.0.0.1/told")
    installed = duly("service", "install")
    assert installed.code == 9 and f"wrote {path}" in installed.out
    assert "DULY_NOTIFY" in installed.err and "does not run" in installed.err
    assert "not done: systemctl" in installed.out
    assert duly("service", "remove").code == 0 and not path.exists()


def test_printing_a_unit_writes_nothing(duly, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert "[Service]" in duly("service", "install", "--print").out
    assert list(tmp_path.glob("systemd*")) == []
