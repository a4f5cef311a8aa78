"""Verbs of a claim's holder: each writes only while the run carries the claim, else answers False."""

from collections.abc import Mapping
from typing import Any, Protocol

from duly.model.claims import Claim
from duly.model.effect import Effect, EffectCall, Publication
from duly.model.instant import Instant
from duly.model.run import Artifact, Execution, Run, Snapshot


class HolderVerbs(Protocol):
    """What may be recorded under a claim.

    A record of another run than the claim's, and an added one of another fence, is a bug: AssertionError.
    """

    def is_held(self, claim: Claim) -> bool:
        """Say whether the claim still stands; locks the run's row where the store can, so it belongs in a write."""
        ...

    def renew_lease(self, claim: Claim, until: Instant) -> bool:
        """Move the end of the lease; the run's version stays, for nothing that others judge has changed."""
        ...

    def record_held_run(self, claim: Claim, run: Run) -> bool:
        """Set everything about the run but its identity and fence; giving up the claim is setting it None.

        The row's version grows by one, whatever the record's is: read the run in the same transaction.
        """
        ...

    def end_attempt(self, claim: Claim, ending: str) -> bool:
        """Close the attempt's row; call it before the claim is given up."""
        ...

    def add_snapshot(self, claim: Claim, snapshot: Snapshot) -> bool:
        """Freeze what every attempt reads, once."""
        ...

    def add_execution(self, claim: Claim, execution: Execution) -> bool:
        """Note one dispatch before it is made."""
        ...

    def record_execution(self, claim: Claim, execution: Execution) -> bool:
        """Set the facts of an execution of this run, of an older fence too (proof of death).

        Token, argv, prompt and start are what was intended, and stay.
        """
        ...

    def add_effect(self, claim: Claim, effect: Effect) -> bool:
        """Note an intended change, once."""
        ...

    def record_effect(self, claim: Claim, effect: Effect) -> bool:
        """Set state, payload, update number, external id, result, run, fence and since.

        The update number never falls, and `succeeded` gives way to a higher one only.
        """
        ...

    def add_effect_call(self, claim: Claim, call: EffectCall) -> bool:
        """Note a try at an effect of the run's automation that is `pending` at the call's update number."""
        ...

    def add_artifact(self, claim: Claim, artifact: Artifact) -> bool:
        """Note a verified result file, once."""
        ...

    def add_publication(self, claim: Claim, publication: Publication) -> bool:
        """Note the next replacement of a path: its number is the newest's plus one, else False."""
        ...

    def add_late_report(self, claim: Claim, verb: str, body: Mapping[str, Any]) -> None:
        """Keep what a holder knows after it lost its claim; needs no live claim."""
        ...
