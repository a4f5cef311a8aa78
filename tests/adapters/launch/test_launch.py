"""A launched program gets what it was promised, and every way of starting or ending is told."""

import os
import signal

import pytest

from duly.adapters.launch import living
from duly.adapters.launch.events import (
    Empty,
    Exited,
    Frozen,
    NotStarted,
    NotStartedReason,
    Signalled,
    Started,
    Stream,
    Thawed,
)
from duly.adapters.launch.request import Launch
from tests.adapters.launch.nodes import PYTHON, TOKEN, python, request

SIGNALS = ("SigBlk:", "SigIgn:", "SigCgt:")
# The C library keeps 32 and 33 to itself, and whatever it spawns (`make` does) inherits them ignored.
ANY_PROGRAM_MAY_SET = ~(1 << 31 | 1 << 32)


def test_a_program_starts_ends_and_its_tree_is_reported_empty(start, tmp_path):
    node = start(request(tmp_path, "sh", "-c", "echo out; echo err >&2; exit 7"))
    started, *rest = node.to_end()
    assert rest == [Exited(7), Empty(True)]
    assert node.output() == b"out\nerr\n"
    facts = started.facts
    assert facts == node.launched.facts
    assert facts.boot_id == living.boot_id()
    assert facts.pid != facts.launcher_pid
    assert facts.start_ticks >= facts.launcher_ticks > 0


def test_streams_can_be_kept_apart(start, tmp_path):
    node = start(request(tmp_path, "sh", "-c", "echo out; echo err >&2", is_merged=False))
    node.to_end()
    assert node.output(Stream.STDOUT) == b"out\n"
    assert node.output(Stream.STDERR) == b"err\n"


def test_the_program_has_exactly_the_environment_directory_and_umask_it_was_given(start, tmp_path):
    code = (
        "import os; print(sorted(os.environb.items())); print(os.getcwd(), oct(os.umask(0)));"
        "print(os.read(0, 1), sorted(os.listdir('/proc/self/fd')), os.getsid(0) == os.getpid())"
    )
    environment = {"PATH": "/bin", "ODD": "a=b\nü"}
    asked = Launch(
        argv=(PYTHON, "-I", "-S", "-c", code),
        cwd=tmp_path,
        env=environment,
        run_token="t1",
        umask=0o027,
    )
    node = start(asked)
    node.to_end()
    env, place, descriptors = node.output().decode().splitlines()
    expected = {**environment, "DULY_RUN_TOKEN": "t1"}
    found = {k: v for k, v in eval(env) if k != b"LC_CTYPE"}  # Python sets that one for itself
    assert found == {k.encode(): v.encode() for k, v in expected.items()}
    assert place == f"{tmp_path} 0o27"
    assert descriptors == "b'' ['0', '1', '2', '3'] True"  # 3: the listing itself


def test_the_program_has_default_signals_and_an_empty_mask(start, tmp_path):
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR1})
    try:
        node = start(request(tmp_path, "cat", "/proc/self/status"))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
    node.to_end()
    lines = (line.split() for line in node.output().decode().splitlines())
    masks = {
        line[0]: int(line[1], 16) & ANY_PROGRAM_MAY_SET for line in lines if line[0] in SIGNALS
    }
    assert masks == dict.fromkeys(SIGNALS, 0)


def test_an_argument_of_a_hundred_kilobytes_arrives_whole(start, tmp_path):
    text = "é" * 50_000
    node = start(
        python(tmp_path, "import sys; print(len(sys.argv[1]), sys.argv[2:])", text, "", "-")
    )
    node.to_end()
    assert node.output() == b"50000 ['', '-']\n"


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("no-such-program",), NotStartedReason.PROGRAM_MISSING),
        (("./no-such-program",), NotStartedReason.PROGRAM_MISSING),
        (("./plain.txt",), NotStartedReason.PROGRAM_DENIED),
        (("plain.txt",), NotStartedReason.PROGRAM_DENIED),
        (("./nonsense",), NotStartedReason.PROGRAM_UNUSABLE),
        (("./orphan-script",), NotStartedReason.PROGRAM_MISSING),
        (("/",), NotStartedReason.PROGRAM_DENIED),
        (("true", "x" * 200_000), NotStartedReason.PROGRAM_UNUSABLE),
    ],
)
def test_a_program_that_cannot_run_is_proven_not_started(start, tmp_path, argv, reason):
    (tmp_path / "plain.txt").write_text("text")
    (tmp_path / "nonsense").write_bytes(b"\x7fnonsense")
    (tmp_path / "nonsense").chmod(0o755)
    (tmp_path / "orphan-script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "orphan-script").chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"
    failure, *rest = start(request(tmp_path, *argv, env={"PATH": path})).to_end()
    assert isinstance(failure, NotStarted)
    assert failure.reason is reason
    assert argv[0] in failure.text
    assert rest == [Empty(True)]


def test_case_h11_a_missing_directory_is_told_and_never_replaced(start, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    asked = request(gone, "touch", str(tmp_path / "touched"))
    gone.rmdir()
    failure, *rest = start(asked).to_end()
    assert failure.reason is NotStartedReason.DIRECTORY_MISSING
    assert str(gone) in failure.text
    assert rest == [Empty(True)]
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"argv": ()},
        {"argv": ("",)},
        {"argv": ("a\0b",)},
        {"env": {"A=B": "c"}},
        {"env": {"": "c"}},
        {"env": {"A": "c\0"}},
        {"run_token": ""},
    ],
)
def test_a_launch_that_no_program_can_be_given_does_not_construct(tmp_path, wrong):
    right = {"argv": ("true",), "cwd": tmp_path, "env": {}, "run_token": "t"}
    with pytest.raises(ValueError, match=r"program|NUL"):
        Launch(**right | wrong)


