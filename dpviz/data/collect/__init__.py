"""Records of a source on their way to scores, kept or counted."""
