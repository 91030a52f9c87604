"""The Epsilon* estimate: from counts, from fitted and from given distributions."""