def test_a_record_repeats_the_status_and_is_never_shared_by_two_launches(start, tmp_path):
    asked = request(tmp_path, "sh", "-c", "exit 3", record=tmp_path / "record")
    node = start(asked)
    node.to_end()
    facts = node.launched.facts
    assert (tmp_path / "record").read_text().splitlines() == [
        f"launcher {facts.launcher_pid} {facts.launcher_ticks}",
        f"started {facts.pid} {facts.start_ticks}",
        "exited 3",
        "empty",
    ]
    assert (tmp_path / "record").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        start(asked)


def test_a_program_ended_by_a_signal_is_told_apart_from_an_exit(start, tmp_path):
    assert start(request(tmp_path, "sh", "-c", "kill -6 $$")).to_end()[1:] == [
        Signalled(6),
        Empty(True),
    ]


def test_closing_the_output_early_ends_nothing(start, tmp_path):
    node = start(request(tmp_path, "sh", "-c", "exec >&- 2>&-; exit 4"))
    assert node.to_end()[1:] == [Exited(4), Empty(True)]
    assert node.output() == b""


def test_a_hundred_thousand_lines_arrive_in_order(start, tmp_path):
    node = start(request(tmp_path, "seq", "100000"))
    node.to_end()
    assert node.output() == b"".join(b"%d\n" % n for n in range(1, 100_001))


def test_a_flood_waits_for_its_reader(start, tmp_path):
    node = start(request(tmp_path, "yes"))
    node.until(Started)
    node.until_output(b"y\n" * 50_000)
    node.launched.kill()
    assert node.to_end()[1:] == [Signalled(9), Empty(True)]


def test_term_reaches_everybody_and_a_program_may_say_goodbye(start, tmp_path):
    code = (
        "import os, signal\n"
        "child = os.fork()\n"
        "signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b'bye %d\\n' % bool(child)), os._exit(5)))\n"
        "os.write(1, b'ready\\n')\n"
        "while True: signal.pause()\n"
    )
    node = start(python(tmp_path, code))
    node.until_output(b"ready\nready\n")
    node.launched.terminate()
    assert node.to_end()[1:] == [Exited(5), Empty(True)]
    assert b"bye 1" in node.output()


def test_a_program_that_ignores_term_is_killed(start, tmp_path):
    code = "import signal; signal.signal(15, signal.SIG_IGN); print('deaf'); signal.pause()"
    node = start(python(tmp_path, code))
    node.until_output(b"deaf")
    node.launched.terminate()
    node.launched.kill()
    assert node.to_end()[1:] == [Signalled(9), Empty(True)]


def test_a_frozen_tree_stands_still_and_goes_on_when_thawed(start, tmp_path):
    code = (
        "import os\nif not os.fork(): os.setsid()\nprint(os.getpid())\nwhile True: print('tick')\n"
    )
    node = start(python(tmp_path, code))
    node.until_output(b"tick\ntick\n")
    node.launched.freeze()
    assert node.until(Frozen) == Frozen(True)
    members = living.below([node.launched.facts.launcher_pid], living.everybody())
    assert [one.state for one in members] == ["T", "T"]
    node.launched.thaw()
    node.until(Thawed)
    written = len(node.output())
    while len(node.output()) < written + 500_000:  # more than any pipe holds: they run again
        node.step()
    node.launched.freeze()
    node.launched.kill()
    assert node.to_end()[-2:] == [Signalled(9), Empty(True)]


def test_a_frozen_tree_that_is_forking_is_frozen_whole(start, tmp_path):
    code = (
        "import os\n"
        "print('up')\n"
        "while True:\n"
        "    if not os.fork():\n"
        "        os.setsid()\n"
        "        if os.fork(): os._exit(0)\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
    )
    node = start(python(tmp_path, code))
    node.until_output(b"up")
    for _ in range(5):
        node.events.clear()
        node.launched.freeze()
        assert node.until(Frozen) == Frozen(True)
        members = living.below([node.launched.facts.launcher_pid], living.everybody())
        assert {one.state for one in members} <= {"T", "Z"}
        node.launched.thaw()
        node.until(Thawed)


def test_ended_orphans_are_reaped_while_the_program_runs(start, tmp_path):
    code = (
        "import os\n"
        "for _ in range(30):\n"
        "    if not os.fork():\n"
        "        os.fork()\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
        "print('done'); os.read(os.pipe()[0], 1)\n"
    )
    node = start(python(tmp_path, code))
    node.until_output(b"done")
    node.launched.freeze()  # answered after what was told before it, so after the reaping
    node.until(Frozen)
    members = living.below([node.launched.facts.launcher_pid], living.everybody())
    assert sum(one.is_dead for one in members) < 10


def test_nothing_secret_is_in_a_command_line_or_the_launchers_environment(start, tmp_path):
    node = start(request(tmp_path, "sleep", "100", env={"KEY": "hush-hush"}))
    facts = node.until(Started).facts
    with open(f"/proc/{facts.launcher_pid}/environ", "rb") as environ:
        assert environ.read().split(b"\0")[:-1] == [f"DULY_RUN_TOKEN={TOKEN}".encode()]
    with open(f"/proc/{facts.launcher_pid}/cmdline", "rb") as cmdline:
        assert b"sleep" not in cmdline.read()


def test_our_ends_of_the_pipes_are_inherited_by_nobody(start, tmp_path):
    node = start(request(tmp_path, "sleep", "100"))
    node.until(Started)
    assert all(not os.get_inheritable(fd) for fd in node.launched.fds)
