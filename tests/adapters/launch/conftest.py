"""What tests of the launcher share: nodes that are always ended, and a test session that adopts orphans."""

import ctypes

import pytest

from duly.adapters.launch.launch import Launchers, adopt_orphans
from tests.adapters.launch.nodes import Node

_SET_CHILD_SUBREAPER = 36


@pytest.fixture
def start():
    """Start launches that are killed, and proven dead, when the test ends."""
    nodes = []

    def begin(launch, launchers=None) -> Node:
        nodes.append(Node(launch, launchers))
        return nodes[-1]

    yield begin
    for node in nodes:
        node.launched.kill()
        while not node.launched.is_ended:
            node.step()
        node.launched.close()


@pytest.fixture
def adopting():
    """Make the test session a node that adopts, and take that back afterwards."""
    assert adopt_orphans()
    launchers = Launchers()
    yield launchers
    launchers.kill_orphans()
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
