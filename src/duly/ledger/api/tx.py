"""What a transaction may read and record, as typed verbs; the one protocol that other rooms see of the ledger.

Names tell what guards a verb. `add_*` inserts a row that no verb updates, and answers False when it is there already.
A verb that takes a `claim` belongs to the claim's holder: it writes only while the run's row carries that fence and
claim id, and answers False otherwise. `record_*` without a claim compares and sets the version of the record given.
"""

from typing import Protocol

from duly.ledger.api.definitions import DefinitionVerbs
from duly.ledger.api.holder import HolderVerbs
from duly.ledger.api.runs import RunVerbs
from duly.ledger.api.service import ServiceVerbs
from duly.ledger.api.session import SessionVerbs
from duly.ledger.api.starts import StartVerbs


class Tx(SessionVerbs, DefinitionVerbs, RunVerbs, StartVerbs, HolderVerbs, ServiceVerbs, Protocol):
    """One transaction."""
