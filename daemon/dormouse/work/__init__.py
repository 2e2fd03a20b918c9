"""What joins ledger, rules and judging, and the only place that does. It decides nothing itself."""
