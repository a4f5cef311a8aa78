"""A command line on a fresh data directory, in a fresh working directory."""

from pathlib import Path

import pytest

from tests.interfaces.front import Duly, environment


@pytest.fixture
def duly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Duly:
    home, here = tmp_path / "home", tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("DULY_HOME", str(home))
    monkeypatch.setenv("TZ", "Asia/Taipei")
    return Duly(home=home, here=here, environ=environment(home, {}), read=capsys.readouterr)
