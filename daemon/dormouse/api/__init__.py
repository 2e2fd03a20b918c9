"""What the socket offers: requests become work, errors become statuses. It decides nothing."""
