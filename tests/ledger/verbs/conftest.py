"""The fixture that gives each test of the verbs a fresh ledger, on every store there is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.verbs.stores import STORES, Store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with STORES[request.param](tmp_path) as opened:
        yield opened
