"""Mechanisms and claims with known trade-off functions, and their registry."""
