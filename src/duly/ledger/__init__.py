"""The only SQL, its connections, and the writer thread."""
