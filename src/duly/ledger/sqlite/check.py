"""The check of a ledger file: every byte, the schema, the audit chains, and what must never be found."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import apsw

from duly.ledger import audit_chain, statements
from duly.ledger.audit_chain import Broken, Head, Intact
from duly.ledger.sqlite import connection, migrate, schema
from duly.model import canonical
from duly.model.automation import plan_hash

_NEVER: Final = "never_"
_ROWS_NAMED_MAX: Final = 5
_RECORDED: Final = {
    "scope_of": "automation:",
    "created": "automation.created",
    "edited": "automation.edited",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What is wrong with a ledger, in words; nothing, when `faults` is empty. `heads` may be anchored elsewhere."""

    faults: tuple[str, ...]
    heads: Mapping[str, Head]

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


def check(path: Path, anchors: Mapping[str, Head] | None = None) -> CheckReport:
    """Check the ledger while others use it; `anchors` are heads kept from earlier.

    Raises ForeignDatabaseError or SchemaVersionError for a file that is no ledger or that this program cannot read.
    """
    connection.examine(path)
    known = len(statements.sqlite_migrations())
    migrate.admit_version(path, migrate.read_meta(path), known)
    faults: list[str] = []
    heads: Mapping[str, Head] = {}
    db = connection.open_reader(path)
    try:
        db.execute("begin")
        faults.extend(_bytes(db))
        faults.extend(_schema(db))
        match _chains(db, anchors):
            case Intact(found):
                heads = found
            case Broken(scope, seq, why):
                faults.append(f"audit chain of {scope}: row {seq} {why}")
        faults.extend(_revisions(db))
        faults.extend(_invariants(db))
    except (apsw.CorruptError, apsw.SQLError) as error:
        faults.append(f"damaged: {error}")
    except apsw.Error as error:
        raise connection.as_error(error, path) from error
    finally:
        db.close()
    return CheckReport(faults=tuple(faults), heads=heads)


def _bytes(db: apsw.Connection) -> Iterator[str]:
    for (found,) in db.execute("pragma integrity_check").fetchall():
        if found != "ok":
            yield f"damaged: {found}"
    for row in db.execute("pragma foreign_key_check").fetchall():
        yield f"dangling reference: {row[0]} row {row[1]}"


def _schema(db: apsw.Connection) -> Iterator[str]:
    # A newer schema that still admits readers is none that this program could know.
    known = statements.sqlite_migrations()
    if migrate.meta_of(db).version == len(known):
        for found in schema.differences(db, known, also_harmless=True):
            yield f"schema: {found}"


def _chains(db: apsw.Connection, anchors: Mapping[str, Head] | None) -> Intact | Broken:
    rows = db.execute(statements.named()["audit_chains"])
    return audit_chain.verify((audit_chain.Row._make(row) for row in rows), anchors)


def _revisions(db: apsw.Connection) -> Iterator[str]:
    """Hold each revision against the audit of its making: it says what runs may do, and only the audit is chained."""
    rows = db.execute(statements.named()["revisions_recorded"], _RECORDED)
    for automation_id, number, definition, timing, work, digest, body in rows:
        said = json.loads(body or "{}")
        found = {"digest": canonical.hash_text(definition), "plan": plan_hash(timing, work)}
        if digest != found["digest"] or any(said.get(name) != one for name, one in found.items()):
            yield f"audit chain of automation:{automation_id}: revision {number} is not what was recorded"


def _invariants(db: apsw.Connection) -> Iterator[str]:
    for name, sql in statements.named().items():
        if name.startswith(_NEVER):
            found = [str(row[0]) for row in db.execute(sql).fetchall()]
            if found:
                some = ", ".join(found[:_ROWS_NAMED_MAX])
                yield f"{name.removeprefix(_NEVER).replace('_', ' ')}: {len(found)} ({some})"
