"""Pure time rules: which instants a rule names, what window each belongs to."""
