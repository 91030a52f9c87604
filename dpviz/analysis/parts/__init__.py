"""Frozen parts of a result and the functions that compute them; no sentence, no widget."""
