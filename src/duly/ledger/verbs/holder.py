"""Verbs of a claim's holder. Each is one statement that writes only while the run's row carries the claim."""

from collections.abc import Mapping
from typing import Any, Protocol

from duly.ledger.verbs.base import OnSession
from duly.ledger.verbs.evidence import (
    ARTIFACT,
    EFFECT,
    EFFECT_CALL,
    EXECUTION,
    PUBLICATION,
    SNAPSHOT,
)
from duly.ledger.verbs.runs import RUN
from duly.model import canonical
from duly.model.claims import Claim
from duly.model.effect import Effect, EffectCall, Publication
from duly.model.ids import RunId
from duly.model.instant import Instant
from duly.model.run import Artifact, Execution, Run, Snapshot
from duly.model.states import EffectState


class _OfRun(Protocol):
    @property
    def run_id(self) -> RunId: ...


class _OfAttempt(_OfRun, Protocol):
    @property
    def fence(self) -> int: ...


class Holder(OnSession):
    """What may be recorded under a claim."""

    __slots__ = ()

    def is_held(self, claim: Claim) -> bool:
        """Say whether the claim still stands."""
        return bool(self._session.rows("is_held", **_pair(claim)))

    def renew_lease(self, claim: Claim, until: Instant) -> bool:
        """Move the end of the lease; the run's version stays, for nothing that others judge has changed."""
        return self._changed("renew_lease", until=until, **_pair(claim))

    def record_held_run(self, claim: Claim, run: Run) -> bool:
        """Set everything about the run but its identity and fence; the version grows by one."""
        return self._changed("record_held_run", **_guard(claim, run), **RUN.params(run))

    def end_attempt(self, claim: Claim, ending: str) -> bool:
        """Close the attempt's row, once, before the claim is given up."""
        return self._changed("end_attempt", ending=ending, **_pair(claim))

    def add_snapshot(self, claim: Claim, snapshot: Snapshot) -> bool:
        """Freeze what every attempt reads, once."""
        guard = _guard_added(claim, snapshot)
        return self._changed("add_snapshot", **guard, **SNAPSHOT.params(snapshot))

    def add_execution(self, claim: Claim, execution: Execution) -> bool:
        """Note one dispatch before it is made."""
        guard = _guard_added(claim, execution)
        return self._changed("add_execution", **guard, **EXECUTION.params(execution))

    def record_execution(self, claim: Claim, execution: Execution) -> bool:
        """Set what is known of a dispatch of this run, of an older fence too."""
        guard = _guard(claim, execution)
        return self._changed("record_execution", **guard, **EXECUTION.params(execution))

    def add_effect(self, claim: Claim, effect: Effect) -> bool:
        """Note an intended change, once."""
        return self._changed("add_effect", **_guard_added(claim, effect), **EFFECT.params(effect))

    def record_effect(self, claim: Claim, effect: Effect) -> bool:
        """Set what is known of an effect; a success gives way to a higher update number only."""
        return self._changed(
            "record_effect",
            succeeded=EffectState.SUCCEEDED.value,
            **_guard_added(claim, effect),
            **EFFECT.params(effect),
        )

    def add_effect_call(self, claim: Claim, call: EffectCall) -> bool:
        """Note one try at a pending effect before it is made."""
        return self._changed(
            "add_effect_call",
            pending=EffectState.PENDING.value,
            **_guard_added(claim, call),
            **EFFECT_CALL.params(call),
        )

    def add_artifact(self, claim: Claim, artifact: Artifact) -> bool:
        """Note a verified result file, once."""
        guard = _guard_added(claim, artifact)
        return self._changed("add_artifact", **guard, **ARTIFACT.params(artifact))

    def add_publication(self, claim: Claim, publication: Publication) -> bool:
        """Note the next replacement of a published file."""
        guard = _guard(claim, publication)
        return self._changed("add_publication", **guard, **PUBLICATION.params(publication))

    def add_late_report(self, claim: Claim, verb: str, body: Mapping[str, Any]) -> None:
        """Keep what a holder knows after it lost its claim."""
        text = canonical.to_json(dict(body))
        self._session.rows("add_late_report", verb=verb, body=text, **_pair(claim))


def _pair(claim: Claim) -> dict[str, Any]:
    return {
        "held_run_id": claim.run_id,
        "held_fence": claim.fence,
        "held_claim_id": claim.claim_id,
    }


def _guard(claim: Claim, record: _OfRun) -> dict[str, Any]:
    assert record.run_id == claim.run_id, "a claim records about its own run only"
    return _pair(claim)


def _guard_added(claim: Claim, record: _OfAttempt) -> dict[str, Any]:
    assert record.fence == claim.fence, "a record of an attempt carries the attempt's fence"
    return _guard(claim, record)
