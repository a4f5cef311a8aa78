"""Proofs of death: find what is left of older executions, kill exactly that, and say whether anything may live."""

from dataclasses import replace

from duly.adapters.launch import proof
from duly.adapters.launch.proof import Dead, ExecutionFacts
from duly.adapters.work.layout import Workshop
from duly.adapters.work.requests import DeathProof, ProveDead


def prove_dead(workshop: Workshop, request: ProveDead) -> DeathProof:
    """Prove every execution dead, or say that one may live; blocks for a few seconds at most."""
    # Every one is looked at, and what lives of it killed, also when an earlier one cannot be proven.
    dead = [_is_dead(workshop, facts, is_own=request.is_own) for facts in request.executions]
    return DeathProof.DEAD if all(dead) else DeathProof.MAY_LIVE


def _is_dead(workshop: Workshop, facts: ExecutionFacts, *, is_own: bool) -> bool:
    known = replace(facts, record=workshop.record(facts.run_token))
    if isinstance(proof.kill_leftovers(known), Dead):
        return True
    # What a launcher of this very process left behind was handed on to this process, and to nobody else.
    return is_own and isinstance(workshop.launchers.prove_lost(known), Dead)
