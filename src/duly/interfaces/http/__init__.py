"""HTTP: the operations of the registry on one loopback address, behind a token."""
