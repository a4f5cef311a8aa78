"""A child's environment holds the basics, what was declared, and secrets; nothing else, and no value in errors."""

import os

import pytest

from duly.adapters.launch.environment import (
    EnvironmentRequest,
    SecretUnavailableError,
    child_environment,
    faults,
    fetch,
)
from duly.model.errors import ValidationError

NODE = {
    "PATH": "/node/bin",
    "USER": "me",
    "LANG": "C.UTF-8",
    "SSH_AUTH_SOCK": "/agent",
    "API_KEY": "hush-hush",
    "HOME": "/home/me",
    "DULY_HOME": "/home/me/.duly",
}


@pytest.fixture
def request_for(tmp_path):
    def build(**fields):
        defaults = {
            "node": NODE,
            "path": "/recorded/bin",
            "declared": {},
            "secrets": {},
            "home": tmp_path / "home",
            "temporary": tmp_path / "tmp",
            "duly": {"DULY_WINDOW": "2026-09-16"},
        }
        return EnvironmentRequest(**defaults | fields)

    return build


def test_only_the_basics_of_the_node_are_passed_on(request_for, tmp_path):
    found = child_environment(request_for())
    assert found.values == {
        "PATH": "/recorded/bin",
        "USER": "me",
        "LANG": "C.UTF-8",
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "DULY_WINDOW": "2026-09-16",
    }
    assert found.secrets == ()


def test_declared_variables_win_over_the_basics(request_for):
    found = child_environment(request_for(declared={"LANG": "de_DE.UTF-8", "PATH": "/mine"})).values
    assert (found["LANG"], found["PATH"]) == ("de_DE.UTF-8", "/mine")


def test_secrets_are_fetched_and_named_for_redaction_but_never_shown(request_for, tmp_path):
    (tmp_path / "token").write_bytes(b"from-a-file\n")
    (tmp_path / "token").chmod(0o600)
    secrets = {"KEY": "env:API_KEY", "TOKEN": f"file:{tmp_path}/token"}
    request = request_for(secrets=secrets)
    found = child_environment(request)
    assert (found.values["KEY"], found.values["TOKEN"]) == ("hush-hush", "from-a-file")
    assert found.secrets == ("from-a-file", "hush-hush")
    assert "hush" not in repr(found)
    assert "hush" not in repr(request)


def test_a_missing_variable_names_the_reference(request_for):
    with pytest.raises(SecretUnavailableError, match=r"KEY \(env:GONE\)"):
        child_environment(request_for(secrets={"KEY": "env:GONE"}))


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda _: None, "No such file"),
        (lambda path: path.mkdir(), "directory"),
        (lambda path: os.mkfifo(path), "no regular file"),
        (lambda path: (path.write_text("hush"), path.chmod(0o640)), "by others"),
        (lambda path: (path.write_text(""), path.chmod(0o600)), "empty"),
        (lambda path: (path.write_text("hush\0"), path.chmod(0o600)), "NUL"),
        (lambda path: (path.write_text("hush" * 20_000), path.chmod(0o600)), "larger"),
    ],
)
def test_a_secret_file_that_cannot_be_used_is_an_error_without_its_content(
    tmp_path, prepare, message
):
    path = tmp_path / "secret"
    prepare(path)
    with pytest.raises(SecretUnavailableError, match=message) as caught:
        fetch(f"file:{path}", {}, name="KEY")
    assert str(path) in caught.value.message
    assert "hush" not in caught.value.message


def test_every_fault_is_named_at_once_and_no_value_is_shown(request_for):
    declared = {"HOME": "/x", "DULY_HOME": "/x", "A-B": "x", "BOTH": "x", "NUL": "\0"}
    secrets = {"RAW": "hush-hush", "BOTH": "env:X", "TMPDIR": "env:X", "REL": "file:relative"}
    found = faults(declared, secrets)
    assert sorted(fault.pointer for fault in found) == [
        "/agent/env/A-B",
        "/agent/env/DULY_HOME",
        "/agent/env/HOME",
        "/agent/env/NUL",
        "/agent/secrets/BOTH",
        "/agent/secrets/RAW",
        "/agent/secrets/REL",
        "/agent/secrets/TMPDIR",
    ]
    assert all("hush" not in fault.message + fault.fix for fault in found)
    with pytest.raises(ValidationError):
        child_environment(request_for(declared=declared, secrets=secrets))


def test_a_text_that_is_no_reference_is_not_shown():
    with pytest.raises(SecretUnavailableError) as caught:
        fetch("hush-hush", {}, name="KEY")
    assert "hush" not in caught.value.message
