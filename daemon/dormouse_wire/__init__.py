"""The contract between the daemon and its clients. Standard library only; everybody may import it."""

__version__ = "0.1.0"
