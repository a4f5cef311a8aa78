"""An attempt is made ready whole: copy, prompt, HOME, TMPDIR, and a launch that shows no secret."""

import os
from dataclasses import replace

import pytest

from duly.adapters.launch.events import Output, Stream
from duly.adapters.work import logs, prepare, rendering
from duly.adapters.work import requests as r
from duly.adapters.work.errors import CannotWorkError
from duly.model.plan import FrozenFile, Home, Inputs, Secret, Variable
from duly.model.reasons import Reason
from tests.adapters.work.parts import PIN, copy_of, frozen, prepared, work, workshop

SECRET = "s3cr3t-long-enough"


@pytest.fixture
def shop(home):
    return workshop(home, NODE_KEY=SECRET, TOKEN="leak", LANG="C.UTF-8", USER="me")


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "facts").write_text("facts\n")
    return path


def test_programs_of_one_attempt_share_its_copy_and_another_attempt_has_its_own(shop, root):
    part = frozen(shop, work(root))
    copy = copy_of(shop, part)
    (copy / "made").touch()
    assert copy_of(shop, replace(part, name="verify", token="t2")) == copy
    assert (copy / "made").exists()
    second = copy_of(shop, replace(part, fence=2, token="t3"))
    assert second != copy
    assert sorted(os.listdir(second)) == ["facts"]


def test_a_copy_that_was_left_half_made_is_made_anew(shop, root):
    part = frozen(shop, work(root))
    copy = copy_of(shop, part)
    (copy / "half").touch()
    (shop.stage(part.pin.run_id).attempt(1) / "ready").unlink()
    assert sorted(os.listdir(copy_of(shop, replace(part, token="t2")))) == ["facts"]


def test_the_environment_is_an_allow_list(shop, root):
    agent = {"variables": (Variable(name="MINE", value="yes"),)}
    part = frozen(shop, work(root, agent=agent))
    env = prepared(shop, part).launch.env
    assert {name for name in env if not name.startswith("DULY_")} == {
        "PATH",
        "LANG",
        "USER",
        "HOME",
        "TMPDIR",
        "MINE",
        "PYTHONDONTWRITEBYTECODE",
    }
    assert os.path.isdir(env["HOME"]) and os.path.isdir(env["TMPDIR"])


def test_home_is_inherited_where_declared(shop, root):
    part = frozen(shop, work(root, agent={"home": Home.INHERIT}))
    assert prepared(shop, part).launch.env["HOME"] == "/nowhere"


def test_a_secret_is_in_the_environment_and_neither_shown_nor_logged(shop, root):
    secrets = (Secret(name="KEY", reference="env:NODE_KEY"),)
    part = frozen(shop, work(root, agent={"secrets": secrets}))
    part = replace(part, argv=("curl", f"--header={SECRET}", "x" * 5_000))
    found = prepare.prepare(shop, r.Prepare(part=part))
    assert found.launch.env["KEY"] == SECRET
    assert found.argv_shown[:2] == ("curl", "--header=[redacted]")
    assert len(found.argv_shown[2]) < 2_100
    assert SECRET not in repr(found)
    for piece in (SECRET[:5], SECRET[5:], "\n"):
        found.write_output(Output(Stream.STDOUT, piece.encode()))
    kept = logs.keep_log(shop, r.KeepLog(log=found.log))
    assert shop.bytes.read_bytes(kept.sha256) == b"[redacted]\n"
    assert kept.bytes == len("[redacted]\n")


@pytest.mark.parametrize("reference", ["env:NOT_SET", "file:/not/there"])
def test_a_secret_that_is_not_there_is_named_without_a_value(shop, root, reference):
    secrets = (Secret(name="KEY", reference=reference),)
    part = frozen(shop, work(root, agent={"secrets": secrets}))
    with pytest.raises(CannotWorkError) as refused:
        prepared(shop, part)
    assert refused.value.reason is Reason.SECRET_MISSING
    assert "KEY" in refused.value.message


def test_prompt_and_skills_lie_beside_the_copy(shop, root):
    skill = FrozenFile(name="how.md", sha256=shop.bytes.put_bytes(b"carefully"))
    part = frozen(shop, work(root, prompt="Look at {window}.", skills=(skill,)))
    found = prepared(shop, part)
    here = shop.stage(PIN.run_id)
    text = here.prompt(1).read_text()
    assert text.endswith("\nLook at 2026-09-01.")
    assert (here.attempt(1) / "skills" / "how.md").read_bytes() == b"carefully"
    assert shop.bytes.read_bytes(found.prompt_sha256).decode() == text
    assert "how.md" not in os.listdir(here.copy(1))


def test_without_a_prompt_there_is_none(shop, root):
    found = prepared(shop, frozen(shop, work(root)))
    assert found.prompt_sha256 is None
    assert not shop.stage(PIN.run_id).prompt(1).exists()


def test_the_preamble_says_that_nobody_is_there_and_what_may_be_written(shop, root):
    part = frozen(shop, work(root, prompt="Go.", write_scope=("*.md", "{window}/**")))
    prompt = rendering.prompt_of(part, rendering.values_of(part, shop))
    for words in (
        "nobody is present",
        "Job: report",
        "Window: 2026-09-01",
        "Span to read: 1970-01-01T00:00:00Z up to, not including, 1970-01-02T00:00:00Z",
        "You may write only: *.md, 2026-09-01/**",
        "The result belongs in: report.md",
    ):
        assert words in prompt


def test_braces_in_a_prompt_and_in_its_values_are_left_as_they_are(shop, root):
    params = (Variable(name="who", value="{nobody} {0}"),)
    part = frozen(shop, work(root, prompt='{"a": {who}} {unknown} {}', prompt_params=params))
    prompt = rendering.prompt_of(part, rendering.values_of(part, shop))
    assert prompt.endswith('\n{"a": {nobody} {0}} {unknown} {}')


@pytest.mark.parametrize("version", ["../../up", "/etc", ".", "..", "a/b", "x\ny", "-rf", "€"])
def test_a_value_in_a_path_is_one_safe_part_of_a_name(shop, root, version):
    wanted = work(root, result_artifact="out/{input_version}.md", write_scope=("out/*.md",))
    part = frozen(shop, wanted, pin=replace(PIN, input_version=version))
    directory, name = rendering.artifact_of(part).split("/")
    assert directory == "out"
    assert name.endswith(".md") and not name.startswith((".", "-"))
    assert shop.matches(rendering.scope_of(part), rendering.artifact_of(part))


def test_variables_tell_where_everything_is(shop, root):
    part = frozen(shop, work(root, cwds=(str(root), "/second")))
    told = rendering.variables_of(part, rendering.values_of(part, shop))
    assert told["DULY_CWDS"] == f"{root}:/second"
    assert told["DULY_ROOT"] == str(shop.stage(PIN.run_id).copy(1))
    assert told["DULY_NOTHING_TO_DO"] == "77"
    assert (told["DULY_PART"], told["DULY_ATTEMPT"], told["DULY_REPO"]) == ("agent", "1", "")
    assert "DULY_PROMPT" not in told


def test_a_directory_without_a_repository_cannot_be_read_as_one(shop, root, tmp_path):
    with pytest.raises(CannotWorkError) as refused:
        frozen(shop, work(root, inputs=Inputs(sources=("**",), repo=str(tmp_path))))
    assert refused.value.reason is Reason.STAGING_FAILED
    assert "not a git repository" in refused.value.message
