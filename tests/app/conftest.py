"""A command line on a fresh data directory."""

from tests.interfaces.conftest import duly

__all__ = ["duly"]
