"""A tree dies with its node, its launcher or its result, however it is spread; and its death is proven."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from duly.adapters.launch import living, proof
from duly.adapters.launch.events import Empty, Exited, Frozen, LauncherLost, Signalled, Started
from duly.adapters.launch.launch import Launchers
from duly.adapters.launch.proof import Alive, Dead, Death, ExecutionFacts, Unprovable
from duly.adapters.launch.request import frame
from tests.adapters.launch.nodes import PYTHON, TOKEN, End, python, request

ESCAPED = """
    import os, signal, sys
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork(): signal.pause()
    os.setsid()
    if os.fork(): os._exit(0)
    print(os.getpid())
    sys.stdout.flush(); os.closerange(0, 256)
    signal.pause()
"""
# It ends by itself in the end: a fault here must not leave the machine with one for ever.
COMET = """
    import os
    print(os.getpid())
    for _ in range(30_000):
        if os.fork(): os._exit(0)
        os.setsid()
"""
BARE = """
    import os, sys, signal
    if len(sys.argv) == 1:
        if os.fork(): signal.pause()
        os.setsid()
        if os.fork(): os._exit(0)
        os.execve(sys.executable, [sys.executable, "-I", "-S", "-u", "-c", sys.orig_argv[-1], "x"], {})
    print(os.getpid()); signal.pause()
"""
CHAIN = """
    import os, signal
    for _ in range(40):
        if os.fork(): signal.pause()
        os.setsid()
    print(os.getpid()); signal.pause()
"""
TREES = {"escaped": ESCAPED, "bare": BARE, "chain": CHAIN}
LAUNCHER = (
    "import sys; sys.path.append(sys.argv[1]);"
    "import launcher; launcher.main(*map(int, sys.argv[2:]))"
)
NODE = """
    import json, sys
    from pathlib import Path
    from duly.adapters.launch.launch import adopt_orphans
    from tests.adapters.launch.nodes import Node, python
    adopt_orphans()
    code, place = sys.argv[1:]
    node = Node(python(Path(place), code, record=Path(place) / "record"))
    node.until_output(b"\\n")
    facts = node.launched.facts
    print(json.dumps([facts.launcher_pid, facts.launcher_ticks, facts.pid, facts.start_ticks]))
    print(node.output().decode(), flush=True)
    node.to_end()
