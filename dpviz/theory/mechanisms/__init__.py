"""One file per family of guarantees, and their `registry`."""
