"""Texts to vectors, and vectors in memory. Reads no ledger, opens no connection, keeps no text.

Numpy is heavy: nothing here is imported before the daemon answers.
"""

import os

# One core for a query: more of them make it little faster and take memory for each.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
