"""Verbs about what hangs on runs: snapshots, executions, effects, artifacts, publications, late reports."""

from typing import Final

from duly.ledger.verbs.base import OnSession
from duly.ledger.verbs.shapes import Shape
from duly.model.effect import Effect, EffectCall, Publication
from duly.model.ids import AutomationId, EffectId, RunId
from duly.model.run import Artifact, Execution, LateReport, Run, Snapshot
from duly.model.states import EffectState

SNAPSHOT: Final = Shape(Snapshot)
EXECUTION: Final = Shape(Execution)
EFFECT: Final = Shape(Effect)
EFFECT_CALL: Final = Shape(EffectCall)
ARTIFACT: Final = Shape(Artifact)
PUBLICATION: Final = Shape(Publication)
LATE_REPORT: Final = Shape(LateReport)


class Evidence(OnSession):
    """What attempts left behind, for whoever judges it; and the settling of effects from outside a claim."""

    __slots__ = ()

    def snapshot(self, run_id: RunId) -> Snapshot | None:
        """Return what every attempt of a run reads, once one has frozen it."""
        return SNAPSHOT.first(self._session.row("snapshot", run_id=run_id))

    def executions(self, run_id: RunId) -> list[Execution]:
        """Return executions, oldest first."""
        return EXECUTION.records(self._session.rows("executions", run_id=run_id))

    def effect(self, effect_id: EffectId) -> Effect | None:
        """Return one effect."""
        return EFFECT.first(self._session.row("effect", effect_id=effect_id))

    def effects_of_run(self, run_id: RunId) -> list[Effect]:
        """Return the effects that the run touched last or ever tried, oldest first."""
        return EFFECT.records(self._session.rows("effects_of_run", run_id=run_id))

    def effects_of_window(self, automation_id: AutomationId, window_key: str) -> list[Effect]:
        """Return the effects of a window, oldest first."""
        return EFFECT.records(
            self._session.rows(
                "effects_of_window", automation_id=automation_id, window_key=window_key
            )
        )

    def effect_calls(self, effect_id: EffectId) -> list[EffectCall]:
        """Return the tries at an effect, oldest first."""
        return EFFECT_CALL.records(self._session.rows("effect_calls", effect_id=effect_id))

    def resolve_effect(self, run: Run, effect: Effect) -> bool:
        """Settle an open effect while nobody holds `run` and its version is the one read."""
        params = EFFECT.params(effect)
        params |= {"run_id": run.run_id, "version": run.version}
        return self._changed(
            "resolve_effect",
            pending=EffectState.PENDING.value,
            unknown=EffectState.UNKNOWN.value,
            **params,
        )

    def artifacts(self, run_id: RunId) -> list[Artifact]:
        """Return the result files of a run, oldest first."""
        return ARTIFACT.records(self._session.rows("artifacts", run_id=run_id))

    def newest_publication(self, workspace_id: str, path: str) -> Publication | None:
        """Return what a path holds now."""
        row = self._session.row("newest_publication", workspace_id=workspace_id, path=path)
        return PUBLICATION.first(row)

    def resolve_publication(self, run: Run, publication: Publication) -> bool:
        """Note the next replacement of a published file while nobody holds `run` and its version is the one read."""
        assert publication.run_id == run.run_id, "a publication is recorded by its own run"
        params = PUBLICATION.params(publication)
        return self._changed("resolve_publication", version=run.version, **params)

    def publications_of_run(self, run_id: RunId) -> list[Publication]:
        """Return what a run published, oldest first."""
        return PUBLICATION.records(self._session.rows("publications_of_run", run_id=run_id))

    def late_reports(self, run_id: RunId) -> list[LateReport]:
        """Return what holders of a run knew too late, oldest first."""
        return LATE_REPORT.records(self._session.rows("late_reports", run_id=run_id))
