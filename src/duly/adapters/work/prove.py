"""Proofs of death: find what is left of older executions, kill exactly that, and say whether anything may live."""

from dataclasses import replace

from duly.adapters.launch import proof
from duly.adapters.launch.proof import Dead, ExecutionFacts
from duly.adapters.work.layout import Workshop
from duly.adapters.work.requests import DeathProof, ProveDead


def prove_dead(workshop: Workshop, request: ProveDead) -> DeathProof:
    """Prove every execution dead, or say that one may live; blocks for a few seconds at most."""
    if request.is_own and isinstance(workshop.launchers.kill_orphans(), Dead):
        return DeathProof.DEAD
    # Every one is looked at, and what lives of it killed, also when an earlier one cannot be proven.
    dead = [_is_dead(workshop, facts) for facts in request.executions]
    return DeathProof.DEAD if all(dead) else DeathProof.MAY_LIVE


def _is_dead(workshop: Workshop, facts: ExecutionFacts) -> bool:
    known = replace(facts, record=workshop.record(facts.run_token))
    return isinstance(proof.kill_leftovers(known), Dead)
