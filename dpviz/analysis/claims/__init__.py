"""The menu of guarantees and their typed parameters."""
