"""A sentence whose every word is known, and which still leaves a choice."""

from collections.abc import Sequence


class UnclearError(Exception):
    """What was said does not go together, or means two things; `about` names the parts, `fixes` what to write."""

    def __init__(self, message: str, about: Sequence[str], fixes: Sequence[str]) -> None:
        super().__init__(message)
        self.message = message
        self.about = about
        self.fixes = fixes
