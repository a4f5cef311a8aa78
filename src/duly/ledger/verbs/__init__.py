"""The verbs of a transaction, over one session; the same for every store."""

from duly.ledger.api.tx import Tx
from duly.ledger.session import Session
from duly.ledger.verbs.claims import Claims
from duly.ledger.verbs.definitions import Definitions
from duly.ledger.verbs.evidence import Evidence
from duly.ledger.verbs.holder import Holder
from duly.ledger.verbs.occurrences import Occurrences
from duly.ledger.verbs.runs import Runs
from duly.ledger.verbs.service import Common, Service
from duly.ledger.verbs.starts import Starts


class Verbs(Common, Definitions, Occurrences, Runs, Starts, Claims, Holder, Evidence, Service):
    """Everything that a transaction may read and record."""

    __slots__ = ()


def tx(session: Session) -> Tx:
    """Return the verbs over a session as other rooms see them; the type checker proves that none is missing."""
    return Verbs(session)
