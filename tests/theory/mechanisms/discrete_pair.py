"""Two distributions on finitely many outputs."""

from dpviz.theory import DiscretePair
from tests.theory.mechanisms.experiment import table

SKEWED = DiscretePair([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.35, 0.25])
TWO_SIDED = DiscretePair([0.2, 0.5, 0.1, 0.2], [0.4, 0.2, 0.05, 0.35])
PROOF_BELOW_EVERY_FLOAT = DiscretePair(
    [0.0, 1.0, 0.0], [0.0, 0.9, 0.1], adjacency="add_remove"
).to_replace_one()

EXAMPLES = [
    {"P": (0.5, 0.25, 0.25), "Q": (0.125, 0.25, 0.625)},
    {"P": (0.5, 0.5, 0.0), "Q": (0.25, 0.5, 0.25)},
    {"P": (0.2, 0.3, 0.5), "Q": (0.2, 0.3, 0.5)},
    {"P": (1.0, 0.0), "Q": (0.0, 1.0)},
    SKEWED.parameters,
]
EXPERIMENTS = [table("pair", SKEWED, [0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.35, 0.25])]
COUNTED = [
    SKEWED,
    DiscretePair([0.25, 0.0, 0.5, 0.0, 0.25], [0.0, 0.0, 0.5, 0.5, 0.0]),
    DiscretePair([0.5, 0.5, 0.0], [0.2, 0.8, 0.0]),
    PROOF_BELOW_EVERY_FLOAT,
    TWO_SIDED,
]
