"""The menu of guarantees, text boxes for their parameters, and guarantees of noisy queries."""
