"""What a program sees of the node, and that what must not be seen is kept nowhere."""

import os

import pytest

from duly.testkit.workbench import Options, Workbench
from tests.node.jobs import definition, files, outcome

SECRET = "s3cr3t-Ünd-long-enough"
OTHER = "another-0ne-from-a-file"
SAYS_ENV = 'mkdir -p reports; env | sort > "$DULY_ARTIFACT"'


def environ(**more):
    return {"PATH": os.environ["PATH"], "HOME": "/home-of-the-node", "LANG": "C.UTF-8", **more}


def environment_seen(place, root, options=None, **agent):
    """Run a program that writes down its environment, and return it."""
    with Workbench(place, options or Options(environ=environ())) as bench:
        bench.apply(definition(SAYS_ENV, agent=agent), root)
        found = bench.run("report", window="2026-09-01")
        assert found.run.outcome == "completed", found.run
    lines = files(root)["reports/2026-09-01.md"].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_a_variable_of_the_node_does_not_leak(home, root):
    options = Options(environ=environ(AWS_TOKEN="leak", DULY_NOTIFY="http://leak", LD_PRELOAD="x"))
    seen = environment_seen(home, root, options, env={"MINE": "yes"})
    assert seen["MINE"] == "yes"
    assert seen["LANG"] == "C.UTF-8"
    assert {"AWS_TOKEN", "LD_PRELOAD", "DULY_NOTIFY"} & seen.keys() == set()
    assert "leak" not in "".join(seen.values())


def test_home_is_private_and_kept_from_run_to_run(home, root):
    seen = environment_seen(home, root)
    assert seen["HOME"].startswith(f"{home}/homes/")
    assert os.stat(seen["HOME"]).st_mode & 0o777 == 0o700


def test_home_is_inherited_where_declared(home, root):
    seen = environment_seen(home, root, home="inherit")
    assert seen["HOME"] == "/home-of-the-node"


def test_each_attempt_has_a_tmpdir_of_its_own_that_is_gone_afterwards(home, root):
    seen = environment_seen(home, root)
    assert seen["TMPDIR"].startswith(f"{home}/stage/")
    assert not os.path.exists(seen["TMPDIR"])


def test_a_program_is_told_what_it_is_for(home, root):
    seen = environment_seen(home, root)
    told = {name: seen[f"DULY_{name}"] for name in ("JOB_KEY", "WINDOW", "ARTIFACT", "ATTEMPT")}
    assert told == {
        "JOB_KEY": "report",
        "WINDOW": "2026-09-01",
        "ARTIFACT": "reports/2026-09-01.md",
        "ATTEMPT": "1",
    }
    assert seen["DULY_SPAN_START"] == "2026-09-01T00:00:00Z"
    assert seen["DULY_SPAN_END"] == "2026-09-02T00:00:00Z"
    assert seen["DULY_CWDS"] == str(root)
    assert seen["PWD"] == seen["DULY_ROOT"] != str(root)


def spills(script_end):
    """Return a program that prints both secrets whole, in pieces, and in its error output."""
    return (
        'echo "$KEY and $FILED"; printf "%s" "$KEY" | head -c 7; printf "%s" "$KEY" | tail -c +8; '
        f'echo; echo "$FILED" >&2; {script_end}'
    )


@pytest.mark.parametrize(
    ("script_end", "ends"),
    [('mkdir -p reports; echo x > "$DULY_ARTIFACT"', "completed"), ("exit 3", "needs-review")],
)
def test_a_secret_is_kept_nowhere_but_where_it_was_declared(home, root, script_end, ends):
    filed = home / "secret"
    filed.write_text(OTHER)
    filed.chmod(0o600)
    agent = {"secrets": {"KEY": "env:NODE_KEY", "FILED": f"file:{filed}"}}
    check = {"verify": ["sh", "-c", spills("true")]}
    with Workbench(home, Options(environ=environ(NODE_KEY=SECRET))) as bench:
        bench.apply(
            definition(spills(script_end), agent=agent, precheck=["sh", "-c", spills("true")])
            if ends != "completed"
            else definition(spills(script_end), agent=agent, expect=check),
            root,
        )
        found = bench.run("report")
        assert found.run.outcome == ends
        shown = [found, bench.ask("runs.contract", run_id=found.run.id)]
        shown += [bench.ask("automation.show", job_key="report")]
        shown += [bench.ask("automation.export", job_key="report")]
        shown += [bench.ask("runs.events", run_id=found.run.id)]
        log = bench.ask("logs.read", job_key="report", part="agent").text
    assert log.count("[redacted]") >= 4, log
    texts = "".join(one.model_dump_json() for one in shown) + log
    assert SECRET not in texts and OTHER not in texts
    everything = [path for path in home.rglob("*") if path.is_file() and path != filed]
    assert len(everything) > 5
    for path in everything:
        content = path.read_bytes()
        assert SECRET.encode() not in content and OTHER.encode() not in content, path


@pytest.mark.parametrize("reference", ["env:NOT_THERE", "file:/not/there"])
def test_a_secret_that_is_not_there_fails_before_any_write(home, root, reference):
    with Workbench(home, Options(environ=environ())) as bench:
        bench.apply(definition(agent={"secrets": {"KEY": reference}}), root)
        assert outcome(bench.run("report")) == ("failed-before-write", "secret_missing")
