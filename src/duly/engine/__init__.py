"""The only loops and threads."""
