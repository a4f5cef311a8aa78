"""Duly runs unattended agent work once for each business window, with a ledger that proves it."""

__version__ = "0.1.0"
