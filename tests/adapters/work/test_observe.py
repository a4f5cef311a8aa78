"""What a run reads: the right place or none, its sources and nothing else, frozen once."""

import os
from dataclasses import replace

import pytest

from duly.adapters.work import observe, performers
from duly.adapters.work import requests as r
from duly.adapters.work.requests import Place
from duly.adapters.work.which import find_program
from duly.model.plan import Inputs, Isolation
from tests.adapters.work.parts import PIN, copy_of, frozen, work, workshop


@pytest.fixture
def shop(home):
    return workshop(home)


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    (path / "src").mkdir(parents=True)
    (path / "src" / "a.py").write_text("a\n")
    (path / "notes").write_text("n\n")
    (path / ".git").mkdir()
    (path / ".git" / "config").write_text("[core]\n")
    return path


def place(shop, wanted):
    return observe.check_place(shop, r.CheckPlace(work=wanted))


def test_everything_is_there(shop, root):
    assert place(shop, work(root)) is Place.READY


@pytest.mark.parametrize("which", ["root", "second", "repo"])
def test_each_directory_that_is_named_has_to_be_there(shop, root, tmp_path, which):
    wanted = {
        "root": work(tmp_path / "gone"),
        "second": work(root, cwds=(str(root), str(tmp_path / "gone"))),
        "repo": work(root, inputs=Inputs(sources=("**",), repo=str(tmp_path / "gone"))),
    }
    assert place(shop, wanted[which]) is Place.DIRECTORY_MISSING


@pytest.mark.parametrize("depth", ["itself", "above"])
def test_a_link_to_another_directory_is_not_the_directory(shop, root, tmp_path, depth):
    wanted = work(root) if depth == "itself" else work(root / "src")
    root.rename(tmp_path / "moved")
    root.symlink_to(tmp_path / "moved")
    assert place(shop, wanted) is Place.DIRECTORY_MISSING


def test_a_file_is_no_directory(shop, root):
    assert place(shop, work(root / "notes")) is Place.DIRECTORY_MISSING


@pytest.mark.parametrize(
    ("program", "is_there"),
    [
        ("sh", True),
        ("/bin/sh", True),
        ("no-such-program", False),
        ("/no/such/program", False),
        ("./tool", True),
        ("src/a.py", False),
        ("{root}/made-later", True),
    ],
)
def test_a_program_is_looked_for_as_a_shell_would(shop, root, program, is_there):
    (root / "tool").write_text("#!/bin/sh\n")
    (root / "tool").chmod(0o755)
    wanted = work(root, agent={"argv": (program,)})
    assert place(shop, wanted) is (Place.READY if is_there else Place.PROGRAM_MISSING)


def test_the_recorded_path_counts_and_not_that_of_the_node(root, tmp_path):
    assert find_program("sh", str(tmp_path), root) is None
    assert find_program("sh", os.environ["PATH"], tmp_path) is not None


def test_only_the_named_sources_are_copied_and_never_a_repositorys_inside(shop, root):
    part = frozen(shop, work(root, inputs=Inputs(sources=("src/**", ".git/**"), repo=None)))
    copy = copy_of(shop, part)
    assert sorted(os.listdir(copy)) == ["src"]
    assert part.snapshot.source_set == (f"{root}/src/**", f"{root}/.git/**")


def test_freezing_again_after_a_crash_takes_the_files_as_they_are_then(shop, root):
    first = frozen(shop, work(root))
    (root / "notes").write_text("newer\n")
    second = frozen(shop, work(root))
    assert first.snapshot.base_tree != second.snapshot.base_tree
    assert (copy_of(shop, second) / "notes").read_text() == "newer\n"


def test_in_place_there_is_nothing_to_freeze(shop, root):
    part = frozen(shop, work(root, isolation=Isolation.IN_PLACE))
    assert part.snapshot.base_tree is None


def test_only_a_runs_own_stage_is_removed(shop, root):
    frozen(shop, work(root))
    frozen(shop, work(root), pin=replace(PIN, run_id="r_2"))
    table = performers.performers(shop)
    assert table[r.ListStages](r.ListStages()) == ("r_1", "r_2")
    table[r.RemoveStage](r.RemoveStage(run_id="../bytes"))
    table[r.RemoveStage](r.RemoveStage(run_id="r_1"))
    assert table[r.ListStages](r.ListStages()) == ("r_2",)
    assert shop.bytes.root.is_dir()


def test_without_any_stage_there_is_none_to_list(shop):
    assert performers.performers(shop)[r.ListStages](r.ListStages()) == ()
