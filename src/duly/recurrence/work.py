"""A bound on the work that one question about a rule may cost, so that no rule can stall its caller."""

from typing import Final

from duly.model.errors import DulyError

# One unit is 2 to 4 µs: one month looked at. Months cut by an INTERVAL and days full of times cost more.
MONTH_UNITS: Final = 1
PHASE_UNITS: Final = 3
DAY_UNITS: Final = 3

SEARCH_UNITS: Final = 6_000
END_UNITS: Final = 9_000
COUNT_UNITS: Final = 60_000


class WorkBudgetExceededError(DulyError):
    """The rule costs more work than one question may. Write it with fewer restrictions, or suspend it.

    `cursor` is the second up to which the answer is known.
    """

    code = "rule-too-costly"

    def __init__(self, cursor: int) -> None:
        super().__init__(
            "the rule fires too seldom to be searched, or too long a span was asked for",
            fix="restrict the rule less, or ask for a shorter span",
        )
        self.cursor = cursor


class Work:
    """Counts down the units of one question."""

    __slots__ = ("left",)

    def __init__(self, units: int) -> None:
        self.left = units

    def spend(self, units: int, cursor: int) -> None:
        """Take units off; raise WorkBudgetExceededError with the cursor when none are left."""
        self.left -= units
        if self.left < 0:
            raise WorkBudgetExceededError(cursor)
