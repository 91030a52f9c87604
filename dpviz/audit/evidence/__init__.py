"""Tests of claims against scores, and the distribution of statistics without leakage."""
