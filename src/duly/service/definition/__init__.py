"""Definitions as people write them: read, checked with all faults at once, turned into plans."""
