"""The suite knows every verb: one that no test calls fails here."""

import ast
import inspect
from pathlib import Path

from duly.ledger import statements
from duly.ledger.api.tx import Tx
from duly.ledger.verbs import Verbs

HERE = Path(__file__).parent
ROOM = Path(inspect.getfile(Verbs)).parent.parent
VERBS = {name for name, _ in inspect.getmembers(Tx) if not name.startswith("_")}


def _called_on_tx() -> set[str]:
    """Return what this suite takes from a name `tx`."""
    return {
        node.attr
        for path in HERE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id == "tx"
    }


def test_every_verb_is_called_by_the_suite():
    assert VERBS - _called_on_tx() == set()


def test_verbs_offer_what_the_protocol_promises_and_no_more():
    assert {name for name in dir(Verbs) if not name.startswith("_")} == VERBS


def test_verbs_take_what_the_protocol_says():
    for name, promised in inspect.getmembers(Tx, inspect.isfunction):
        if not name.startswith("_"):
            offered = inspect.signature(getattr(Verbs, name))
            assert offered.parameters.keys() == inspect.signature(promised).parameters.keys(), name


def test_every_statement_is_used():
    sources = "".join(path.read_text("utf-8") for path in ROOM.rglob("*.py"))
    unused = [n for n in statements.named() if f'"{n}"' not in sources]
    assert [name for name in unused if not name.startswith("never_")] == []
