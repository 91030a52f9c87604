"""Mechanisms and claims, a file for each family, and their `registry`."""
