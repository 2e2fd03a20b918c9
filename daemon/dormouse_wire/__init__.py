"""The contract between the daemon and its clients. Standard library only; all may import it."""

__version__ = "0.1.0"
