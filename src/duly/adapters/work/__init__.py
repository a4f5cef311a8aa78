"""What an attempt does outside the ledger: observe, stage, examine, publish, prove dead, tell; one record a request."""
