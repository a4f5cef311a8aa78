"""What every test stands on: a fresh home, a world that pure tests cannot touch, and nothing left behind."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from tests.house import left_over, world_off

IS_CI: Final = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
PURE_ROOMS: Final = frozenset({"model", "policy", "recurrence"})
TESTS: Final = Path(__file__).parent

SKIPPED: Final = pytest.StashKey[list[str]]()
LEFT_OVER: Final = pytest.StashKey[list[str]]()

# A slow machine is no fault of a law; in CI the same examples are tried every time.
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "ci", settings.get_profile("dev"), derandomize=True, database=None, print_blob=True
)
settings.load_profile("ci" if IS_CI else "dev")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a fresh data directory, mode 0700, that DULY_HOME names."""
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("DULY_HOME", str(path))
    return path


@pytest.fixture(autouse=True)
def _world(request: pytest.FixtureRequest) -> Iterator[None]:
    """Switch the world off for tests of pure rooms; wider fixtures and module imports may still read it."""
    if request.path.relative_to(TESTS).parts[0] not in PURE_ROOMS:
        yield
        return
    with world_off.switched_off():
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Forget the developer's own settings, so that no test can reach a real home or a real person."""
    config.stash[SKIPPED] = []
    config.stash[LEFT_OVER] = []
    for name in [name for name in os.environ if name.startswith("DULY_")]:
        del os.environ[name]
    # Beneath a device nothing can be made, not even by root.
    os.environ["DULY_HOME"] = "/dev/null/tests-must-use-the-fixture-home"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Note every skip: CI allows none, since a skipped test proves nothing."""
    report: Any = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        item.config.stash[SKIPPED].append(f"{item.nodeid}: {report.longrepr[2]}")
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a session that skipped a test in CI, or left a process running anywhere."""
    stash = session.config.stash
    if sys.platform == "linux":
        stash[LEFT_OVER] = left_over.living(_session_directory(session.config))
    if session.exitstatus == pytest.ExitCode.OK and (
        stash[LEFT_OVER] or (IS_CI and stash[SKIPPED])
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say loudly why the session failed although every test passed."""
    if config.stash[LEFT_OVER]:
        terminalreporter.section("FAILED: the tests left processes running", sep="!", red=True)
        terminalreporter.write("\n".join(config.stash[LEFT_OVER]) + "\n")
    if IS_CI and config.stash[SKIPPED]:
        terminalreporter.section("FAILED: CI allows no skipped test", sep="!", red=True)
        terminalreporter.write("\n".join(config.stash[SKIPPED]) + "\n")


def _session_directory(config: pytest.Config) -> Path | None:
    """Return the root of this session's tmp_path directories, or None when no test asked for one."""
    factory: Any = getattr(config, "_tmp_path_factory", None)
    return getattr(factory, "_basetemp", None)
