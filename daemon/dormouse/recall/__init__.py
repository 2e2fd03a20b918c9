"""Rules of recall: which words find a fact, which facts may be shown, and how. Reads no ledger."""
