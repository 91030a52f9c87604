"""Readers of claims, grouped into modules by the kind of source."""