"""


@pytest.fixture
def node_elsewhere(tmp_path):
    """Run a node of its own, to be killed; returns it, its facts and the pid that the tree told."""
    nodes = []

    def begin(code):
        command = [sys.executable, "-c", textwrap.dedent(NODE), textwrap.dedent(code), tmp_path]
        node = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        nodes.append(node)
        launcher_pid, launcher_ticks, pid, ticks = json.loads(node.stdout.readline())
        facts = ExecutionFacts(
            boot_id=living.boot_id(),
            run_token=TOKEN,
            launcher_pid=launcher_pid,
            launcher_ticks=launcher_ticks,
            pid=pid,
            start_ticks=ticks,
            record=tmp_path / "record",
        )
        return node, facts, int(node.stdout.readline())

    yield begin
    for node in nodes:
        node.kill()
        node.stdout.close()
        node.wait()


@pytest.mark.parametrize("name", TREES)
def test_case_a21_the_tree_dies_with_its_node(node_elsewhere, name):
    node, facts, far = node_elsewhere(TREES[name])
    ends = [End(facts.launcher_pid), End(facts.pid), End(far)]
    assert isinstance(proof.prove_dead(facts), Alive)
    node.kill()
    for end in ends:
        end.wait()
    assert proof.prove_dead(facts) == Dead(Death.LAUNCHER_SAID_EMPTY)
    assert facts.record.read_text().splitlines()[-2:] == ["signalled 9", "empty"]


def test_case_a21_a_tree_that_never_stands_still_dies_with_its_node(node_elsewhere):
    node, facts, _ = node_elsewhere(COMET)
    end = End(facts.launcher_pid)
    node.kill()
    end.wait()
    assert proof.prove_dead(facts) == Dead(Death.LAUNCHER_SAID_EMPTY)
    assert proof.tree_of(facts) == ()


@pytest.mark.parametrize("name", TREES)
def test_the_tree_is_killed_on_command(start, tmp_path, name):
    node = start(python(tmp_path, textwrap.dedent(TREES[name])))
    end = End(int(node.until_output(b"\n")))
    node.launched.kill()
    assert node.to_end()[1:] == [Signalled(9), Empty(True)]
    end.wait()


def test_case_e05_whoever_outlives_the_program_is_killed_at_its_end(start, tmp_path):
    code = """
        import os, signal
        r, w = os.pipe()
        if os.fork():
            os.read(r, 1)
            os._exit(0)
        os.setsid()
        print(os.getpid())
        os.write(w, b"x")
        while True: print("spending")
    """
    node = start(python(tmp_path, textwrap.dedent(code)))
    end = End(int(node.until_output(b"\n").split()[0]))
    assert node.to_end()[1:] == [Exited(0), Empty(True)]
    end.wait()


def test_case_e01_a_program_that_waits_for_ever_is_ended_with_its_group(start, tmp_path):
    node = start(request(tmp_path, "sh", "-c", "sleep 1000 & echo $!; wait"))
    end = End(int(node.until_output(b"\n")))
    node.launched.kill()
    assert node.to_end()[1:] == [Signalled(9), Empty(True)]
    end.wait()
    assert node.launched.fds == ()


def test_killing_ones_own_group_or_parent_by_mistake_spares_the_launcher(start, tmp_path):
    node = start(request(tmp_path, "sh", "-c", "kill $PPID; kill -HUP $PPID; kill 0"))
    assert node.to_end()[1:] == [Signalled(15), Empty(True)]


def test_a_program_that_stops_its_launcher_is_frozen_and_killed_all_the_same(start, tmp_path):
    node = start(request(tmp_path, "sh", "-c", "kill -STOP $PPID; echo stopped; exec sleep 1000"))
    node.until_output(b"stopped")
    node.launched.freeze()
    assert node.until(Frozen) == Frozen(True)
    os.kill(node.launched.facts.launcher_pid, signal.SIGSTOP)
    node.launched.kill()
    assert node.to_end()[-2:] == [Signalled(9), Empty(True)]


def test_a_launcher_whose_node_ended_before_asking_starts_nothing(tmp_path):
    life_read, life = os.pipe()
    status, status_write = os.pipe()
    whole = frame(request(tmp_path, "touch", str(tmp_path / "touched")))
    os.write(life, whole[:-1])
    os.close(life)
    place = str(Path(living.__file__).parent)
    command = [PYTHON, "-I", "-S", "-c", LAUNCHER, place, str(life_read), str(status_write), "-1"]
    launcher = subprocess.Popen(command, pass_fds=(life_read, status_write), start_new_session=True)
    os.close(life_read)
    os.close(status_write)
    with os.fdopen(status) as said:
        lines = said.read().splitlines()
    assert launcher.wait() == 0
    assert [line.split()[0] for line in lines] == ["launcher", "empty"]
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("name", TREES)
def test_a_lost_launcher_is_told_and_its_tree_is_adopted_and_killed(
    start, tmp_path, adopting, name
):
    other = start(request(tmp_path, "sleep", "1000", run_token="another"), adopting)
    node = start(
        python(tmp_path, textwrap.dedent(TREES[name]), record=tmp_path / "record"), adopting
    )
    end = End(int(node.until_output(b"\n")))
    facts = node.launched.facts
    os.kill(facts.launcher_pid, signal.SIGKILL)
    node.until(LauncherLost)
    assert not isinstance(proof.prove_dead(facts), Dead)
    assert adopting.kill_orphans() == Dead(Death.ADOPTED_AND_KILLED)
    end.wait()
    node.to_end()
    assert isinstance(proof.prove_dead(facts), Unprovable)
    other.until(Started)
    assert living.find(other.launched.facts.pid) is not None


def test_a_lost_comet_is_adopted_and_killed(start, tmp_path, adopting):
    node = start(python(tmp_path, textwrap.dedent(COMET)), adopting)
    node.until_output(b"\n")
    os.kill(node.launched.facts.launcher_pid, signal.SIGKILL)
    node.until(LauncherLost)
    assert adopting.kill_orphans() == Dead(Death.ADOPTED_AND_KILLED)
    assert proof.tree_of(node.launched.facts) == ()


def test_a_program_dies_with_its_launcher_even_if_nobody_adopts_it(start, tmp_path):
    node = start(request(tmp_path, "sleep", "1000"))
    end = End(node.until(Started).facts.pid)
    os.kill(node.launched.facts.launcher_pid, signal.SIGKILL)
    node.until(LauncherLost)
    end.wait()


def test_leftovers_are_found_by_their_token_and_killed_but_nobody_else(start, tmp_path):
    stranger = start(request(tmp_path, "sleep", "1000", run_token="another"))
    stranger.until(Started)
    node = start(python(tmp_path, textwrap.dedent(ESCAPED)))
    end = End(int(node.until_output(b"\n")))
    facts = node.launched.facts
    os.kill(facts.launcher_pid, signal.SIGKILL)
    node.until(LauncherLost)
    assert end.pid in proof.prove_dead(facts).pids
    assert isinstance(proof.kill_leftovers(facts), Unprovable)  # a dead launcher is no proof
    end.wait()
    assert living.find(stranger.launched.facts.pid) is not None


def test_a_stopped_launcher_finishes_its_work_when_leftovers_are_killed(node_elsewhere):
    node, facts, far = node_elsewhere(ESCAPED)
    ends = [End(facts.launcher_pid), End(facts.pid), End(far)]
    os.kill(facts.launcher_pid, signal.SIGSTOP)
    node.kill()
    assert isinstance(proof.prove_dead(facts), Alive)
    assert proof.kill_leftovers(facts) == Dead(Death.LAUNCHER_SAID_EMPTY)
    for end in ends:
        end.wait()


def test_everybody_below_a_launcher_that_does_not_obey_is_killed_before_it(start, tmp_path):
    node = start(python(tmp_path, textwrap.dedent(BARE), record=tmp_path / "record"))
    end = End(int(node.until_output(b"\n")))
    facts = node.launched.facts  # the node's pipe stays open, so the launcher goes on
    assert isinstance(proof.kill_leftovers(facts), Dead)
    end.wait()


def test_a_launcher_that_lives_is_no_orphan_and_its_tree_is_not_called_dead(
    start, tmp_path, adopting
):
    node = start(request(tmp_path, "sleep", "1000"), adopting)
    facts = node.until(Started).facts
    assert adopting.prove_lost(facts) == Alive((facts.launcher_pid,))
    assert living.find(facts.pid) is not None
    os.kill(facts.launcher_pid, signal.SIGKILL)
    node.until(LauncherLost)
    assert adopting.prove_lost(facts) == Dead(Death.ADOPTED_AND_KILLED)


def test_a_node_that_does_not_adopt_proves_nothing_of_orphans():
    assert isinstance(Launchers().kill_orphans(), Unprovable)


def test_another_boot_proves_death(tmp_path):
    facts = ExecutionFacts(boot_id="00000000-0000-0000-0000-000000000000", run_token="t", pid=1)
    assert proof.prove_dead(facts) == Dead(Death.OTHER_BOOT)
    boot = living.boot_id().partition(".")[0]
    elsewhere = replace(facts, boot_id=f"{boot}.99999999999")
    assert proof.prove_dead(elsewhere) == Dead(Death.OTHER_CONTAINER, is_certain=False)


def test_a_pid_that_passed_on_is_nobody_of_ours(tmp_path):
    me = os.getpid()
    facts = ExecutionFacts(
        boot_id=living.boot_id(), run_token="t", launcher_pid=me, launcher_ticks=1, pid=me
    )
    assert me not in {one.pid for one in proof.tree_of(replace(facts, start_ticks=2))}


@pytest.mark.parametrize(
    ("said", "launcher_pid", "verdict"),
    [
        (None, None, Dead(Death.NEVER_FORKED)),
        (None, 2**22, Unprovable),
        ("", None, Dead(Death.NEVER_FORKED)),
        ("", 2**22, Dead(Death.NEVER_FORKED)),
        ("launch", 2**22, Dead(Death.NEVER_FORKED)),
        ("launcher 9 9\n", 2**22, Unprovable),
        ("launcher 9 9\nstarted 10 10\nexited 0\n", 2**22, Unprovable),
        ("launcher 9 9\nstarted 10 10\nexited 0\nempt", 2**22, Unprovable),
        ("launcher 9 9\nstarted 10 10\nexited 0\nempty\n", 2**22, Dead(Death.LAUNCHER_SAID_EMPTY)),
        ("launcher 9 9\nempty?\n", 2**22, Dead(Death.LAUNCHER_SAID_EMPTY, is_certain=False)),
    ],
)
def test_a_record_is_believed_as_far_as_it_goes(tmp_path, said, launcher_pid, verdict):
    record = tmp_path / "record"
    if said is not None:
        record.write_text(said)
    facts = ExecutionFacts(
        boot_id=living.boot_id(),
        run_token="token-of-nobody",
        launcher_pid=launcher_pid,
        launcher_ticks=1,
        record=record,
    )
    found = proof.prove_dead(facts)
    assert isinstance(found, Unprovable) if verdict is Unprovable else found == verdict
