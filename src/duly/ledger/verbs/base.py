"""What every group of verbs stands on: one session."""

from typing import Any, Final

from duly.ledger.session import Session


class OnSession:
    """A group of verbs over one session."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        self._session: Final = session

    def _changed(self, statement: str, /, **params: Any) -> bool:
        """Run a statement that returns nothing; say whether it wrote any row."""
        return self._session.written(statement, **params) > 0

    def _added(self, statement: str, values: tuple[Any, ...], /) -> bool:
        """Insert the values of a record, in the order of its columns; say whether they were new."""
        return self._session.put(statement, values) > 0

    def _fact(self, statement: str, /, **params: Any) -> Any:
        """Return the only column of the first row, None without one."""
        row = self._session.row(statement, **params)
        return None if row is None else row[0]
