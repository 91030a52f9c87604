"""Readers of claims; each module reads a few kinds of sources."""
