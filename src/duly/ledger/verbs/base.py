"""What every group of verbs stands on: one session."""

from typing import Any, Final

from duly.ledger.session import Session


class OnSession:
    """A group of verbs over one session."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        self._session: Final = session

    def _changed(self, statement: str, /, **params: Any) -> bool:
        """Run a statement that returns a row for each row it wrote; say whether it wrote any."""
        return bool(self._session.rows(statement, **params))

    def _fact(self, statement: str, /, **params: Any) -> Any:
        """Return the only column of the first row, None without one."""
        row = self._session.row(statement, **params)
        return None if row is None else row[0]
