"""Verbs about occurrences and what joined ones came to."""

from typing import Final

from duly.ledger.verbs.base import OnSession
from duly.ledger.verbs.shapes import Shape
from duly.model.ids import AutomationId, RunId
from duly.model.instant import Instant
from duly.model.occurrence import Occurrence, RerunVerdict
from duly.model.states import Disposition

OCCURRENCE: Final = Shape(Occurrence)
RERUN_VERDICT: Final = Shape(RerunVerdict)


class Occurrences(OnSession):
    """Answered triggers."""

    __slots__ = ()

    def add_occurrence(self, occurrence: Occurrence) -> bool:
        """Answer a trigger once; a joined one then waits for its verdict."""
        if not self._added("add_occurrence", OCCURRENCE.values(occurrence)):
            return False
        if occurrence.disposition is Disposition.JOINED:
            self._session.rows("add_open_join", **OCCURRENCE.params(occurrence))
        return True

    def occurrence(self, automation_id: AutomationId, occurrence_key: str) -> Occurrence | None:
        """Return one occurrence."""
        return OCCURRENCE.first(
            self._session.row(
                "occurrence", automation_id=automation_id, occurrence_key=occurrence_key
            )
        )

    def occurrence_covering(self, automation_id: AutomationId, at: Instant) -> Occurrence | None:
        """Return the newest timer occurrence or range that answers for `at`."""
        row = self._session.row("occurrence_covering", automation_id=automation_id, moment=at)
        return OCCURRENCE.first(row)

    def occurrences(
        self, automation_id: AutomationId, before: Instant, limit: int
    ) -> list[Occurrence]:
        """Return occurrences recorded at or before `before`, newest first."""
        return OCCURRENCE.records(
            self._session.rows(
                "occurrences", automation_id=automation_id, before=before, limit=limit
            )
        )

    def occurrences_of_run(self, run_id: RunId) -> list[Occurrence]:
        """Return what a run answers for, oldest first."""
        return OCCURRENCE.records(self._session.rows("occurrences_of_run", run_id=run_id))

    def add_rerun_verdict(self, verdict: RerunVerdict) -> bool:
        """Say what a joined occurrence came to, once."""
        params = RERUN_VERDICT.params(verdict)
        if not self._changed("add_rerun_verdict", **params):
            return False
        self._session.rows("close_open_join", **params)
        return True

    def rerun_verdict(
        self, automation_id: AutomationId, occurrence_key: str
    ) -> RerunVerdict | None:
        """Return what a joined occurrence came to."""
        return RERUN_VERDICT.first(
            self._session.row(
                "rerun_verdict", automation_id=automation_id, occurrence_key=occurrence_key
            )
        )

    def unanswered_joins(self, limit: int) -> list[Occurrence]:
        """Return joined occurrences without a verdict, oldest first."""
        return OCCURRENCE.records(self._session.rows("unanswered_joins", limit=limit))
