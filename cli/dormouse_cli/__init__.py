"""The command line: a client of the daemon. It never opens the ledger."""
