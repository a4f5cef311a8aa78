"""The ledger as other rooms see it: protocols and records, no SQL and no connections."""
