"""One business moment, one transaction: read facts, ask policy, record."""
