"""Attack scores: their labels, provenance, description, and resampling."""
