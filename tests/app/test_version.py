"""A server and a command line can tell each other's versions."""

import platform

import pytest

import duly as package
from duly.app.front_door import FrontDoor
from duly.ledger import statements


@pytest.mark.parametrize("is_served", [False, True], ids=["here", "server"])
def test_versions_are_told_by_whoever_answers(duly, is_served):
    front = FrontDoor(None)
    wanted = {
        "duly": package.__version__,
        "schema_version": statements.sqlite_migrations()[-1].version,
        "python": platform.python_version(),
        "tzdata": front.zones.version,
    }
    if not is_served:
        assert front.ask("version", {}) == wanted
        assert not duly.home.exists()
        return
    with duly.serving():
        assert front.ask("version", {}) == wanted
