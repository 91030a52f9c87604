"""Several attacks on one model: their differences, the lowest curve, the bound of the best."""
