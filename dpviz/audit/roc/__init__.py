"""Error rates at every threshold, and their confidence limits."""
