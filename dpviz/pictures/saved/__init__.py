"""The saved HTML page."""
