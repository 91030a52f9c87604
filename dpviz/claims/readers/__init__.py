"""Readers of claims, one kind of source a file."""
