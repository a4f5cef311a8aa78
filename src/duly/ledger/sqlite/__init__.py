"""The ledger on SQLite: one file, one writer, readers apart."""
