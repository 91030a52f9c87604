"""Output distributions of mechanisms, and tests on them."""
