"""Methods for lower bounds that dpviz does not offer, beside those that it does.

The default is at least as large as these in next to every measured cell, or they are false where
what they suppose is. They are here for the comparison in the documentation.
"""

from benchmarks.methods import all_thresholds, from_counts, three_paths
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.bounds.result import BoundMethod

OTHERS: dict[str, BoundMethod] = {
    **all_thresholds.METHODS,
    **from_counts.METHODS,
    "three_paths": three_paths.METHOD,
}
CONDITIONAL = tuple(from_counts.METHODS)  # bounds only under a further assumption


def methods() -> dict[str, BoundMethod]:
    """Those of dpviz, then the others."""
    return {**BOUNDS, **OTHERS}
