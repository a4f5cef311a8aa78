"""The answerer: says of each joined occurrence what it came to, once the files of its run were looked at."""

from collections import defaultdict
from pathlib import PurePosixPath
from typing import Final

from duly.adapters.work.requests import FileFound, ReadBack
from duly.engine.node import Node
from duly.engine.requests import WORKED, Read, Steps, Wait, Wake, Write, now, outside, surely
from duly.ledger.api.tx import Tx
from duly.model.occurrence import Occurrence
from duly.policy.rerun import ArtifactFact
from duly.transactions.answer import AnswerJoin, JoinFacts, answer_join, join_facts

JOINED: Final = "joined"
KEYS: Final = (JOINED,)


def answerer(node: Node) -> Steps[None]:
    """Answer for ever, oldest first."""
    while True:
        waiting = yield from surely(Read(unanswered, node.settings.answer_batch_max))
        for occurrence in waiting:
            yield from _answer(occurrence)
        if not waiting:
            woke = yield from now()
            until_us = woke.awake_us + node.settings.scan_wake_us_max
            yield Wait(keys=KEYS, until_awake_us=until_us)


def unanswered(tx: Tx, limit: int) -> list[Occurrence]:
    """Read joined occurrences without a verdict."""
    return tx.unanswered_joins(limit)


def _answer(occurrence: Occurrence) -> Steps[None]:
    facts = yield from surely(Read(join_facts, occurrence))
    found = yield from _look(facts)
    yield from surely(Write(answer_join, AnswerJoin(occurrence=occurrence, found=found)))
    yield Wake(WORKED)


def _look(facts: JoinFacts) -> Steps[tuple[ArtifactFact, ...]]:
    """Read every file back, one directory after the other."""
    by_directory: dict[str, list[str]] = defaultdict(list)
    for path, _ in facts.files:
        name = PurePosixPath(path)
        by_directory[str(name.parent)].append(name.name)
    found: dict[str, FileFound] = {}
    for directory, names in by_directory.items():
        answers: tuple[FileFound, ...] = yield from outside(
            ReadBack(root=directory, paths=tuple(names))
        )
        found |= {f"{directory.rstrip('/')}/{answer.path}": answer for answer in answers}
    return tuple(fact_of(found.get(path), sha256) for path, sha256 in facts.files)


def fact_of(found: FileFound | None, sha256: str) -> ArtifactFact:
    """Return how a file was found against the hash that it should have."""
    if found is None or found.sha256 is None:
        is_absent = found is None or found.trouble is None
        return ArtifactFact.MISSING if is_absent else ArtifactFact.ALTERED
    return ArtifactFact.INTACT if found.sha256 == sha256 else ArtifactFact.ALTERED
