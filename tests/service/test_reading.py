"""A run is named by its id, or by how that begins; what is not one run is refused."""

import pytest

from duly.model.errors import ConflictError
from duly.model.ids import RunId
from duly.service.queries import reading


class TwoRuns:
    """A ledger in which two ids begin alike."""

    def run_ids_like(self, beginning, limit):
        return [RunId(f"{beginning}0"), RunId(f"{beginning}1")][:limit]


def test_a_beginning_that_two_runs_share_is_refused():
    with pytest.raises(ConflictError, match="more than one run"):
        reading.run_named(TwoRuns(), "r_12345678")
