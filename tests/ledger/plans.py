"""How SQLite would run a statement: what it seeks, and what it scans."""

import apsw

from duly.ledger import statements


def explain(path, sql, given=None):
    """Return the query plan of a statement on a ledger file, one step a line."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        steps = db.execute(f"explain query plan {sql}", given or {}).fetchall()
        return "\n".join(str(step[3]) for step in steps)
    finally:
        db.close()


def explain_named(path, name, **given):
    """Return the query plan of a named statement."""
    return explain(path, statements.named()[name], given)
