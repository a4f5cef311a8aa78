"""The command line: parses, asks an operation, prints its answer; decides nothing."""
