"""The engine and the server of Dormouse: the only package that holds the key and opens the ledger."""
