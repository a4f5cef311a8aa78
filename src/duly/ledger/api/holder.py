"""Verbs of a claim's holder: each writes only while the run carries the claim's fence and claim id, else answers False."""

from collections.abc import Mapping
from typing import Any, Protocol

from duly.model.claims import Claim
from duly.model.effect import Effect, EffectCall, Publication
from duly.model.instant import Instant
from duly.model.run import Artifact, Execution, Run, Snapshot


class HolderVerbs(Protocol):
    """What may be recorded under a claim."""

    def is_held(self, claim: Claim) -> bool:
        """Say whether the claim still stands (and lock the row where the store can)."""
        ...

    def renew_lease(self, claim: Claim, until: Instant) -> bool: ...

    def record_held_run(self, claim: Claim, run: Run) -> bool:
        """Set every column of the run's row (the version grows); giving up the claim is setting it None."""
        ...

    def end_attempt(self, claim: Claim, ending: str) -> bool:
        """Close the attempt's row; call it before the claim is given up."""
        ...

    def add_snapshot(self, claim: Claim, snapshot: Snapshot) -> bool: ...

    def add_execution(self, claim: Claim, execution: Execution) -> bool: ...

    def record_execution(self, claim: Claim, execution: Execution) -> bool:
        """Set the facts of an execution of this run, of an older fence too (proof of death)."""
        ...

    def add_effect(self, claim: Claim, effect: Effect) -> bool: ...

    def record_effect(self, claim: Claim, effect: Effect) -> bool:
        """Set state, payload, update number, external id, result, run, fence and since; `succeeded` only gives way to a higher update number."""
        ...

    def add_effect_call(self, claim: Claim, call: EffectCall) -> bool: ...

    def add_artifact(self, claim: Claim, artifact: Artifact) -> bool: ...

    def add_publication(self, claim: Claim, publication: Publication) -> bool: ...

    def add_late_report(self, claim: Claim, verb: str, body: Mapping[str, Any]) -> None:
        """Keep what a holder knows after it lost its claim; needs no live claim."""
        ...
