"""Tests: a claim against the scores, and what no leakage looks like."""
