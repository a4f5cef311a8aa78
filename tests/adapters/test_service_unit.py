"""The unit of the service: what it cannot say is refused, and nobody else's file is taken for ours."""

import os
import sys
from pathlib import Path

import pytest

from duly.adapters import service_unit
from duly.model.errors import ConflictError, UnavailableError, ValidationError

ARGV = ("/usr/bin/python", "-m", "duly", "serve")


@pytest.fixture(autouse=True)
def on_linux(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize("text", ["/a\nExecStartPre=/evil", "/a\rb", "/a\x1b[m", "/a\udcff"])
def test_a_text_that_would_break_out_of_its_line_is_refused(monkeypatch, platform, text):
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(ValidationError):
        service_unit.unit(Path(text), ARGV, "/usr/bin")
    with pytest.raises(ValidationError):
        service_unit.unit(Path("/home"), ARGV, text)


@pytest.mark.parametrize("named", ["", "relative"])
def test_a_place_for_settings_that_systemd_would_not_read_is_not_used(monkeypatch, tmp_path, named):
    monkeypatch.setenv("XDG_CONFIG_HOME", named)
    unit = service_unit.unit(Path("/home"), ARGV, "/usr/bin")
    assert unit.path == tmp_path / ".config/systemd/user/duly.service"


def test_a_user_without_a_home_is_told_so(monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "geteuid", lambda: 3_999_999_999)
    with pytest.raises(UnavailableError, match="no home"):
        service_unit.unit(Path("/home"), ARGV, "/usr/bin")


def test_a_file_that_is_no_text_is_somebody_elses(tmp_path):
    unit = service_unit.unit(Path("/home"), ARGV, "/usr/bin")
    unit.path.parent.mkdir(parents=True)
    unit.path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConflictError):
        service_unit.install(unit)
    with pytest.raises(ConflictError):
        service_unit.remove(unit)
    assert unit.path.read_bytes() == b"\xff\xfe"
