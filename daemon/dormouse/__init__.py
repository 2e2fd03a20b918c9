"""The engine and the server: the only package that holds the key and opens the ledger."""
