"""Ids: hashes of natural keys, so that a fact has the same id on every node and in every retry (decision 0001)."""

import hashlib
from typing import Final, NewType

AutomationId = NewType("AutomationId", str)
RunId = NewType("RunId", str)
EffectId = NewType("EffectId", str)
ClaimId = NewType("ClaimId", str)

# 128 bits: no two of 10^15 ids meet. Hexadecimal: an admission derives several, and base 32 costs eight times more.
_DIGITS: Final = 32
# A run's id begins as its automation's does: rows of a run and of its neighbours then lie together in every table that
# is kept in order of run ids, and a burst, answered in order of automations, dirties a third of the pages. The 96 bits
# behind it keep the runs of one automation apart.
_OF_AUTOMATION: Final = slice(2, 10)


def _hashed(kind: str, *parts: str) -> str:
    # Lengths keep ("a", "bc") and ("ab", "c") apart whatever characters the parts hold.
    text = kind + "".join([f"\x1f{len(part)}:{part}" for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def automation_id(workspace: str, key: str) -> AutomationId:
    """Return the id of the automation created in a workspace under an Idempotency-Key (default: its job_key)."""
    return AutomationId("a_" + _hashed("automation", workspace, key))


def run_id(automation: str, window_key: str, input_version: str) -> RunId:
    """Return the id of the run for one work identity."""
    head = automation[_OF_AUTOMATION]
    return RunId("r_" + (head + _hashed("run", automation, window_key, input_version))[:_DIGITS])


def effect_id(
    workspace: str, automation: str, window_key: str, action: str, identity: str
) -> EffectId:
    """Return the id of one intended change; `identity` is canonical JSON of its identity arguments."""
    return EffectId("e_" + _hashed("effect", workspace, automation, window_key, action, identity))


def operation_id(workspace: str, name: str, key: str) -> str:
    """Return the id of one command given under an Idempotency-Key."""
    return "o_" + _hashed("operation", workspace, name, key)


def notice_id(scope: str, kind: str, about: str) -> str:
    """Return the id of one notice: a person is told once of one thing."""
    return "n_" + _hashed("notice", scope, kind, about)


def dedupe_key(job_key: str, window_key: str, input_version: str) -> str:
    """Return the text form of a work identity, for display and export only."""
    return f"{job_key}:{window_key}:{input_version}"
